"""Where runs are put together and derived: a connection with the store's tables, empty, and with a few columns more.

Making one costs more than a small ingest, so each process keeps one that is empty again for the next.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from contextlib import suppress
from copy import copy
from functools import cache
from threading import Lock, Thread

from ingest import rollups
from ingest.derive.conditions import filled
from ingest.store.catalog import memory_connection
from ingest.store.migrate import keep_pattern, migrate
from ingest.tables import DECLARED, OF_RUNS, RECORD_TABLES, STAGING_ONLY, WITHOUT_RUN, columns_of_all, derived_tables

# What the portions of an ingest have in common (see `ingest.affected`), and outlives each of them.
LASTING = ("affected", "renamed", "portions", "new_paths", "seen_units", *rollups.lasting(), *WITHOUT_RUN)
# Rows that were deleted keep their memory until the next checkpoint.
_USES_A_CHECKPOINT = 50


class Workspace:
    """The connection, and what its tables are called and made of."""

    def __init__(self) -> None:
        self.con = memory_connection()
        self.catalog = "memory"
        # A store that is made is attached to this connection, too.
        keep_pattern(self.con)
        migrate(self.con, "memory")
        more = (
            f"ALTER TABLE {table} ADD COLUMN {name} {kind}"
            for table in RECORD_TABLES
            for name, kind in STAGING_ONLY.items()
        )
        self.con.execute(f"BEGIN; {'; '.join(more)}; COMMIT").fetchall()
        self.columns = columns_of_all(self.con)
        self.derived = derived_tables(self.con)
        self._of_runs = frozenset((*RECORD_TABLES, *self.derived)) - {DECLARED}
        self._uses = 0

    @property
    def is_used(self) -> bool:
        """There were runs in it before."""
        return self._uses > 0

    def filled(self, tables: Iterable[str] = OF_RUNS) -> frozenset[str]:
        """Those of the tables that have rows."""
        return filled(self.con, tables, f"{self.catalog}.main")

    def another(self, catalog: str) -> Workspace:
        """A workspace beside this one, in a catalog of its own, with the same tables and a connection for a thread."""
        self.con.execute(f"ATTACH ':memory:' AS {catalog}")
        self.con.execute(f"COPY FROM DATABASE {self.catalog} TO {catalog}").fetchall()
        other = copy(self)
        other.con = self.con.cursor()
        other.catalog = catalog
        other.con.execute(f"SET search_path = '{catalog}.main'")
        return other

    def counts(self, tables: Iterable[str]) -> dict[str, int]:
        """How many rows each of the tables has that has any."""
        arms = " UNION ALL ".join(f"SELECT '{table}', count(*) FROM {table}" for table in tables)
        return {table: count for table, count in self.con.execute(arms).fetchall() if count}

    def empty(self) -> None:
        """No run is left in it. What the portions of an ingest have in common stays."""
        self._empty(LASTING)

    def _empty(self, but: Collection[str]) -> None:
        # A size is not taken back when rows are deleted: an empty table costs a look, never the reverse.
        asked = (
            "SELECT table_name, temporary FROM duckdb_tables() WHERE temporary"
            " OR (database_name = ? AND estimated_size > 0)"
        )
        for table, is_temporary in self.con.execute(asked, [self.catalog]).fetchall():
            if table not in but and (is_temporary or table in self._of_runs):
                self.con.execute(f"DROP TABLE temp.{table}" if is_temporary else f"DELETE FROM {table}").fetchall()

    def renew(self) -> None:
        """It is as it was in the beginning."""
        self._empty(())
        self.con.execute("DROP VIEW IF EXISTS temp.file_paths").fetchall()
        self._uses += 1
        if self._uses % _USES_A_CHECKPOINT == 0:
            self.con.execute("CHECKPOINT memory").fetchall()


class _Kept:
    """The workspace that nobody uses at the moment, if there is one."""

    def __init__(self) -> None:
        self._idle: Workspace | None = None
        self._making: Thread | None = None
        self._lock = Lock()

    def make_ahead(self) -> None:
        with self._lock:
            if self._idle is None and self._making is None:
                self._making = Thread(target=self._make)
                self._making.start()

    def _make(self) -> None:
        # One that cannot be made is made once more by whoever takes one, and the reason said there.
        with suppress(Exception):
            self.keep(Workspace())

    def take(self) -> Workspace:
        with self._lock:
            making, self._making = self._making, None
        if making:
            making.join()
        with self._lock:
            found, self._idle = self._idle, None
        return found or Workspace()

    def keep(self, workspace: Workspace) -> None:
        with self._lock:
            spare, self._idle = self._idle, workspace
        if spare is not None:
            spare.con.close()


@cache
def _kept_by(_pid: int) -> _Kept:
    # By process: a forked child must not use its parent's connection.
    return _Kept()


def make_ahead() -> None:
    """One is being made where none is kept, while this thread does something else."""
    _kept_by(os.getpid()).make_ahead()


def taken(*, unused: bool = False) -> Workspace:
    """An empty workspace, the one that was kept where nobody else has it.

    An `unused` one holds no memory: where that is bounded, what is left of rows that were deleted has no room.
    """
    kept = _kept_by(os.getpid())
    found = kept.take()
    if unused and found.is_used:
        kept.keep(found)
        return Workspace()
    return found


def give_back(workspace: Workspace) -> None:
    """The workspace is empty again, for the next who takes one."""
    workspace.renew()
    _kept_by(os.getpid()).keep(workspace)
