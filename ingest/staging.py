"""Records on their way to the store: columns of Arrow in a copy of its tables, in memory as far as there is room.

Parsing needs no lock. Every row remembers the unit (the source's record) it came from, so that what
is stored and what is a duplicate can be counted in units once the store is known.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from pathlib import Path

import duckdb
import pyarrow as pa

from ingest import workspace
from ingest.batch import Batch
from ingest.derive.conditions import filled
from ingest.rows import Row, Where
from ingest.store.catalog import quoted
from ingest.store.errors import StoreUnusable
from ingest.tables import CHILDREN, KEYS, OF_RUNS, RECORD_TABLES, STAGING_ONLY, WITHOUT_RUN

__all__ = ["CHILDREN", "KEYS", "RECORD_TABLES", "STAGING_ONLY", "Staging", "insert", "staged_in"]

# So many rows, or bytes of them, go into a table at once: DuckDB then writes them as they will stay.
ROWS_AT_ONCE = 250_000
BYTES_AT_ONCE = 64 * 1024 * 1024
# What DuckDB may hold in memory where there are many records; the rest of the process has room beside it.
MEMORY_LIMIT = "360MB"
# Of so many processors use is made.
PROCESSORS = 4
# A big file is staged, and runs are put together, by so many threads at once, each with a connection of its own.
HANDS = 2
# The folder in the scratch folder for what has no room in memory.
_PUT_ASIDE = "spilled"
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


class NoRoom(StoreUnusable):
    """What is held while records are put together has no room, neither in memory nor in the temporary folder."""

    def __init__(self, cause: duckdb.Error) -> None:
        """Hold what DuckDB said first, without its list of settings that nobody can reach."""
        said = str(cause).partition("\n")[0]
        super().__init__(
            f"no room to put the records together: {said}: the store is unchanged; free memory, or space in the"
            f" temporary folder ({tempfile.gettempdir()}; TMPDIR names another), or ingest fewer files at once"
        )


class Staging:
    """The staged records of one ingest, in a connection to which the store is attached later.

    With a scratch folder the connection's memory is bounded, what has no room lies in files there, and the connection's
    own tables are for the runs that are being put together. Until then unqualified names of record tables mean the
    staged ones.
    """

    def __init__(self, scratch: Path | None = None) -> None:
        self.workspace = workspace.taken(unused=scratch is not None)
        self.con = self.workspace.con
        self.staged = "memory"
        self.schemas = {table: _schema(self.workspace.columns[table]) for table in RECORD_TABLES}
        self._batch = Batch(self.schemas)
        self._waiting: dict[str, list[pa.Table]] = {table: [] for table in RECORD_TABLES}
        self.last_unit = 0
        # How many bytes of text the records come from.
        self.source_bytes = 0
        # Where each file of this ingest lies; the positions of its rows count within that path.
        self.paths: dict[str, str] = {}
        if scratch is not None:
            self._stage_in(scratch)

    @property
    def is_in_memory(self) -> bool:
        """The staged records lie in the connection's own tables."""
        return self.staged == "memory"

    def _stage_in(self, scratch: Path) -> None:
        self.con.execute(f"SET memory_limit = '{MEMORY_LIMIT}'; SET temp_directory = {quoted(scratch / _PUT_ASIDE)}")
        self.share(HANDS)
        # Not in a file of its own: that would be written twice, as a log and as a table, compressed for nobody.
        self._attach("':memory:'")
        self.con.execute(f"SET search_path = '{self.staged}.main,memory.main'")

    def share(self, hands: int) -> None:
        """So many threads use DuckDB at once: it has others only for the processors that are left."""
        self.con.execute(f"SET threads = {max(1, min(PROCESSORS, os.cpu_count() or 1) - hands + 1)}")

    def _attach(self, where: str) -> None:
        self.staged = "staged"
        self.con.execute(f"ATTACH {where} AS {self.staged}")
        for table in RECORD_TABLES:
            self.con.execute(f"CREATE TABLE {self.staged}.{table} AS SELECT * FROM {table} LIMIT 0").fetchall()

    def put_together(self) -> None:
        """From now on unqualified names mean the connection's own tables."""
        self.flush()
        if not self.is_in_memory:
            self.con.execute("SET search_path = 'memory.main'")

    def set_apart(self) -> None:
        """The staged records lie apart from the connection's own tables, which are empty."""
        if self.is_in_memory:
            self._attach("':memory:'")
            for table in self.workspace.filled():
                self.con.execute(f"INSERT INTO {self.staged}.{table} SELECT * FROM {table}").fetchall()
            self.workspace.empty()

    def take_catalogue(self) -> None:
        """The connection's own tables have what is staged of a catalogue."""
        for table in WITHOUT_RUN if not self.is_in_memory else ():
            self.con.execute(f"INSERT INTO {table} SELECT * FROM {self.staged}.{table}").fetchall()

    def take_replaced(self, low: int | None, high: int | None, *, is_alone: bool) -> None:
        """The connection's own tables have the staged records of the runs in `replaced`.

        Their units are between those two; `is_alone` where no other run has a unit there.
        """
        of_runs = "run_id IN (SELECT run_id FROM replaced)"
        near = f"unit BETWEEN {low} AND {high}" if low is not None else "false"
        for table in filled(self.con, OF_RUNS, self.staged):
            # That a file tells of a run is no unit of it. Without a join the rows keep their order.
            which = of_runs if table == "run_records" else near if is_alone else f"{of_runs} AND {near}"
            self.con.execute(f"INSERT INTO {table} SELECT * FROM {self.staged}.{table} WHERE {which}").fetchall()

    def beside(self) -> duckdb.DuckDBPyConnection:
        """Another connection to the staged tables, for another thread."""
        con = self.con.cursor()
        con.execute(f"SET search_path = '{self.staged}.main,memory.main'").fetchall()
        return con

    @contextmanager
    def hand(self, number: int) -> Iterator[Staging]:
        """The same staged records beside another workspace, for another thread to put runs together in."""
        other = copy(self)
        other.workspace = self.workspace.another(f"hand_{number}")
        other.con = other.workspace.con
        try:
            yield other
        finally:
            other.con.close()

    def columns(self, table: str) -> list[str]:
        """The columns that the store's table has too."""
        return [name for name in self.workspace.columns[table] if name not in STAGING_ONLY]

    def close(self) -> None:
        """Frees the staged records; nobody needs the connection any more."""
        self.con.close()

    def give_back(self) -> None:
        """Frees the staged records; the connection is kept for the next ingest, unless it is this one's alone."""
        if self.is_in_memory:
            workspace.give_back(self.workspace)
        else:
            self.close()

    def next_unit(self) -> int:
        """A number for the next record of a source; 0 is kept for rows that the store already has."""
        self.last_unit += 1
        return self.last_unit

    def add(self, row: Row, where: Where) -> None:
        """One row with its place; columns it does not have become NULL."""
        self._batch.add(row, where)
        if self._batch.is_full:
            self._make_columns()

    def put(self, table: str, rows: pa.Table) -> None:
        """Rows that are columns already, behind those that came before."""
        self._make_columns()
        self._wait(table, rows)

    def flush(self) -> None:
        """Everything added so far is in the staging tables."""
        self._make_columns()
        for table in RECORD_TABLES:
            self._insert(table)

    def _make_columns(self) -> None:
        for table, rows in self._batch.taken().items():
            self._wait(table, rows)

    def _wait(self, table: str, rows: pa.Table) -> None:
        waiting = self._waiting[table]
        waiting.append(rows)
        if sum(one.num_rows for one in waiting) >= ROWS_AT_ONCE or sum(one.nbytes for one in waiting) >= BYTES_AT_ONCE:
            self._insert(table)

    def _insert(self, table: str) -> None:
        if waiting := self._waiting[table]:
            insert(self.con, f"{self.staged}.{table}", pa.concat_tables(waiting, promote_options="default"))
            self._waiting[table] = []


@contextmanager
def staged_in(scratch: Path | None) -> Iterator[Staging]:
    """A staging in memory, bounded where there is a folder. After an exception nobody uses its connection again."""
    staging = Staging(scratch)
    try:
        yield staging
    except BaseException as fault:
        staging.close()
        if isinstance(fault, duckdb.Error) and _is_full(fault, scratch):
            raise NoRoom(fault) from fault
        raise
    staging.give_back()


def _is_full(fault: duckdb.Error, scratch: Path | None) -> bool:
    """There was no memory, or what was to be put aside could not be written."""
    is_put_aside = scratch is not None and str(scratch / _PUT_ASIDE) in str(fault)
    return isinstance(fault, duckdb.OutOfMemoryException) or (is_put_aside and isinstance(fault, duckdb.IOException))


def _schema(columns: dict[str, str]) -> pa.Schema:
    return pa.schema([(name, _ARROW[kind]) for name, kind in columns.items()])


def insert(con: duckdb.DuckDBPyConnection, table: str, batch: pa.Table) -> None:
    """The rows of the batch are in the table; columns it does not have become NULL."""
    con.register("batch", batch)
    con.execute(f"INSERT INTO {table} BY NAME SELECT * FROM batch").fetchall()
    con.unregister("batch")
