"""What a lake needs now and then: small files made into larger ones, old snapshots and their files removed.

Whoever calls this holds the turn to write, for records and for what people wrote.
"""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import duckdb

from ingest.store.errors import StoreUnusable
from ingest.store.lake_catalog import tell_postgres
from ingest.store.lake_errors import lake_refusal
from ingest.store.lake_schema import HOLD_VALUES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ingest.store.lake_lock import Writing
    from ingest.store.lake_url import LakeAddress

# After so many snapshots small files are made into larger ones: every publication leaves one a table.
SNAPSHOTS_BETWEEN = 16
_SMALL_BYTES = 8 * 1024 * 1024
# A reader that holds a lease longer than this reads no page.
_KEPT_FOR = timedelta(hours=1)
_LONGEST_INGEST = timedelta(days=2)
# How long an erasure waits for those who read what it erases; what a person wants gone goes then all the same.
READERS_WAIT_S = 30.0


# The smallest and largest values of a table outlive the files that had them. Without one, DuckLake knows less and reads more.
_FORGET_VALUE = """
UPDATE ducklake_table_column_stats AS held SET {end} = NULL
WHERE {end} IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM ducklake_file_column_stats AS file
    WHERE file.table_id = held.table_id AND file.column_id = held.column_id AND file.{end} = held.{end})
"""


def is_due(before: int, after: int) -> bool:
    """Whether upkeep falls between these two snapshots."""
    return before // SNAPSHOTS_BETWEEN != after // SNAPSHOTS_BETWEEN


def compact(con: duckdb.DuckDBPyConnection, alias: str) -> None:
    """Small files are few, files with many deleted rows are rewritten, what nobody reads any more is gone."""
    _call(con, f"ducklake_rewrite_data_files('{alias}', delete_threshold => 0.5)")
    _call(con, f"ducklake_merge_adjacent_files('{alias}', max_file_size => {_SMALL_BYTES})")
    before = (datetime.now(UTC) - _KEPT_FOR).isoformat()
    _call(con, f"ducklake_expire_snapshots('{alias}', older_than => TIMESTAMPTZ '{before}')")
    _call(con, f"ducklake_cleanup_old_files('{alias}', older_than => TIMESTAMPTZ '{before}')")
    # What a killed ingest had written when it died; one that still runs has not been at it for so long.
    long_before = (datetime.now(UTC) - _LONGEST_INGEST).isoformat()
    _call(con, f"ducklake_delete_orphaned_files('{alias}', older_than => TIMESTAMPTZ '{long_before}')")


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


def erase(con: duckdb.DuckDBPyConnection, alias: str, address: LakeAddress, writing: Writing) -> None:
    """No file holds a byte of what was deleted, and no row of the catalogue a value of it."""
    _call(con, f"ducklake_rewrite_data_files('{alias}', delete_threshold => 0)")
    _call(con, f"ducklake_merge_adjacent_files('{alias}', max_file_size => {_SMALL_BYTES})")
    newest = newest_snapshot(con, alias)
    writing.wait_for_readers(newest, READERS_WAIT_S)
    rows = con.execute(
        f"SELECT snapshot_id FROM ducklake_snapshots('{alias}') WHERE snapshot_id < ?",  # noqa: S608 - our alias
        [newest],
    ).fetchall()
    if rows:
        # By number: the clocks of the machines that wrote them may differ from ours.
        _call(con, f"ducklake_expire_snapshots('{alias}', versions => {[number for (number,) in rows]})")
    _call(con, f"ducklake_cleanup_old_files('{alias}', cleanup_all => true)")
    _call(con, f"ducklake_delete_orphaned_files('{alias}', cleanup_all => true)")
    tell_postgres(con, address, *(_FORGET_VALUE.format(end=end) for end in ("min_value", "max_value")))


def erase_values(con: duckdb.DuckDBPyConnection, address: LakeAddress) -> None:
    """PostgreSQL holds no byte of the smallest and largest values that were deleted.

    It keeps what an open transaction may still see: whoever calls this has given back the turn to write.
    """
    tell_postgres(con, address, f"VACUUM (FULL) {', '.join(HOLD_VALUES)}")


def newest_snapshot(con: duckdb.DuckDBPyConnection, alias: str) -> int:
    """The number of the newest snapshot."""
    return int(con.execute(f"SELECT max(snapshot_id) FROM ducklake_snapshots('{alias}')").fetchall()[0][0])  # noqa: S608


def _call(con: duckdb.DuckDBPyConnection, call: str) -> None:
    con.execute(f"CALL {call}").fetchall()
