"""A store in a lake: Parquet files in a folder or an object store, their catalogue in PostgreSQL.

Any number of machines read it, and write it in turns. What people write has a schema of its own.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from functools import partial
from threading import RLock
from typing import TYPE_CHECKING, Self

import duckdb

from ingest.store import lake_extensions
from ingest.store.catalog import memory_connection
from ingest.store.errors import StoreLocked
from ingest.store.generations import Generation, Generations
from ingest.store.hub import Hub, process_hub
from ingest.store.lake_catalog import attach_postgres, attach_snapshot, equip
from ingest.store.lake_errors import LakeUnreachable, lake_refusals
from ingest.store.lake_lease import LakeLease
from ingest.store.lake_lock import PEOPLE, RECORDS, Mark, Snapshot, marked, writing
from ingest.store.lake_publish import committed, lake_publication
from ingest.store.lake_schema import MAIN, PEOPLES, Schemas, is_up_to_date
from ingest.store.lake_upkeep import compact, erase, erase_values, erasing, is_due, newest_snapshot
from ingest.store.lake_url import lake_address
from ingest.store.lock import WAIT_S
from ingest.store.migrate import Migrations, main_migrations, people_migrations

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ingest.store.lake_lock import Writing
    from ingest.store.lake_publish import LakePublication
    from ingest.store.lake_url import LakeAddress
    from ingest.store.lease import Lease
    from ingest.store.publish import Publication


class _Snapshots(Generations):
    """The snapshots of one lake that are attached, the newest one marked for the lease that is being taken."""

    def __init__(
        self,
        hub: Hub,
        address: LakeAddress,
        schemas: Schemas,
        mark: Callable[[], Mark],
        bring_up_to_date: Callable[[], None],
    ) -> None:
        super().__init__(hub)
        self._address = address
        self._schemas = schemas
        self._mark_newest = mark
        self._bring_up_to_date = bring_up_to_date
        self._mark: Mark | None = None
        self.is_up_to_date = False

    def marked(self) -> tuple[Generation, Mark]:
        """Return the newest generation with one lease more on it, and the mark that keeps it from being erased."""
        try:
            generation = self.take()
        except BaseException:
            self._take_mark_away()
            raise
        mark, self._mark = self._mark, None
        assert mark is not None  # noqa: S101 - `take` asked for the identity
        return generation, mark

    def identity(self) -> int | None:
        self._take_mark_away()
        self._mark = self._mark_newest()
        return self._mark.snapshot.number if self._mark.snapshot else None

    def attached(self, identity: object) -> Generation | None:
        if not isinstance(identity, int):
            return Generation("", None)
        self.is_up_to_date = False
        try:
            alias = self._hub.attach_by(partial(self._attach, identity))
        except duckdb.Error as cause:
            # Only without its mark, whose connection was lost, can a snapshot have gone.
            if "No snapshot found" in str(cause):
                return None
            raise
        try:
            with self._hub.cursor() as cursor:
                self.is_up_to_date = is_up_to_date(cursor, alias, self._schemas, self._address)
            if self.is_up_to_date:
                return Generation(alias, identity)
        except BaseException:
            self._hub.detach(alias)
            raise
        self._hub.detach(alias)
        self._bring_up_to_date()
        return None

    def restless(self) -> StoreLocked:
        return StoreLocked(f"store {self._address.shown} changes too fast to be read: try again")

    def _attach(self, snapshot: int, con: duckdb.DuckDBPyConnection, alias: str) -> None:
        equip(con, self._address)
        attach_snapshot(con, self._address, alias, snapshot)

    def _take_mark_away(self) -> None:
        mark, self._mark = self._mark, None
        if mark is not None:
            mark.take_away()


class LakeStore:
    """A store in a lake, with what people wrote in a schema of its own."""

    def __init__(
        self,
        url: str,
        *,
        hub: Hub | None = None,
        migrations: Migrations | None = None,
        people: Migrations | None = None,
    ) -> None:
        """Read the URL; the lake need not exist, and nothing is opened yet."""
        self._address = lake_address(url)
        lake_extensions.check()
        self._hub = hub or process_hub()
        self._schemas = Schemas(
            main_migrations() if migrations is None else migrations,
            people_migrations() if people is None else people,
        )
        self._snapshots = _Snapshots(self._hub, self._address, self._schemas, self._marked, self._bring_up_to_date)
        self._postgres_alias: str | None = None
        self._lock = RLock()

    @property
    def url(self) -> str:
        """Return what names this store to people, without a password."""
        return self._address.shown

    def lease(self) -> Lease:
        """Return a lease on the newest snapshot; a lake that does not exist reads as empty."""
        try:
            return self._lease()
        except LakeUnreachable:
            # What was attached before PostgreSQL was started anew is dead; what is attached now is not.
            self.close()
            return self._lease()

    @contextmanager
    def publication(
        self,
        con: duckdb.DuckDBPyConnection,
        *,
        wait_s: float = WAIT_S,
    ) -> Iterator[Publication]:
        """Publish a change of the records; see `lake_publish`."""
        turn = partial(self._turn, RECORDS, wait_s)
        # Who ingests has read the store before: then its version is known.
        outdated = None if self._snapshots.is_up_to_date else self._schemas
        with lake_publication(self._address, con, turn, MAIN, outdated) as (draft, writing):
            with committed(self._address, draft, writing):
                yield draft
            if not draft.discarded:
                self._keep_up(con, draft, writing)
        if draft.rewritten:
            with erasing(self._address):
                erase_values(self._address)

    @contextmanager
    def people_publication(
        self,
        con: duckdb.DuckDBPyConnection,
        *,
        wait_s: float = WAIT_S,
    ) -> Iterator[Publication]:
        """Publish a change of what people wrote; it does not wait for an ingest."""
        with self.lease() as lease:
            is_there = lease.as_of is not None
        if not is_there:
            self._bring_up_to_date()
        turn = partial(self._turn, PEOPLE, wait_s)
        with (
            lake_publication(self._address, con, turn, PEOPLES, None) as (draft, writing),
            committed(self._address, draft, writing),
        ):
            yield draft

    def close(self) -> None:
        """Nothing of this store stays attached, except what is still on lease."""
        with self._lock:
            self._snapshots.close()
            alias, self._postgres_alias = self._postgres_alias, None
            if alias:
                self._hub.detach(alias)

    def __enter__(self) -> Self:
        """Return the store itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the store."""
        self.close()

    def _lease(self) -> Lease:
        with self._lock, lake_refusals(self._address):
            generation, mark = self._snapshots.marked()
        return LakeLease(
            self._hub,
            self._search_path(generation),
            _name(mark.snapshot),
            mark.snapshot.at if mark.snapshot else None,
            lambda: self._give_back(generation, mark),
            address=self._address,
        )

    def _search_path(self, generation: Generation) -> str:
        if generation.is_empty_stand_in:
            return f"{self._hub.empty(self._schemas.records)}.main,{self._hub.empty(self._schemas.people)}.main"
        return f"{generation.alias}.{MAIN},{generation.alias}.{PEOPLES}"

    def _give_back(self, generation: Generation, mark: Mark) -> None:
        mark.take_away()
        with self._lock:
            self._snapshots.give_back(generation)

    def _marked(self) -> Mark:
        with self._hub.cursor() as now:
            return marked(self._hub.cursor(), now, self._postgres())

    def _postgres(self) -> str:
        """The PostgreSQL database, attached to the hub."""
        with self._lock:
            if self._postgres_alias is None:
                self._postgres_alias = self._hub.attach_by(self._attach_postgres, "p")
            return self._postgres_alias

    def _attach_postgres(self, con: duckdb.DuckDBPyConnection, alias: str) -> None:
        equip(con, self._address)
        attach_postgres(con, self._address, alias)

    @contextmanager
    def _turn(self, number: int, wait_s: float) -> Iterator[Writing]:
        with lake_refusals(self._address):
            postgres = self._postgres()
        with writing(self._address, self._hub.cursor, postgres, number, wait_s) as turn:
            yield turn

    def _keep_up(self, con: duckdb.DuckDBPyConnection, draft: LakePublication, writing: Writing) -> None:
        """What was deleted for good is gone; small files are few."""
        if draft.rewritten:
            with erasing(self._address), self._turn(PEOPLE, WAIT_S):
                erase(self._address, writing)
        elif is_due(draft.before, newest_snapshot(con, draft.lake)):
            # What was published stays published; what could not be done now falls due again.
            with suppress(duckdb.Error):
                compact(self._address)

    def _bring_up_to_date(self) -> None:
        """The lake exists and has the newest schema."""
        with memory_connection() as con, self.publication(con) as draft:
            draft.discard()


def _name(snapshot: Snapshot | None) -> str:
    return f"s{snapshot.number}" if snapshot else "empty"
