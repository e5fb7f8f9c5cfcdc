"""What a lake needs now and then: small files made into larger ones, old snapshots and their files removed.

Whoever calls this holds the turn to write records; to erase, that of people too.
"""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import duckdb

from ingest.store.catalog import detach, memory_connection
from ingest.store.errors import StoreUnusable
from ingest.store.lake_catalog import attach_lake, equip, tell_postgres
from ingest.store.lake_errors import lake_refusal
from ingest.store.lake_schema import HOLD_VALUES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ingest.store.lake_lock import Writing
    from ingest.store.lake_url import LakeAddress

# After so many snapshots small files are made into larger ones: every publication leaves one a table.
SNAPSHOTS_BETWEEN = 16
# How long an erasure waits for those who read what it erases; what a person wants gone goes then all the same.
READERS_WAIT_S = 30.0
_SMALL_BYTES = 8 * 1024 * 1024
# A reader that holds a lease longer than this reads no page.
_KEPT_FOR = timedelta(hours=1)
_LONGEST_INGEST = timedelta(days=2)
_LAKE = "kept_up"
# DuckLake's own tables, of which it attaches the catalog beside a lake's.
_FILES = f"__ducklake_metadata_{_LAKE}.ducklake_data_file"
_DELETES = f"__ducklake_metadata_{_LAKE}.ducklake_delete_file"
_TABLES = f"__ducklake_metadata_{_LAKE}.ducklake_table"
_SCHEMAS = f"__ducklake_metadata_{_LAKE}.ducklake_schema"
_NAMED = f"""
SELECT s.schema_name, t.table_name FROM {_TABLES} AS t JOIN {_SCHEMAS} AS s ON s.schema_id = t.schema_id
WHERE t.end_snapshot IS NULL AND s.end_snapshot IS NULL AND t.table_id IN ({{tables}}) ORDER BY ALL
"""  # noqa: S608 - names of this module
_WITH_SMALL_FILES = f"""
SELECT table_id FROM {_FILES} WHERE end_snapshot IS NULL AND file_size_bytes < {_SMALL_BYTES}
GROUP BY table_id HAVING count(*) > 1
"""  # noqa: S608
_WITH_DELETES = f"SELECT table_id FROM {_DELETES} WHERE end_snapshot IS NULL"  # noqa: S608
# The smallest and largest values of a table outlive the files that had them. Without one, DuckLake reads more.
_FORGET_VALUE = """
UPDATE ducklake_table_column_stats AS held SET {end} = NULL
WHERE {end} IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM ducklake_file_column_stats AS file
    WHERE file.table_id = held.table_id AND file.column_id = held.column_id AND file.{end} = held.{end})
"""


def is_due(before: int, after: int) -> bool:
    """Whether upkeep falls between these two snapshots."""
    return before // SNAPSHOTS_BETWEEN != after // SNAPSHOTS_BETWEEN


def compact(address: LakeAddress) -> None:
    """Small files are few, files with many deleted rows are rewritten, what nobody reads any more is gone."""
    _rewrite(address, 0.5)
    for schema, table in _tables(address, _WITH_SMALL_FILES):
        of_table = f"'{_LAKE}', '{table}', schema => '{schema}'"
        _call(address, f"ducklake_merge_adjacent_files({of_table}, max_file_size => {_SMALL_BYTES})")
    before = (datetime.now(UTC) - _KEPT_FOR).isoformat()
    # What a killed ingest had written when it died; one that still runs has not been at it for so long.
    long_before = (datetime.now(UTC) - _LONGEST_INGEST).isoformat()
    _call(
        address,
        f"ducklake_expire_snapshots('{_LAKE}', older_than => TIMESTAMPTZ '{before}')",
        f"ducklake_cleanup_old_files('{_LAKE}', older_than => TIMESTAMPTZ '{before}')",
        f"ducklake_delete_orphaned_files('{_LAKE}', older_than => TIMESTAMPTZ '{long_before}')",
    )


@contextmanager
def erasing(address: LakeAddress) -> Iterator[None]:
    """An erasure that breaks off says that the rows are removed, and what is left of them."""
    try:
        yield
    except (duckdb.Error, StoreUnusable) as cause:
        refusal = cause if isinstance(cause, StoreUnusable) else lake_refusal(address, cause)
        if refusal is None:
            raise
        raise StoreUnusable(
            f"{refusal}; the rows are removed, but old files still hold them: the next forget or prune erases them",
        ) from None


def erase(address: LakeAddress, writing: Writing) -> None:
    """No file holds a byte of what was deleted, and no row of the catalogue a value of it."""
    _rewrite(address, 0.0)
    with _attached(address) as con:
        newest = newest_snapshot(con, _LAKE)
        writing.wait_for_readers(newest, READERS_WAIT_S)
        rows = con.execute(
            f"SELECT snapshot_id FROM ducklake_snapshots('{_LAKE}') WHERE snapshot_id < ?",  # noqa: S608 - our alias
            [newest],
        ).fetchall()
    # By number: the clocks of the machines that wrote them may differ from ours.
    expire = [f"ducklake_expire_snapshots('{_LAKE}', versions => {[number for (number,) in rows]})"] if rows else []
    _call(
        address,
        *expire,
        f"ducklake_cleanup_old_files('{_LAKE}', cleanup_all => true)",
        f"ducklake_delete_orphaned_files('{_LAKE}', cleanup_all => true)",
    )
    with memory_connection() as con:
        equip(con, address)
        tell_postgres(con, address, *(_FORGET_VALUE.format(end=end) for end in ("min_value", "max_value")))


def erase_values(address: LakeAddress) -> None:
    """PostgreSQL holds no byte of the smallest and largest values that were deleted.

    It keeps what an open transaction may still see: whoever calls this has given back the turn to write.
    """
    with memory_connection() as con:
        equip(con, address)
        tell_postgres(con, address, f"VACUUM (FULL) {', '.join(HOLD_VALUES)}")


def newest_snapshot(con: duckdb.DuckDBPyConnection, alias: str) -> int:
    """The number of the newest snapshot."""
    return int(con.execute(f"SELECT max(snapshot_id) FROM ducklake_snapshots('{alias}')").fetchall()[0][0])  # noqa: S608


def _rewrite(address: LakeAddress, threshold: float) -> None:
    for schema, table in _tables(address, _WITH_DELETES):
        _call(
            address,
            f"ducklake_rewrite_data_files('{_LAKE}', '{table}', schema => '{schema}', delete_threshold => {threshold})",
        )


def _tables(address: LakeAddress, chosen: str) -> list[tuple[str, str]]:
    """Schema and name of the tables that are chosen by number."""
    with _attached(address) as con:
        return con.execute(_NAMED.format(tables=chosen)).fetchall()


def _call(address: LakeAddress, *calls: str) -> None:
    with _attached(address) as con:
        for call in calls:
            con.execute(f"CALL {call}").fetchall()


@contextmanager
def _attached(address: LakeAddress) -> Iterator[duckdb.DuckDBPyConnection]:
    """The lake, attached anew: one that has compacted a table looks for the next one in the schema of the first.

    A connection of its own too: an error inside DuckLake makes a database unusable, and the caller's is still needed.
    """
    with memory_connection() as con:
        equip(con, address)
        attach_lake(con, address, _LAKE)
        try:
            yield con
        finally:
            detach(con, _LAKE)
