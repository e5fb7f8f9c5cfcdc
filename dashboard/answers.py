"""Answers that all sessions of a server share: each question is asked once for each generation of the store.

An answer is handed out as it is, to every session that asks: nobody may change it. A session that asks what another is
just asking waits for that answer alone, and no lock is held while anything is asked.
"""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, fields, is_dataclass
from threading import Lock
from typing import Any, TypeVar, cast

from ingest.store.errors import FaultlensError

T = TypeVar("T")
# Rows whose size is measured; that of the others is estimated from them.
MEASURED = 100


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of one generation of a store, under the settings of that moment."""

    store: str
    generation: str
    settings: str
    name: str
    parameters: tuple[tuple[str, Hashable], ...]

    @property
    def query(self) -> str:
        """The query's own name, without its module."""
        return self.name.rpartition(".")[2]


class QueryTooSlow(FaultlensError):
    """A query of a page took longer than it may; it is not asked again before somebody wants it to be."""

    def __init__(self, question: Question, seconds: float) -> None:
        """Hold what was asked, and the limit that was passed."""
        super().__init__(f"query {question.query} took longer than {seconds:g} s and was stopped")
        self.question = question
        self.seconds = seconds


class Answers:
    """The answers of the newest generation of each store, the last used of them, within so many bytes."""

    def __init__(self, most_bytes: int) -> None:
        """Nothing was asked yet."""
        self.most_bytes = most_bytes
        self.bytes = 0
        self._lock = Lock()
        self._kept: OrderedDict[Question, tuple[Any, int]] = OrderedDict()
        self._asking: dict[Question, Future[Any]] = {}
        # With the limit, not the error: one that is raised again and again holds every page it was raised in.
        self._slow: dict[Question, float] = {}
        self._newest: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def reads(self, store: str, generation: str) -> None:
        """From now on this is the newest generation of the store; answers of others are dropped."""
        with self._lock:
            if self._newest.get(store) == generation:
                return
            self._newest[store] = generation
            for question in [kept for kept in self._kept if self._is_old(kept)]:
                self._drop(question)
            self._slow = {slow: seconds for slow, seconds in self._slow.items() if not self._is_old(slow)}

    def answer(self, question: Question, asked: Callable[[], T]) -> T:
        """The answer: kept, just being asked by another session, or asked now."""
        while True:
            with self._lock:
                if question in self._kept:
                    self._kept.move_to_end(question)
                    return cast("T", self._kept[question][0])
                if question in self._slow:
                    raise QueryTooSlow(question, self._slow[question])
                others = self._asking.get(question)
                own: Future[Any] = self._asking.setdefault(question, Future())
            if others is None:
                return self._ask(question, asked, own)
            try:
                return cast("T", others.result())
            except CancelledError:
                continue

    def forget(self, question: Question) -> None:
        """The question is asked again by whoever asks next."""
        with self._lock:
            self._slow.pop(question, None)
            self._drop(question)

    def clear(self) -> None:
        """As if nothing had been asked."""
        with self._lock:
            self._kept.clear()
            self._slow.clear()
            self._newest.clear()
            self.bytes = 0

    def _ask(self, question: Question, asked: Callable[[], T], own: Future[Any]) -> T:
        try:
            answer = asked()
            size = size_of(answer)
        except BaseException as error:
            with self._lock:
                del self._asking[question]
                if isinstance(error, QueryTooSlow) and not self._is_old(question):
                    self._slow[question] = error.seconds
            if isinstance(error, Exception):
                own.set_exception(error)
            else:  # this session was ended, the others were not: one of them asks anew
                own.cancel()
            raise
        with self._lock:
            del self._asking[question]
            self._keep(question, answer, size)
        own.set_result(answer)
        return answer

    def _keep(self, question: Question, answer: object, size: int) -> None:
        if self._is_old(question) or size > self.most_bytes:
            return
        self._kept[question] = (answer, size)
        self.bytes += size
        while self.bytes > self.most_bytes:
            self._drop(next(iter(self._kept)))

    def _drop(self, question: Question) -> None:
        _, size = self._kept.pop(question, (None, 0))
        self.bytes -= size

    def _is_old(self, question: Question) -> bool:
        return self._newest.get(question.store, question.generation) != question.generation


def size_of(answer: object) -> int:
    """About how many bytes of memory an answer holds, from a sample of its rows."""
    rows = getattr(answer, "rows", None)
    if not isinstance(rows, tuple) or not rows:
        return _bytes(answer)
    sample = rows[:: max(1, len(rows) // MEASURED)]
    return sys.getsizeof(rows) + len(rows) * sum(map(_bytes, sample)) // len(sample)


def _bytes(value: object) -> int:
    """The value and what it holds; what several values share is counted for each."""
    own = sys.getsizeof(value)
    if isinstance(value, tuple | list | frozenset | set):
        return own + sum(map(_bytes, value))
    if isinstance(value, dict):
        return own + sum(_bytes(key) + _bytes(item) for key, item in value.items())
    if is_dataclass(value):
        return own + sum(_bytes(getattr(value, field.name)) for field in fields(value))
    return own
