"""The reader's side: leases on generations of a store, attached to one hub."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from hashlib import blake2s
from itertools import count
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, Self

from ingest.store.catalog import attach_memory, attach_read_only, detach, memory_connection, refusals
from ingest.store.errors import StoreLocked, StoreMissing
from ingest.store.lock import WAIT_S
from ingest.store.migrate import (
    Migrations,
    main_migrations,
    migrate,
    newest,
    people_migrations,
    usable_version,
)
from ingest.store.paths import people_path
from ingest.store.publish import Publication, bring_up_to_date, publication

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager

    import duckdb

    Parameters = Sequence[object] | Mapping[str, object]

_ATTEMPTS = 100

# (inode, mtime_ns, size): another one is another generation.
Identity = tuple[int, int, int]


class Hub:
    """One in-memory connection to which every generation is attached."""

    def __init__(self) -> None:
        """Open the connection; nothing is attached."""
        self._con = memory_connection()
        self._lock = RLock()
        self._numbers = count(1)
        self._empties: dict[Migrations, str] = {}

    def cursor(self, search_path: str = "memory.main") -> duckdb.DuckDBPyConnection:
        """Return a fresh cursor that finds tables along this path."""
        with self._lock:
            cursor = self._con.cursor()
        cursor.execute(f"SET search_path = '{search_path}'")
        return cursor

    def attach(self, path: Path) -> str:
        """Attach the file that lies at this path now; return its alias."""
        alias = f"g{next(self._numbers)}"
        with self._lock:
            attach_read_only(self._con, path, alias)
        return alias

    def empty(self, migrations: Migrations) -> str:
        """Return the alias of an empty catalog with this schema; there is one for each schema."""
        with self._lock:
            if migrations not in self._empties:
                self._empties[migrations] = self._attach_empty(migrations)
            return self._empties[migrations]

    def detach(self, alias: str) -> None:
        """Let go of a generation."""
        with self._lock:
            detach(self._con, alias)

    def version(self, alias: str, migrations: Migrations, path: Path) -> int:
        """Return the schema version of a generation, which this code knows."""
        with self._lock:
            return usable_version(self._con, alias, migrations, path)

    def attached(self) -> list[str]:
        """Return the aliases of every generation that came from a file."""
        with self.cursor() as cursor:
            cursor.execute("SELECT database_name FROM duckdb_databases() WHERE path IS NOT NULL ORDER BY 1")
            return [name for (name,) in cursor.fetchall()]

    def close(self) -> None:
        """Close the connection with everything attached to it."""
        with self._lock:
            self._con.close()

    def _attach_empty(self, migrations: Migrations) -> str:
        alias = f"e{next(self._numbers)}"
        attach_memory(self._con, alias)
        migrate(self._con, alias, migrations)
        return alias


def process_hub() -> Hub:
    """Return the one hub of this process."""
    return _hub_of(os.getpid())


@cache
def _hub_of(_pid: int) -> Hub:
    # By process: a forked child must not use its parent's connection.
    return Hub()


@dataclass(eq=False)
class _Generation:
    """What one file held at one time, and how many leases read it."""

    alias: str
    identity: Identity | None
    leases: int = 0

    @property
    def is_empty_stand_in(self) -> bool:
        return self.identity is None


class _File:
    """One file of a store, with its newest generation and the older ones still on lease."""

    def __init__(self, hub: Hub, path: Path, migrations: Migrations) -> None:
        self._hub = hub
        self._path = path
        self._migrations = migrations
        self._newest: _Generation | None = None

    def take(self) -> _Generation:
        """Return the newest generation with one lease more on it."""
        if self._newest is None or self._newest.identity != _identity(self._path):
            self._succeed_by(self._attached())
        assert self._newest is not None  # noqa: S101 - set one line above
        self._newest.leases += 1
        return self._newest

    def give_back(self, generation: _Generation) -> None:
        """Count one lease less; the last one of an old generation lets go of it."""
        generation.leases -= 1
        if generation is not self._newest:
            self._let_go(generation)

    def close(self) -> None:
        """No generation stays attached, except those still on lease."""
        self._succeed_by(None)

    def _succeed_by(self, generation: _Generation | None) -> None:
        old, self._newest = self._newest, generation
        if old is not None:
            self._let_go(old)

    def _let_go(self, generation: _Generation) -> None:
        if generation.leases == 0 and not generation.is_empty_stand_in:
            self._hub.detach(generation.alias)

    def _attached(self) -> _Generation:
        for _ in range(_ATTEMPTS):
            with suppress(StoreMissing):
                if generation := self._attached_unless_replaced():
                    return generation
        raise _restless(self._path)

    def _attached_unless_replaced(self) -> _Generation | None:
        """Return the generation, or None when the file was replaced under the attach."""
        identity = _identity(self._path)
        if identity is None:
            return _Generation(self._hub.empty(self._migrations), None)
        alias = self._hub.attach(self._path)
        if _identity(self._path) == identity and self._is_up_to_date(alias):
            return _Generation(alias, identity)
        self._hub.detach(alias)
        return None

    def _is_up_to_date(self, alias: str) -> bool:
        """Return whether the schema is the newest; if not, the file is migrated now."""
        try:
            if self._hub.version(alias, self._migrations, self._path) == newest(self._migrations):
                return True
        except BaseException:
            self._hub.detach(alias)
            raise
        bring_up_to_date(self._path, migrations=self._migrations)
        return False


class Lease:
    """One generation, which stays readable and the same until the lease is closed."""

    def __init__(
        self,
        hub: Hub,
        search_path: str,
        generation: str,
        as_of: datetime | None,
        give_back: Callable[[], None],
    ) -> None:
        """Hold what was taken; `give_back` is called once, on close."""
        self.generation = generation
        self.as_of = as_of
        self._hub = hub
        self._search_path = search_path
        self._give_back: Callable[[], None] | None = give_back
        self._cursors: list[duckdb.DuckDBPyConnection] = []
        self._lock = RLock()

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """Return a fresh cursor for one query; it is closed with the lease."""
        with self._lock:
            cursor = self._fresh()
            self._cursors.append(cursor)
            return cursor

    def rows(self, sql: str, params: Parameters | None = None) -> list[dict[str, Any]]:
        """Return every row of one query, by column name."""
        with self._fresh() as cursor:
            cursor.execute(sql, params)
            names = [column[0] for column in cursor.description or ()]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def close(self) -> None:
        """Give the generation back; a second close does nothing."""
        with self._lock:
            give_back, self._give_back = self._give_back, None
            while self._cursors:
                self._cursors.pop().close()
        if give_back is not None:
            give_back()

    def __enter__(self) -> Self:
        """Return the lease itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the lease."""
        self.close()

    def _fresh(self) -> duckdb.DuckDBPyConnection:
        if self._give_back is None:
            raise _closed()
        return self._hub.cursor(self._search_path)


class Store:
    """A store in a DuckDB file, with what people wrote in a file of its own beside it."""

    def __init__(
        self,
        path: Path | str,
        *,
        hub: Hub | None = None,
        migrations: Migrations | None = None,
        people: Migrations | None = None,
    ) -> None:
        """Name the files; they need not exist, and nothing is opened yet."""
        self.path = Path(path).absolute()
        self.people_path = people_path(self.path)
        self._hub = hub or process_hub()
        self._main_schema = main_migrations() if migrations is None else migrations
        self._people_schema = people_migrations() if people is None else people
        self._main = _File(self._hub, self.path, self._main_schema)
        self._people = _File(self._hub, self.people_path, self._people_schema)
        self._lock = RLock()

    @property
    def url(self) -> str:
        """Return what names this store on a command line."""
        return str(self.path)

    def lease(self) -> Lease:
        """Return a lease on the newest generation; a file that does not exist reads as empty."""
        with self._lock:
            main = self._main.take()
            try:
                people = self._people.take()
            except BaseException:
                self._main.give_back(main)
                raise
        return Lease(
            self._hub,
            f"{main.alias}.main,{people.alias}.main",
            _digest(self.path, main.identity, people.identity),
            _changed_at(main.identity),
            lambda: self._give_back(main, people),
        )

    def publication(
        self,
        con: duckdb.DuckDBPyConnection,
        *,
        wait_s: float = WAIT_S,
    ) -> AbstractContextManager[Publication]:
        """Publish a change of the records; see `publish.publication`."""
        return publication(self.path, con, migrations=self._main_schema, wait_s=wait_s)

    def people_publication(
        self,
        con: duckdb.DuckDBPyConnection,
        *,
        wait_s: float = WAIT_S,
    ) -> AbstractContextManager[Publication]:
        """Publish a change of what people wrote; see `publish.publication`."""
        return publication(self.people_path, con, migrations=self._people_schema, wait_s=wait_s)

    def close(self) -> None:
        """Nothing of this store stays attached, except what is still on lease."""
        with self._lock:
            self._main.close()
            self._people.close()

    def __enter__(self) -> Self:
        """Return the store itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the store."""
        self.close()

    def _give_back(self, main: _Generation, people: _Generation) -> None:
        with self._lock:
            self._main.give_back(main)
            self._people.give_back(people)


def _identity(path: Path) -> Identity | None:
    with refusals(path):
        try:
            found = path.stat()
        except (FileNotFoundError, NotADirectoryError):
            return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def _digest(path: Path, *identities: Identity | None) -> str:
    return blake2s(repr((str(path), identities)).encode(), digest_size=8).hexdigest()


def _changed_at(identity: Identity | None) -> datetime | None:
    return None if identity is None else datetime.fromtimestamp(identity[1] / 1e9, tz=UTC)


def _restless(path: Path) -> StoreLocked:
    return StoreLocked(f"store {path} is replaced too fast to be opened: try again when its writers pause")


def _closed() -> RuntimeError:
    return RuntimeError("this lease was given back: take a new one for the next query")
