"""Cycles of agents that wait for one another at the same time."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest

from ingest.derive.wait_cycles import Wait, cycles

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def waits(*edges: tuple[str, str]) -> list[Wait]:
    return [Wait("r", str(number), waiter, holder) for number, (waiter, holder) in enumerate(edges)]


def ring(length: int) -> list[tuple[str, str]]:
    return [(f"a{n}", f"a{(n + 1) % length}") for n in range(length)]


def at(waiter: str, holder: str, since: int, until: int | None = None) -> Wait:
    minutes = timedelta(minutes=1)
    return Wait("r", waiter + holder, waiter, holder, NOON + since * minutes, NOON + until * minutes if until else None)


@pytest.mark.parametrize("length", range(1, 51))
def test_a_cycle_of_any_length_is_found_once_with_all_its_members(length: int) -> None:
    (only,) = cycles(waits(*ring(length)))
    assert len(only.members) == length + 1
    assert only.members[0] == only.members[-1]
    assert set(only.members) == {f"a{n}" for n in range(length)}
    assert all((a, b) in ring(length) for a, b in zip(only.members, only.members[1:], strict=False))


NONE = [
    ("a chain", waits(("a", "b"), ("b", "c"), ("c", "d"))),
    ("a diamond", waits(("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"))),
    ("one after the other", [at("a", "b", 0, 5), at("b", "a", 5, 9)]),
    ("ended in the middle", [at("a", "b", 0, 3), at("b", "c", 1), at("c", "a", 4)]),
]


@pytest.mark.parametrize("several", [case[1] for case in NONE], ids=[case[0] for case in NONE])
def test_no_cycle(several: list[Wait]) -> None:
    assert not list(cycles(several))


def test_two_cycles_that_share_an_agent_are_two() -> None:
    assert len(list(cycles(waits(("a", "b"), ("b", "a"), ("b", "c"), ("c", "b"))))) == 2


def test_a_cycle_that_dissolved_and_formed_again_is_two() -> None:
    again = [at("a", "b", 0, 5), at("b", "a", 1, 5), at("a", "b", 6), at("b", "a", 7)]
    assert len(list(cycles(again))) == 2


LARGE = {
    "ring": ring(10_000),
    "ring backwards": ring(10_000)[::-1],
    "chain": ring(10_001)[:-1],
    "random": [(f"a{n * n % 2999}", f"a{n * 7919 % 3001}") for n in range(10_000)],
}


@pytest.mark.parametrize("name", LARGE)
def test_ten_thousand_waits_take_under_a_second(name: str) -> None:
    several = waits(*LARGE[name])
    began = time.process_time()
    list(cycles(several))
    assert time.process_time() - began < 1
