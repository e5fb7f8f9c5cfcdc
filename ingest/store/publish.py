"""The writer's side: a store changes by a new file taking the place of the old one, or not at all."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from ingest.store.catalog import attach_read_only, attach_writable, detach, memory_connection, refusals
from ingest.store.errors import duckdb_refusal
from ingest.store.lock import WAIT_S, writer_lock
from ingest.store.migrate import Migrations, main_migrations, migrate, usable_version
from ingest.store.paths import next_path, rewritten_path, unfinished_files, wal_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_numbers = count(1)


class Publication:
    """The next generation of a store, which the connection knows as `alias`."""

    # Several connections may write to it at once.
    takes_hands = False

    def __init__(self, con: duckdb.DuckDBPyConnection, alias: str) -> None:
        """Name the generation to come; nothing is attached yet."""
        self.alias = alias
        self.discarded = False
        self.rewritten = False
        self._con = con
        self._cursors: list[duckdb.DuckDBPyConnection] = []

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """Return a fresh cursor in which the store's tables need no alias."""
        cursor = self._con.cursor()
        cursor.execute(f"SET search_path = '{self.alias}.main'")
        self._cursors.append(cursor)
        return cursor

    def delete_runs(self, con: duckdb.DuckDBPyConnection, table: str) -> None:
        """The table has no rows of the runs that stand in `replaced` of the connection."""
        con.execute(
            f"DELETE FROM {self.alias}.{table} WHERE run_id IN (SELECT run_id FROM replaced)",  # noqa: S608 - our names
        ).fetchall()

    def insert_staged(self, con: duckdb.DuckDBPyConnection, table: str, columns: str, order: str | None) -> None:
        """The table has the rows of the connection's table of the same name besides its own."""
        rows = f"SELECT {columns} FROM {table}" + (f" ORDER BY {order}" if order else "")  # noqa: S608 - our own names
        con.execute(f"INSERT INTO {self.alias}.{table} ({columns}) {rows}").fetchall()

    def within(self, con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
        """The connection over which what was written so far is read under the alias, and more is written."""
        return con

    def bring(self, con: duckdb.DuckDBPyConnection, name: str, statement: str) -> None:
        """The connection of `within` has what the statement gives on the other one, under that name."""
        con.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS {statement}").fetchall()

    def roll_back(self) -> None:
        """Nothing that was not committed is waiting any more."""
        for cursor in self._cursors:
            cursor.close()
        # The caller may have left a transaction open, and there may be none.
        with suppress(duckdb.Error):
            self._con.rollback()

    def discard(self) -> None:
        """Nothing is published: the store stays as it is, to the generation."""
        self.discarded = True

    def rewrite(self) -> None:
        """The published file holds no byte of what was deleted."""
        self.rewritten = True


class FilePublication(Publication):
    """The next generation of a store in a file, attached for writing."""

    takes_hands = True

    def __init__(self, con: duckdb.DuckDBPyConnection, store: Path) -> None:
        """Name the file that is to be replaced."""
        super().__init__(con, f"next_{next(_numbers)}")
        self.store = store
        self.migrated = False


def has_key_of(other: str, table: str, keys: Sequence[str]) -> str:
    """The condition that a row of the table has the keys of a row of the other; NULL is a key like any other."""
    same = " AND ".join(f"{other}.{key} IS NOT DISTINCT FROM {table}.{key}" for key in keys)
    return f"EXISTS (SELECT 1 FROM {other} WHERE {same})"  # noqa: S608 - our own names


@contextmanager
def publication(
    store: Path | str,
    con: duckdb.DuckDBPyConnection,
    *,
    migrations: Migrations | None = None,
    wait_s: float = WAIT_S,
) -> Iterator[FilePublication]:
    """Publish what the block writes under the alias; after any exception the old store is untouched."""
    # A link stays a link: its target is what is replaced.
    real = Path(os.path.realpath(store))
    draft = FilePublication(con, real)
    with writer_lock(real, wait_s):
        try:
            _prepare(draft, con, main_migrations() if migrations is None else migrations)
            with _full_disk_named(draft.store):
                yield draft
            if not draft.discarded:
                _publish(draft, con)
        finally:
            _clear(draft, con)


def ensure_store(path: Path | str, *, migrations: Migrations | None = None, wait_s: float = WAIT_S) -> None:
    """There is a store at this path: the one that was there, or an empty one."""
    if not Path(path).exists():
        bring_up_to_date(path, migrations=migrations, wait_s=wait_s)


def bring_up_to_date(path: Path | str, *, migrations: Migrations | None = None, wait_s: float = WAIT_S) -> None:
    """The store exists and has the newest schema."""
    with (
        memory_connection() as con,
        publication(path, con, migrations=migrations, wait_s=wait_s) as draft,
    ):
        # Another process may have done it while this one waited for the lock.
        if not draft.migrated:
            draft.discard()


def _prepare(draft: FilePublication, con: duckdb.DuckDBPyConnection, migrations: Migrations) -> None:
    with refusals(draft.store), con.cursor() as cursor:
        _remove_unfinished(draft.store)
        if draft.store.exists():
            _copy_checked(cursor, draft.store, migrations)
        attach_writable(cursor, next_path(draft.store), draft.alias)
        draft.migrated = migrate(cursor, draft.alias, migrations)


@contextmanager
def _full_disk_named(store: Path) -> Iterator[None]:
    """An error of the caller's SQL that is about the draft's file is one line about the store."""
    try:
        yield
    except duckdb.Error as cause:
        if str(next_path(store)) in str(cause):
            raise duckdb_refusal(store, cause) from cause
        raise


def _copy_checked(cursor: duckdb.DuckDBPyConnection, store: Path, migrations: Migrations) -> None:
    alias = f"old_{next(_numbers)}"
    try:
        # Attached while it is copied: DuckDB then keeps programs out that write in place.
        attach_read_only(cursor, store, alias)
        usable_version(cursor, alias, migrations, store)
        _copy(store, next_path(store))
    finally:
        detach(cursor, alias)


def _copy(store: Path, draft: Path) -> None:
    shutil.copyfile(store, draft)
    shutil.copymode(store, draft)
    # Left by a program that wrote in place and died: its changes belong to the store.
    with suppress(FileNotFoundError):
        shutil.copyfile(wal_path(store), wal_path(draft))


def _publish(draft: FilePublication, con: duckdb.DuckDBPyConnection) -> None:
    with refusals(draft.store), con.cursor() as cursor:
        cursor.execute(f"CHECKPOINT {draft.alias}").fetchall()
        finished = _rewritten(cursor, draft) if draft.rewritten else next_path(draft.store)
        cursor.execute(f"DETACH {draft.alias}")
        _require_let_go(cursor, next_path(draft.store))
        _replace(finished, draft.store)


def _require_let_go(cursor: duckdb.DuckDBPyConnection, path: Path) -> None:
    """No open transaction or result can write to this file any more."""
    # DuckDB detaches a file in use without a word; a commit after that would change a published store in place.
    alias = f"probe_{next(_numbers)}"
    attach_read_only(cursor, path, alias)
    detach(cursor, alias)


def _rewritten(cursor: duckdb.DuckDBPyConnection, draft: FilePublication) -> Path:
    path, alias = rewritten_path(draft.store), f"{draft.alias}_rewritten"
    attach_writable(cursor, path, alias)
    try:
        cursor.execute(f"COPY FROM DATABASE {draft.alias} TO {alias}").fetchall()
        cursor.execute(f"CHECKPOINT {alias}").fetchall()
    finally:
        detach(cursor, alias)
    shutil.copymode(next_path(draft.store), path)
    return path


def _replace(finished: Path, store: Path) -> None:
    _sync(finished)
    finished.replace(store)
    wal_path(store).unlink(missing_ok=True)
    _sync(store.parent)


def _sync(path: Path) -> None:
    """The disk holds this file, or this folder's names."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _clear(draft: FilePublication, con: duckdb.DuckDBPyConnection) -> None:
    """Nothing of an unpublished draft is left; after a published one there is nothing to do."""
    if next_path(draft.store).exists():
        draft.roll_back()
        with con.cursor() as cursor:
            detach(cursor, draft.alias)
    with suppress(OSError):
        _remove_unfinished(draft.store)


def _remove_unfinished(store: Path) -> None:
    for path in unfinished_files(store):
        path.unlink(missing_ok=True)
