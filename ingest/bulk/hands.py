"""The windows of a file staged by two hands at once: threads, each with a connection and a reader of its own.

DuckDB gives a thread to every 122,880 rows of a table, and a window has fewer: alone it keeps one core busy. More
threads of DuckDB's own than there are processors cost a seventh of the processor's time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, replace
from queue import SimpleQueue
from threading import Event
from typing import Self

import duckdb
import pyarrow as pa

from ingest.bulk.format import IRREGULAR, LINES, BulkFile, BulkFormat, BulkReader, Staged
from ingest.bulk.windows import Window
from ingest.source import DAMAGE
from ingest.staging import HANDS


@dataclass(frozen=True, slots=True)
class Hand:
    """A connection, and the reader on it."""

    con: duckdb.DuckDBPyConnection
    reader: BulkReader

    @classmethod
    def of(cls, bulk: BulkFormat, file: BulkFile) -> Self:
        """The reader of the format, ready for windows of the file."""
        return cls(file.con, bulk.begin(file))

    def stage(self, window: Window, turn: Event) -> Staged:
        """The regular lines are staged, all or none: what SQL stumbles over costs speed and nothing else.

        Not before it is the window's turn: the rows of a file stay in its order.
        """
        self.con.register(LINES, window.lines)
        self.con.begin()
        try:
            staged = self.reader.stage(window.lines) if window.lines.num_rows else Staged(0)
            turn.wait()
            self.con.commit()
        except duckdb.Error:
            # What could not be committed is rolled back already.
            with suppress(duckdb.Error):
                self.con.rollback()
            staged = Staged(0, irregular=_all_of(window, "sql_failed"))
        finally:
            self.con.unregister(LINES)
        return staged


class _Hands:
    """As many hands as are needed at once, taken and given back."""

    def __init__(self, begin: Callable[[], Hand], open_until: ExitStack) -> None:
        self._begin = begin
        self._open_until = open_until
        self._idle: SimpleQueue[Hand] = SimpleQueue()

    def stage(self, window: Window, turn: Event, done: Event) -> Staged:
        hand = self._idle.get()
        try:
            return hand.stage(window, turn)
        finally:
            done.set()
            self._idle.put(hand)

    def one_more(self) -> None:
        hand = self._begin()
        self._open_until.enter_context(closing(hand.con))
        self._idle.put(hand)


def staged_in_order(windows: Iterable[Window], begin: Callable[[], Hand]) -> Iterator[tuple[Window, Staged]]:
    """Every window, without its lines, with what became of it, in the order of the file; any damage comes last."""
    waiting: deque[tuple[Window, Future[Staged]]] = deque()
    turn = Event()
    turn.set()
    found: Exception | None = None
    with ExitStack() as connections, ThreadPoolExecutor(HANDS, "staging") as threads:
        hands = _Hands(begin, connections)
        try:
            for number, window in enumerate(windows):
                if number < HANDS:
                    hands.one_more()
                done = Event()
                left = replace(window, lines=window.lines.schema.empty_table())
                waiting.append((left, threads.submit(hands.stage, window, turn, done)))
                turn = done
                if len(waiting) == HANDS:
                    yield _finished(waiting)
        except DAMAGE as damage:
            found = damage
        while waiting:
            yield _finished(waiting)
    if found is not None:
        raise found


def _finished(waiting: deque[tuple[Window, Future[Staged]]]) -> tuple[Window, Staged]:
    window, staged = waiting.popleft()
    return window, staged.result()


def _all_of(window: Window, reason: str) -> pa.Table:
    reasons = pa.repeat(reason, window.lines.num_rows)
    return window.lines.append_column("reason", reasons).cast(IRREGULAR)
