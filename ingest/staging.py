"""Records on their way to the store: columns of Arrow in an in-memory copy of the schema.

Parsing needs no lock. Every row remembers the unit (the source's record) it came from, so that what
is stored and what is a duplicate can be counted in units once the store is known.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import duckdb
import pyarrow as pa

from ingest import records as kinds
from ingest.store.catalog import memory_connection
from ingest.store.migrate import migrate

BATCH = 20_000
RECORD_TABLES = (
    "run_records", "spans", "events", "error_events", "recovery_events", "recovery_steps", "guardrail_events",
    "context_sets", "context_items", "context_ops", "diagnoses", "delegations", "waits", "task_owners",
    "handoffs", "replays", "reported_metrics", "catalogue_items",
)  # fmt: skip
# Columns that only the staging tables have: the unit a row came from, and whether its run id was guessed there.
STAGING_ONLY = ("unit", "guessed")
# A child row lives and dies with the row of its parent's key.
CHILDREN = {"recovery_steps": "recovery_events", "context_items": "context_sets"}
KEYS = {kind.TABLE: kind.KEY for kind in kinds.KINDS}
_ARROW = {
    "VARCHAR": pa.string(),
    "JSON": pa.string(),
    "BIGINT": pa.int64(),
    "INTEGER": pa.int32(),
    "DOUBLE": pa.float64(),
    "BOOLEAN": pa.bool_(),
    "VARCHAR[]": pa.list_(pa.string()),
    "TIMESTAMP WITH TIME ZONE": pa.timestamp("us", tz="UTC"),
}


@dataclass(frozen=True)
class Column:
    """A column of a staging table."""

    name: str
    type: pa.DataType


class Staging:
    """The staged records of one ingest, in a connection to which the store is attached later."""

    def __init__(self) -> None:
        self.con = memory_connection()
        migrate(self.con, "memory")
        self._columns = {table: self._prepared(table) for table in RECORD_TABLES}
        self._rows: dict[str, list[dict[str, Any]]] = {table: [] for table in RECORD_TABLES}
        self._staged = 0
        self.last_unit = 0
        # Where each file of this ingest lies; the positions of its rows count within that path.
        self.paths: dict[str, str] = {}

    def _prepared(self, table: str) -> list[Column]:
        self.con.execute(f"ALTER TABLE {table} ADD COLUMN unit BIGINT").fetchall()
        self.con.execute(f"ALTER TABLE {table} ADD COLUMN guessed BOOLEAN").fetchall()
        described = self.con.execute(f"DESCRIBE {table}").fetchall()
        return [Column(row[0], _ARROW[row[1]]) for row in described]

    def columns(self, table: str) -> list[str]:
        """The columns that the store's table has too."""
        return [column.name for column in self._columns[table] if column.name not in STAGING_ONLY]

    def close(self) -> None:
        """Frees the staged records."""
        self.con.close()

    def next_unit(self) -> int:
        """A number for the next record of a source; 0 is kept for rows that the store already has."""
        self.last_unit += 1
        return self.last_unit

    def add(self, table: str, row: dict[str, Any]) -> None:
        """One row; columns it does not name become NULL."""
        self._rows[table].append(row)
        self._staged += 1
        if self._staged >= BATCH:
            self.flush()

    def flush(self) -> None:
        """Everything added so far is in the staging tables."""
        for table, rows in self._rows.items():
            if rows:
                insert(self.con, table, _table(rows, self._columns[table]))
                self._rows[table] = []
        self._staged = 0


def _table(rows: list[dict[str, Any]], columns: list[Column]) -> pa.Table:
    """The rows as columns; a column that no row names is left out, and becomes NULL."""
    named = set().union(*rows)
    arrays = {
        column.name: pa.array([row.get(column.name) for row in rows], column.type)
        for column in columns
        if column.name in named
    }
    return pa.table(arrays)


def insert(con: duckdb.DuckDBPyConnection, table: str, batch: pa.Table) -> None:
    """The rows of the batch are in the table; columns it does not have become NULL."""
    with con.cursor() as cursor:
        cursor.register("batch", batch)
        cursor.execute(f"INSERT INTO {table} BY NAME SELECT * FROM batch").fetchall()
        cursor.unregister("batch")


def units_between(
    con: duckdb.DuckDBPyConnection, first: int, last: int, tables: Iterable[str], *, also_in: str | None = None
) -> int:
    """How many units of a source still have a row in one of the tables, and in `also_in` where it is given."""
    union = " UNION ".join(f"SELECT unit FROM {table} WHERE unit BETWEEN {first} AND {last}" for table in tables)
    both = f" WHERE unit IN (SELECT unit FROM {also_in})" if also_in else ""
    return int(con.execute(f"SELECT count(*) FROM ({union}){both}").fetchall()[0][0])
