"""One in-memory connection of a process, to which everything that is read is attached."""

from __future__ import annotations

import os
from functools import cache, cached_property
from itertools import count
from threading import RLock
from typing import TYPE_CHECKING

from ingest.store.catalog import attach_memory, attach_read_only, detach, memory_connection
from ingest.store.migrate import Migrations, migrate, usable_version

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import duckdb


class Hub:
    """One in-memory connection to which every generation is attached."""

    def __init__(self) -> None:
        """Nothing is attached, and no connection open until something is."""
        self._lock = RLock()
        self._numbers = count(1)
        self._empties: dict[Migrations, str] = {}

    @cached_property
    def _con(self) -> duckdb.DuckDBPyConnection:
        # Whoever asks for it holds the lock.
        return memory_connection()

    def cursor(self, search_path: str = "memory.main") -> duckdb.DuckDBPyConnection:
        """Return a fresh cursor that finds tables along this path."""
        with self._lock:
            cursor = self._con.cursor()
        cursor.execute(f"SET search_path = '{search_path}'")
        return cursor

    def attach(self, path: Path) -> str:
        """Attach the file that lies at this path now; return its alias."""
        return self.attach_by(lambda con, alias: attach_read_only(con, path, alias))

    def attach_by(self, attach: Callable[[duckdb.DuckDBPyConnection, str], None], letter: str = "g") -> str:
        """Attach what `attach` makes of the connection and an alias that nobody has; return the alias."""
        alias = f"{letter}{next(self._numbers)}"
        # Another session's query does not wait until a server far away has answered.
        with self.cursor() as cursor:
            attach(cursor, alias)
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
