"""Where runs are put together and derived: a connection with the store's tables, empty, and with a few columns more.

Making one costs more than a small ingest, so each process keeps one that is empty again for the next.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from functools import cache
from threading import Lock

from ingest import rollups
from ingest.derive.conditions import filled
from ingest.store.catalog import memory_connection
from ingest.store.migrate import migrate
from ingest.tables import DECLARED, OF_RUNS, RECORD_TABLES, STAGING_ONLY, WITHOUT_RUN, columns_of_all, derived_tables

# What the portions of an ingest have in common (see `ingest.affected`), and outlives each of them.
LASTING = ("affected", "renamed", "portions", "new_paths", "seen_units", *rollups.lasting(), *WITHOUT_RUN)
# Rows that were deleted keep their memory until the next checkpoint.
_USES_A_CHECKPOINT = 50


class Workspace:
    """The connection, and what its tables are called and made of."""

    def __init__(self) -> None:
        self.con = memory_connection()
        migrate(self.con, "memory")
        for table in RECORD_TABLES:
            for name, kind in STAGING_ONLY.items():
                self.con.execute(f"ALTER TABLE {table} ADD COLUMN {name} {kind}").fetchall()
        self.columns = columns_of_all(self.con)
        self.derived = derived_tables(self.con)
        self._of_runs = frozenset((*RECORD_TABLES, *self.derived)) - {DECLARED}
        self._uses = 0

    def filled(self, tables: Iterable[str] = OF_RUNS) -> frozenset[str]:
        """Those of the tables that have rows."""
        return filled(self.con, tables)

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
            " OR (database_name = 'memory' AND estimated_size > 0)"
        )
        for table, is_temporary in self.con.execute(asked).fetchall():
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
        self._lock = Lock()

    def take(self) -> Workspace:
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


def taken() -> Workspace:
    """An empty workspace, the one that was kept where nobody else has it."""
    return _kept_by(os.getpid()).take()


def give_back(workspace: Workspace) -> None:
    """The workspace is empty again, for the next who takes one."""
    workspace.renew()
    _kept_by(os.getpid()).keep(workspace)
