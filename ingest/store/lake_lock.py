"""Who reads and who writes a lake, told by advisory locks of its PostgreSQL: they end with the connection that took it.

Writers take turns: DuckLake sees no conflict between two inserts, so two ingests that met the same new file would both
store it. Readers mark the snapshot that they read, so that what erases old snapshots can wait for them.
"""

from __future__ import annotations

import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import duckdb

from ingest.store.errors import StoreLocked
from ingest.store.lake_catalog import asked
from ingest.store.lake_errors import LakeChanged, lake_refusals

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from ingest.store.lake_url import LakeAddress

# The first of the two numbers that PostgreSQL tells an advisory lock by; the second says which.
_WRITING = 1_718_182_901
_READING = 1_718_182_902
_ERASING = 1_718_182_903
RECORDS, PEOPLE = 1, 2
# The wait is cut into pieces, so that Ctrl-C ends it and the one who waits can be told of the one who writes.
_PIECE_S = 1.0
_POLL_S = 0.05

_HOLDER = f"""
SELECT a.application_name AS name, a.backend_start::text AS since
FROM pg_locks AS l JOIN pg_stat_activity AS a ON a.pid = l.pid
WHERE l.locktype = 'advisory' AND l.granted AND l.classid = {_WRITING} AND l.objid = {{number}}
  AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
LIMIT 1
"""  # noqa: S608 - numbers of this module
_MARKS = """
SELECT count(*) AS marks FROM pg_locks
WHERE locktype = 'advisory' AND classid = {kind} AND objid {compared} {snapshot}
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""
_NEWEST = "SELECT snapshot_id, snapshot_time FROM ducklake_snapshot ORDER BY snapshot_id DESC LIMIT 1"
_STILL_THERE = "SELECT snapshot_id FROM ducklake_snapshot WHERE snapshot_id = {snapshot}"
_HAS_LAKE = "SELECT to_regclass('ducklake_snapshot') IS NOT NULL AS found"


@dataclass(frozen=True)
class Snapshot:
    """One state of a lake."""

    number: int
    at: datetime


class Mark:
    """A snapshot that is read: nothing that it needs is erased until the mark is taken away."""

    def __init__(self, cursor: duckdb.DuckDBPyConnection, snapshot: Snapshot | None) -> None:
        """Hold the transaction whose lock the mark is; a lake that does not exist yet has no snapshot."""
        self.snapshot = snapshot
        self._cursor = cursor

    def take_away(self) -> None:
        """The snapshot is not read any more."""
        _end(self._cursor)


def marked(cursor: duckdb.DuckDBPyConnection, now: duckdb.DuckDBPyConnection, postgres: str) -> Mark:
    """Mark the newest snapshot; the cursor is the mark's from now on, and `now` sees what is committed at each call."""
    try:
        while True:
            cursor.begin()
            if not asked(cursor, postgres, _HAS_LAKE)[0][0]:
                return Mark(cursor, None)
            number, at = asked(cursor, postgres, _NEWEST)[0]
            snapshot = Snapshot(int(str(number)), at)  # type: ignore[arg-type]
            asked(cursor, postgres, f"SELECT pg_advisory_xact_lock_shared({_READING}, {snapshot.number})::text AS t")
            # Either we see that it is about to be erased, or who erases sees our mark: each marks first and looks then.
            # An erasure that came and went before our mark has taken it away: our transaction sees what was before.
            is_threatened = _marks(cursor, postgres, _ERASING, ">", snapshot.number)
            if not is_threatened and asked(now, postgres, _STILL_THERE.format(snapshot=snapshot.number)):
                return Mark(cursor, snapshot)
            cursor.rollback()
    except BaseException:
        _end(cursor)
        raise


class Writing:
    """The turn to write, which ends with the block that took it."""

    def __init__(self, address: LakeAddress, cursor: duckdb.DuckDBPyConnection, postgres: str) -> None:
        """Hold the transaction whose lock the turn is."""
        self._address = address
        self._cursor = cursor
        self._postgres = postgres

    def require_held(self) -> None:
        """Nobody else can have written meanwhile: the connection that holds the lock still lives."""
        try:
            asked(self._cursor, self._postgres, "SELECT 1 AS alive")
        except duckdb.Error:
            raise LakeChanged(
                f"store {self._address.shown}: the connection to PostgreSQL was lost while writing: "
                "nothing was stored; try again",
            ) from None

    def wait_for_readers(self, before: int, wait_s: float) -> bool:
        """Whether within that time nobody read a snapshot older than this one; from now on nobody begins to."""
        asked(self._cursor, self._postgres, f"SELECT pg_advisory_xact_lock_shared({_ERASING}, {before})::text AS t")
        until = time.monotonic() + wait_s
        while _marks(self._cursor, self._postgres, _READING, "<", before):
            if time.monotonic() > until:
                return False
            time.sleep(_POLL_S)
        return True


@contextmanager
def writing(
    address: LakeAddress,
    fresh: Callable[[], duckdb.DuckDBPyConnection],
    postgres: str,
    number: int,
    wait_s: float,
) -> Iterator[Writing]:
    """Nobody else writes these tables while the block runs, on no machine."""
    cursor = fresh()
    try:
        with lake_refusals(address):
            _take_turn(address, cursor, postgres, number, wait_s)
        yield Writing(address, cursor, postgres)
    finally:
        _end(cursor)


def _take_turn(
    address: LakeAddress, cursor: duckdb.DuckDBPyConnection, postgres: str, number: int, wait_s: float
) -> None:
    until = time.monotonic() + wait_s
    while True:
        piece_ms = max(1, int(1000 * min(_PIECE_S, until - time.monotonic())))
        cursor.begin()
        try:
            asked(cursor, postgres, f"SELECT set_config('lock_timeout', '{piece_ms}', true) AS t")
            asked(cursor, postgres, f"SELECT pg_advisory_xact_lock({_WRITING}, {number})::text AS t")
            return
        except duckdb.Error as cause:
            cursor.rollback()
            if "lock timeout" not in str(cause):
                raise
        if time.monotonic() >= until:
            raise _held(address, asked(cursor, postgres, _HOLDER.format(number=number)), wait_s)


def _marks(cursor: duckdb.DuckDBPyConnection, postgres: str, kind: int, compared: str, snapshot: int) -> int:
    found = asked(cursor, postgres, _MARKS.format(kind=kind, compared=compared, snapshot=snapshot))
    return int(str(found[0][0]))


def _end(cursor: duckdb.DuckDBPyConnection) -> None:
    # The connection may be lost, and with it the transaction.
    with suppress(duckdb.Error):
        cursor.rollback()
    cursor.close()


def _held(address: LakeAddress, holder: list[tuple[object, ...]], wait_s: float) -> StoreLocked:
    who = f"{holder[0][0] or 'another program'} since {str(holder[0][1])[:19]}" if holder else "another writer"
    return StoreLocked(
        f"store {address.shown} is being written by {who.removeprefix('faultlens ')}, waited {wait_s:g} s: "
        "try again when that is done, or stop it",
    )
