"""The tables of a lake: the same numbered files as those of a store in files, records and people's in a schema each."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import duckdb

from ingest.store.errors import StoreUnusable
from ingest.store.lake_catalog import tell_postgres
from ingest.store.lake_errors import lake_refusal
from ingest.store.migrate import VERSIONS_TABLE, Migrations, migrate, newest, usable_version

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ingest.store.lake_url import LakeAddress

MAIN, PEOPLES = "main", "people"

# DuckLake can keep small inserts in PostgreSQL, which knows no zero byte in a text. Traces have them: only versions,
# which every reader asks for, lie there.
_INLINED_ROWS = 10


# Tables of DuckLake with values out of records: the smallest and the largest of every column of every file.
HOLD_VALUES = ("ducklake_file_column_stats", "ducklake_table_column_stats")


_UNSAMPLED = (
    "ALTER TABLE {} ALTER COLUMN min_value SET STATISTICS 0, ALTER COLUMN max_value SET STATISTICS 0,"
    " ALTER COLUMN extra_stats SET STATISTICS 0"
)


@dataclass(frozen=True)
class Schemas:
    """The steps that make the tables of the records and of what people write."""

    records: Migrations
    people: Migrations


def bring_schema_up_to_date(con: duckdb.DuckDBPyConnection, alias: str, schemas: Schemas, address: LakeAddress) -> None:
    """The lake has both schemas in their newest version. Whoever calls this holds the turn to write records."""
    if is_up_to_date(con, alias, schemas, address):
        return
    # Else PostgreSQL samples the values for its own use, and keeps what was erased.
    tell_postgres(con, address, *map(_UNSAMPLED.format, HOLD_VALUES))
    con.execute(f"CREATE SCHEMA IF NOT EXISTS {alias}.{PEOPLES}").fetchall()
    con.execute(f"CALL {alias}.set_option('data_inlining_row_limit', 0)").fetchall()
    for schema, steps in ((MAIN, schemas.records), (PEOPLES, schemas.people)):
        _inline_versions(con, alias, schema)
        with _steps_refused(alias, address):
            migrate(con, alias, steps, schema=schema)


@contextmanager
def _steps_refused(alias: str, address: LakeAddress) -> Iterator[None]:
    """What kept a step from being done is one line about this lake, without a password."""
    try:
        yield
    except StoreUnusable as failed:
        cause = failed.__cause__
        refusal = lake_refusal(address, cause) if isinstance(cause, duckdb.Error) else None
        said = address.masked(str(failed)).replace(f"store {alias}", f"store {address.shown}")
        raise (refusal or type(failed)(said)) from None


def _inline_versions(con: duckdb.DuckDBPyConnection, alias: str, schema: str) -> None:
    with con.cursor() as cursor:
        cursor.execute(f"SET search_path = '{alias}.{schema}'")
        cursor.execute(VERSIONS_TABLE).fetchall()
    con.execute(
        f"CALL {alias}.set_option('data_inlining_row_limit', {_INLINED_ROWS},"
        f" schema => '{schema}', table_name => 'schema_version')",
    ).fetchall()


def is_up_to_date(con: duckdb.DuckDBPyConnection, alias: str, schemas: Schemas, address: LakeAddress) -> bool:
    """Whether a snapshot has both schemas in their newest version; a newer one, or a stranger's lake, is refused."""
    return _versions(con, alias, schemas, address.shown) == (newest(schemas.records), newest(schemas.people))


def _versions(con: duckdb.DuckDBPyConnection, alias: str, schemas: Schemas, where: str) -> tuple[int, int]:
    return (
        usable_version(con, alias, schemas.records, where, schema=MAIN),
        usable_version(con, alias, schemas.people, where, schema=PEOPLES),
    )
