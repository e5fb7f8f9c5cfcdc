"""The writer's side of a lake: one transaction, which is there as a whole for everybody, or not at all."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from itertools import count
from typing import TYPE_CHECKING

import duckdb

from ingest.store.catalog import detach
from ingest.store.lake_catalog import attach_lake, equip
from ingest.store.lake_errors import lake_refusals
from ingest.store.lake_schema import MAIN, bring_schema_up_to_date
from ingest.store.lake_upkeep import newest_snapshot
from ingest.store.publish import Publication

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from ingest.store.lake_lock import Writing
    from ingest.store.lake_schema import Schemas
    from ingest.store.lake_url import LakeAddress

    Turn = Callable[[], AbstractContextManager[Writing]]

_numbers = count(1)
_BATCH_ROWS = 50_000


class LakePublication(Publication):
    """The next snapshot of a lake: what its one cursor writes, in one transaction.

    Under `alias` the connection reads the lake as it was. What comes from the connection's own tables goes through
    Arrow: a transaction of DuckDB writes to one database only, and an ingest fills its own tables meanwhile.
    """

    def __init__(self, con: duckdb.DuckDBPyConnection, alias: str, schema: str) -> None:
        """Begin the transaction; the lake is attached to the connection under that alias."""
        super().__init__(con, alias if schema == MAIN else f"{alias}.{schema}")
        self.lake = alias
        self.before = newest_snapshot(con, alias)
        self._writer = con.cursor()
        self._writer.execute(f"SET search_path = '{alias}.{schema}'")
        self._writer.begin()

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """Return the one cursor of the publication, in which the store's tables need no alias."""
        return self._writer

    def delete_runs(self, con: duckdb.DuckDBPyConnection, table: str) -> None:
        """The table has no rows of the runs that stand in `replaced` of the connection."""
        runs = con.sql("SELECT run_id FROM replaced").to_arrow_table()
        self._writer.register("runs_replaced", runs)
        self._writer.execute(
            f"DELETE FROM {table} WHERE run_id IN (SELECT run_id FROM runs_replaced)",  # noqa: S608 - our own name
        ).fetchall()
        self._writer.unregister("runs_replaced")

    def insert_staged(self, con: duckdb.DuckDBPyConnection, table: str, columns: str, order: str | None) -> None:
        """The table has the rows of the connection's table of the same name besides its own."""
        ordered = f" ORDER BY {order}" if order else ""
        staged = con.sql(f"SELECT {columns} FROM {table}{ordered}")  # noqa: S608 - our own names
        self._writer.register("rows_staged", staged.to_arrow_reader(_BATCH_ROWS))
        self._writer.execute(f"INSERT INTO {table} ({columns}) SELECT {columns} FROM rows_staged").fetchall()  # noqa: S608
        self._writer.unregister("rows_staged")

    def within(self, con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:  # noqa: ARG002 - a file's needs it
        """Return the publication's one cursor: nobody else sees what it has written."""
        return self._writer

    def bring(self, con: duckdb.DuckDBPyConnection, name: str, statement: str) -> None:
        """The publication's cursor has what the statement gives on the connection, under that name."""
        self._writer.register(name, con.sql(statement).to_arrow_table())

    def commit(self) -> None:
        """Everybody sees what was written."""
        self._writer.commit()

    def roll_back(self) -> None:
        """Nothing that was not committed is waiting any more."""
        # There may be no transaction any more, or no connection to roll it back over.
        with suppress(duckdb.Error):
            self._writer.rollback()
        self._writer.close()
        super().roll_back()


@contextmanager
def lake_publication(
    address: LakeAddress,
    con: duckdb.DuckDBPyConnection,
    turn: Turn,
    schema: str,
    outdated: Schemas | None,
) -> Iterator[tuple[LakePublication, Writing]]:
    """A draft of the next snapshot; tables that may be `outdated` are first brought up to date."""
    alias = f"lake_{next(_numbers)}"
    with turn() as writing:
        try:
            with lake_refusals(address):
                equip(con, address)
                attach_lake(con, address, alias)
                if outdated:
                    bring_schema_up_to_date(con, alias, outdated, address)
                draft = LakePublication(con, alias, schema)
            yield draft, writing
        finally:
            detach(con, alias)


@contextmanager
def committed(address: LakeAddress, draft: LakePublication, writing: Writing) -> Iterator[LakePublication]:
    """What the block wrote is there for everybody, unless it failed or discarded its draft."""
    try:
        with lake_refusals(address):
            yield draft
            if not draft.discarded:
                writing.require_held()
                draft.commit()
    finally:
        draft.roll_back()
