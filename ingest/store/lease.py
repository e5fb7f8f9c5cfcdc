"""What a reader holds: one generation of a store, which stays readable and the same until it is given back."""

from __future__ import annotations

from threading import RLock
from typing import TYPE_CHECKING, Any, Self

from ingest.store.time_limit import at_most

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    import duckdb

    from ingest.store.hub import Hub

    Parameters = Sequence[object] | Mapping[str, object]


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
        # What one query may take; None: as long as it takes.
        self.seconds_a_query: float | None = None
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
        with self._fresh() as cursor, at_most(self.seconds_a_query, cursor):
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


def _closed() -> RuntimeError:
    return RuntimeError("this lease was given back: take a new one for the next query")
