"""The portions of an ingest put together by two hands at once: threads, each with a workspace of its own.

A portion is derived in many small statements, of which DuckDB gives few to more than one thread: alone it keeps one
core busy. What is written becomes part of the draft in the order of the portions. The hands share a bounded memory: a
portion that finds none left is put together once more, when it is its turn and no other hand is at work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Condition, Event

import duckdb

from ingest import affected, rollups, units
from ingest.affected import Portion
from ingest.staging import HANDS, Staging
from ingest.store.publish import Publication


@dataclass(frozen=True, slots=True)
class Hand:
    """The staged records beside a workspace, what is noted of it, and how to wait for the turn to commit."""

    staging: Staging
    account: rollups.Account
    wait: Callable[[], object] = bool

    def give_up(self, *, had_notes: bool) -> None:
        """Nothing of the portion is left, neither in the workspace nor in the draft."""
        # The memory may have been gone before a transaction was begun.
        with suppress(duckdb.TransactionException):
            self.staging.con.rollback()
        self.account.has_notes = had_notes
        self.staging.workspace.empty()


class _Room:
    """Where the hands work: many, or one alone."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._working = 0
        self._is_alone = False

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Others may be at work."""
        self._enter()
        try:
            yield
        finally:
            self._leave()

    def leave_until(self, turn: Event) -> None:
        """Between two things that a hand does, it is not at work."""
        self._leave()
        turn.wait()
        self._enter()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """No other is at work until the end."""
        with self._changed:
            self._changed.wait_for(lambda: not self._is_alone and not self._working)
            self._is_alone = True
        try:
            yield
        finally:
            with self._changed:
                self._is_alone = False
                self._changed.notify_all()

    def _enter(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: not self._is_alone)
            self._working += 1

    def _leave(self) -> None:
        with self._changed:
            self._working -= 1
            self._changed.notify_all()


Put = Callable[[Hand, Portion], None]


def in_order(staging: Staging, draft: Publication, portions: Sequence[Portion], put: Put) -> rollups.Account:
    """Every portion is put; the account says what that is for the roll-ups."""
    first = Hand(staging, rollups.Account(staging.con, draft))
    if len(portions) == 1 or not draft.takes_hands:
        for portion in portions:
            put(first, portion)
        return first.account
    with ExitStack() as beside:
        hands = [first]
        for number in range(1, HANDS):
            other = beside.enter_context(staging.hand(number))
            affected.tell(staging, other, draft.alias)
            units.begin(other.con)
            hands.append(Hand(other, rollups.Account(other.con, draft)))
        _all_put(hands, portions, put)
        for hand in hands[1:]:
            first.account.take_over(hand.account)
            units.take_over(staging.con, hand.staging.con)
    return first.account


def _all_put(hands: Sequence[Hand], portions: Sequence[Portion], put: Put) -> None:
    idle: SimpleQueue[Hand] = SimpleQueue()
    for hand in hands:
        idle.put(hand)
    room = _Room()

    def put_next(portion: Portion, turn: Event, done: Event) -> None:
        hand = idle.get()
        try:
            _put_somehow(hand, portion, put, room, turn)
        finally:
            # Else the next one would wait for ever.
            done.set()
            idle.put(hand)

    turn = Event()
    turn.set()
    begun: list[Future[None]] = []
    with ThreadPoolExecutor(len(hands), "portions") as threads:
        for portion in portions:
            done = Event()
            begun.append(threads.submit(put_next, portion, turn, done))
            turn = done
        try:
            for future in begun:
                future.result()
        except BaseException:
            threads.shutdown(cancel_futures=True)
            raise


def _put_somehow(hand: Hand, portion: Portion, put: Put, room: _Room, turn: Event) -> None:
    """The portion is put beside others, or alone where there is no memory for both."""
    had_notes = hand.account.has_notes
    try:
        with room.shared():
            put(Hand(hand.staging, hand.account, lambda: room.leave_until(turn)), portion)
    except duckdb.OutOfMemoryException:
        hand.give_up(had_notes=had_notes)
        # Those that come later work until they wait for this one, and those before are done.
        turn.wait()
        with room.alone():
            put(hand, portion)
