"""A store in a DuckDB file: leases on the generations of two files."""

from __future__ import annotations

from datetime import UTC, datetime
from hashlib import blake2s
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Self

from ingest.store.catalog import refusals
from ingest.store.errors import StoreLocked
from ingest.store.generations import Generation, Generations
from ingest.store.hub import Hub, process_hub
from ingest.store.lease import Lease
from ingest.store.lock import WAIT_S
from ingest.store.migrate import Migrations, main_migrations, newest, people_migrations
from ingest.store.paths import people_path
from ingest.store.publish import Publication, bring_up_to_date, publication

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    import duckdb

__all__ = ["Hub", "Lease", "Store", "process_hub"]

# (inode, mtime_ns, size): another one is another generation.
Identity = tuple[int, int, int]


class _File(Generations):
    """The generations of one file of a store."""

    def __init__(self, hub: Hub, path: Path, migrations: Migrations) -> None:
        super().__init__(hub)
        self._path = path
        self._migrations = migrations

    def identity(self) -> Identity | None:
        return _identity(self._path)

    def attached(self, identity: object) -> Generation | None:
        if identity is None:
            return Generation(self._hub.empty(self._migrations), None)
        alias = self._hub.attach(self._path)
        # The file may have been replaced under the attach.
        if self.identity() == identity and self._is_up_to_date(alias):
            return Generation(alias, identity)
        self._hub.detach(alias)
        return None

    def restless(self) -> StoreLocked:
        return StoreLocked(f"store {self._path} is replaced too fast to be opened: try again when its writers pause")

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

    @property
    def is_there(self) -> bool:
        """Return whether there is a file of records; one that is not there reads as empty."""
        return self._main.identity() is not None

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

    def _give_back(self, main: Generation, people: Generation) -> None:
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


def _digest(path: Path, *identities: object) -> str:
    return blake2s(repr((str(path), identities)).encode(), digest_size=8).hexdigest()


def _changed_at(identity: object) -> datetime | None:
    return datetime.fromtimestamp(identity[1] / 1e9, tz=UTC) if isinstance(identity, tuple) else None
