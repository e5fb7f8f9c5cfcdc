"""Shares, lost items and recorded classes over many runs, against counting by hand and in plain Python."""

from __future__ import annotations

import math
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import binomtest

from tests.queries.context.oracle import SIDES, verdict
from tests.queries.context.written import Item, asked, context, store_of

NAMES = ("required", "retrieved", "eligible", "composed", "consumed", "current")
WORKLOADS = ("payments", "support", "review")
AGENTS = ("Scout", "Builder", None)


def some_steps(number: int) -> list[tuple[str, str, str | None, str, dict[str, list[Item]]]]:
    """(run, step, agent, day, sets): the same ones every time."""
    chance = random.Random(number)  # noqa: S311 - the same steps every time
    found: list[tuple[str, str, str | None, str, dict[str, list[Item]]]] = []
    for n in range(number):
        names = [name for name in NAMES if chance.random() < 0.85]
        sets: dict[str, list[Item]] = {
            name: sorted({(chance.choice("abcdef"), None) for _ in range(chance.randint(0, 5))})
            for name in names or ["required"]
        }
        found.append((f"r{n % 20}", f"s{n}", AGENTS[n % 3], f"2026-11-{n % 9 + 1:02}", sets))
    return found


STEPS = some_steps(160)
WORKLOAD = {f"r{n}": WORKLOADS[n % 3] for n in range(20)}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    runs: list[dict[str, Any]] = [
        {"record": "run", "run_id": run, "workload": workload, "started_at": "2026-11-01T00:00:00Z"}
        for run, workload in WORKLOAD.items()
    ]
    steps = [
        {**context(step, sets, run), "agent": agent, "occurred_at": f"{day}T10:00:00Z"}
        for run, step, agent, day, sets in STEPS
    ]
    return store_of(tmp_path_factory.mktemp("over_runs"), [*runs, *steps])


def test_the_shares_are_those_of_counting_step_by_step(store: Path) -> None:
    evaluable: Counter[tuple[str, str | None, int]] = Counter()
    located: Counter[tuple[str, str | None, int]] = Counter()
    proven: Counter[tuple[str, str | None, int]] = Counter()
    for run, _, agent, day, sets in STEPS:
        found = verdict(sets)
        for key in (("all", None), ("workload", WORKLOAD[run]), ("agent", agent), ("day", day)):
            for number in SIDES:
                evaluable[*key, number] += number not in found.not_evaluable
                located[*key, number] += number == found.stage_no
                proven[*key, number] += number == found.stage_no and found.proven
    rows = asked(store, "context_stage_shares")
    keys = [(row.dimension, row.value, row.stage_no) for row in rows]
    assert {key: row.steps for key, row in zip(keys, rows, strict=True)} == {k: n for k, n in evaluable.items() if n}
    assert {key: row.found for key, row in zip(keys, rows, strict=True) if row.found} == {
        k: n for k, n in located.items() if n
    }
    assert {key: row.proven for key, row in zip(keys, rows, strict=True) if row.proven} == {
        k: n for k, n in proven.items() if n
    }


def test_the_intervals_are_wilsons(store: Path) -> None:
    for row in asked(store, "context_stage_shares"):
        expected = binomtest(row.found, row.steps).proportion_ci(method="wilson")
        assert math.isclose(row.rate_low, expected.low, abs_tol=1e-6)
        assert math.isclose(row.rate_high, expected.high, abs_tol=1e-6)
        assert 0 <= row.rate_low <= row.rate <= row.rate_high <= 1


def test_lost_items_are_those_at_the_stage_of_their_step(store: Path) -> None:
    lost: Counter[tuple[int, str]] = Counter()
    had: Counter[tuple[int, str]] = Counter()
    for _, _, _, _, sets in STEPS:
        found = verdict(sets)
        needed = {item for item, _ in sets["required"]} if "required" in sets else None
        for number, (left, _) in SIDES.items():
            if number not in found.not_evaluable:
                had.update((number, item) for item in {item for item, _ in sets[left]})
        for number, item in {(number, item) for number, item, _ in found.items}:
            counts = number in {1, 5} or needed is None or item in needed
            lost[number, item] += number == found.stage_no and counts
    rows = asked(store, "context_lost_items", limit=1000)
    assert {(row.stage_no, row.item_id): row.lost for row in rows} == {key: n for key, n in lost.items() if n}
    assert {(row.stage_no, row.item_id): row.steps for row in rows} == {key: had[key] for key, n in lost.items() if n}


def test_the_example_of_a_lost_item_is_a_step_that_lost_it(store: Path) -> None:
    for row in asked(store, "context_lost_items", limit=20):
        items = asked(store, "context_diff", run=row.example_run, step=row.example_step)
        assert (row.stage_no, row.item_id) in {(item.stage_no, item.item_id) for item in items if item.at_stage}


def test_a_workload_filter_leaves_the_others_out(store: Path) -> None:
    rows = asked(store, "context_stage", workload="support")
    assert {row.run_id.partition(":")[2] for row in rows} == {
        run for run, load in WORKLOAD.items() if load == "support"
    }


def test_undated_runs_are_counted_as_left_out(tmp_path: Path) -> None:
    from datetime import UTC, datetime

    from ingest.store import open_store
    from queries.context.context_stage import context_stage

    with open_store(store_of(tmp_path, [context("1", {"retrieved": [("a", None)]})])).lease() as lease:
        answer = context_stage(lease, since=datetime(2026, 1, 1, tzinfo=UTC))
    assert (len(answer), answer.left_out) == (0, {"steps with context sets of undated runs": 1})


# class, sets → verdict. Worked out from the table of classes.
VERDICTS = {
    "retrieval_failure, and it was not retrieved": ("retrieval_failure", "required a | retrieved | eligible", "agrees"),
    "retrieval_failure, but it was retrieved": (
        "retrieval_failure",
        "required a | retrieved a | eligible",
        "contradicts",
    ),
    "retrieval_failure, and nobody says what was required": (
        "retrieval_failure",
        "retrieved a | eligible",
        "not evaluable",
    ),
    "ranking_failure, but it was never retrieved": (
        "ranking_failure",
        "required a | retrieved | eligible | composed",
        "contradicts",
    ),
    "omission shows at one to three": ("omission", "required a | retrieved a | eligible", "agrees"),
    "staleness, and nothing was stale": ("staleness", "consumed a@1 | current a@1", "contradicts"),
    "staleness, and current is not recorded": ("staleness", "consumed a@1", "not evaluable"),
    "staleness below a stage that is located above it": (
        "staleness",
        "required a | retrieved | consumed a@1 | current a@2",
        "contradicts",
    ),
    "conflict shows at no difference": ("conflict", "required a | retrieved", "no stage"),
    "a class that is not in the list": ("made_up", "required a | retrieved", "no stage"),
}


@pytest.mark.parametrize("case", VERDICTS)
def test_a_class_contradicts_only_what_could_be_evaluated(case: str, tmp_path: Path) -> None:
    from tests.queries.context.written import parsed

    name, sets, expected = VERDICTS[case]
    error = {"record": "error_event", "run_id": "r", "type": "wrong", "step": "1/2", "context_failure_class": name}
    (row,) = asked(store_of(tmp_path, [context("1", parsed(sets)), error]), "context_classes")
    assert (row.verdict, row.step_id) == (expected, "1")


def test_a_class_at_another_step_stands_without_one(tmp_path: Path) -> None:
    error = {
        "record": "error_event",
        "run_id": "r",
        "type": "wrong",
        "step": "7/9",
        "context_failure_class": "omission",
    }
    (row,) = asked(store_of(tmp_path, [context("1", {"retrieved": []}), error]), "context_classes")
    assert (row.verdict, row.step_id) == ("no step", None)
