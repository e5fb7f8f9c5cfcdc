"""How long a query may take: beyond that it is interrupted, so that nobody waits for it without end."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING

import duckdb

from ingest.store.errors import FaultlensError

if TYPE_CHECKING:
    from collections.abc import Iterator

# An interrupt that came just before the query began is lost: it is said again.
_AGAIN_S = 0.2


class TookTooLong(FaultlensError):
    """A query was interrupted, because it took longer than it may."""

    def __init__(self, seconds: float) -> None:
        """Hold the limit that was passed."""
        super().__init__(f"a query took longer than {seconds:g} s and was stopped")
        self.seconds = seconds


@contextmanager
def at_most(seconds: float | None, cursor: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """What this cursor does inside is over after so many seconds; other cursors go on. None: as long as it takes."""
    if seconds is None:
        yield
        return
    over = Event()
    watch = Thread(target=_interrupt, args=(seconds, cursor, over), daemon=True)
    watch.start()
    try:
        yield
    except duckdb.InterruptException:
        raise TookTooLong(seconds) from None
    finally:
        over.set()
        watch.join()


def _interrupt(seconds: float, cursor: duckdb.DuckDBPyConnection, over: Event) -> None:
    wait = seconds
    while not over.wait(wait):
        cursor.interrupt()
        wait = _AGAIN_S
