"""The portions of an ingest put together by two hands at once: threads, each with a workspace of its own.

A portion is derived in many small statements, of which DuckDB gives few to more than one thread: alone it keeps one
core busy. What is written becomes part of the draft in the order of the portions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Event

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

    def put_next(portion: Portion, turn: Event, done: Event) -> None:
        hand = idle.get()
        try:
            put(Hand(hand.staging, hand.account, turn.wait), portion)
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
