"""Confidence, thresholds, selection, steps, days, and what producers report of themselves."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from statistics import mean

import pytest

from ingest.load import ingest
from ingest.store import Lease, open_store
from queries.recovery.recovery_calibration import recovery_calibration
from queries.recovery.recovery_calibration_score import recovery_calibration_score
from queries.recovery.recovery_failing_steps import recovery_failing_steps
from queries.recovery.recovery_reported import recovery_reported
from queries.recovery.recovery_selection import recovery_selection
from queries.recovery.recovery_thresholds import recovery_thresholds
from queries.recovery.recovery_trend import recovery_trend
from tests.queries.attempts import NOON, Store, chances

Leased = Callable[[Store], Lease]


def test_confidences_fall_into_tenths_and_an_empty_one_has_no_rate(leased: Leased) -> None:
    store = Store()
    for confidence, outcome in (
        (0.7, "RECOVERED"),
        (0.79, "ABORTED"),
        (1.0, "RECOVERED"),
        (0.3, "ESCALATED"),
        (None, "RECOVERED"),
    ):
        store.run("w", outcome, confidence=confidence)
    bins = recovery_calibration(leased(store)).rows
    assert len(bins) == 10
    assert {row.bin_low: (row.attempts, row.success_rate) for row in bins if row.attempts} == {
        0.3: (1, 0.0), 0.7: (2, 0.5), 0.9: (1, 1.0),
    }  # fmt: skip
    assert {row.success_rate for row in bins if not row.attempts} == {None}


def test_brier_and_gap(leased: Leased) -> None:
    store = Store()
    for confidence, outcome in ((0.9, "RECOVERED"), (0.8, "ABORTED"), (0.6, "RECOVERED")):
        store.run("w", outcome, confidence=confidence)
    overall = recovery_calibration_score(leased(store)).rows[0]
    assert overall.chain is None
    assert overall.brier == pytest.approx((0.1**2 + 0.8**2 + 0.4**2) / 3)
    assert overall.gap == pytest.approx((0.9 + 0.8 + 0.6) / 3 - 2 / 3)


@pytest.mark.parametrize(
    ("chain", "confidence", "is_kept"),
    [("B", 0.70, True), ("A", 0.75, True), ("A", 0.74, False), ("C", 0.79, False), ("C", 0.80, True)],
)
def test_a_chains_own_threshold_wins(leased: Leased, chain: str, confidence: float, *, is_kept: bool) -> None:
    store = Store()
    store.run("w", "RECOVERED", chain=chain, confidence=confidence, auto_executed=True)
    row = next(row for row in recovery_thresholds(leased(store)) if row.chain == chain)
    assert (row.auto_kept, row.auto_broken) == ((1, 0) if is_kept else (0, 1))


def test_more_attempts_for_one_failure_than_the_chain_allows(leased: Leased) -> None:
    store = Store()
    store.run("w", "ABORTED", "ABORTED", "RECOVERED", error_event_id="e")
    store.run("w", "ABORTED", "ABORTED", error_event_id="e")
    store.run("w", "ABORTED", "RECOVERED", chain="B", signature="s", signature_partial=False)
    store.run("w", "ABORTED", "ABORTED", "ABORTED", chain="C", error_event_id="e")
    store.run("w", "ABORTED")
    rows = {row.chain: row for row in recovery_thresholds(leased(store))}
    assert {name: row.failures_over_max for name, row in rows.items()} == {"A": 1, "B": 1, "C": None}
    assert rows["A"].without_failure == 1


@pytest.mark.parametrize(
    ("trigger", "selects"),
    [
        ("test_failure 0%", "L1 retry"),
        ("test_failure 19.9%", "L1 retry"),
        ("test failure 20 %", "L2 inject"),
        ("49.9% of the tests failed", "L2 inject"),
        ("test_failure 50%", "A"),
        ("test_failure 80%", "A"),
        ("test_failure 80.1%", "B"),
        ("test_failure 100%", "B"),
        ("test failure > 80 %", "B"),
        ("chain_a_failed", "B"),
        ("Chain A failed at 64 %", "B"),
        ("breaking_change", "C"),
        ("test failure", None),
        ("test failure 50-80%", None),
        ("test failure < 50%", None),
        ("64% passed", None),
        ("from 40% to 60% failing", None),
        (None, None),
    ],
)
def test_what_a_trigger_selects(leased: Leased, trigger: str | None, selects: str | None) -> None:
    store = Store()
    store.run("w", "RECOVERED", trigger=trigger)
    (row,) = recovery_selection(leased(store))
    assert (row.selects, row.agrees) == (selects, None if selects is None else selects == "A")


def test_the_step_at_which_a_chain_failed_is_the_first_one(tmp_path: Path) -> None:
    file = tmp_path / "steps.jsonl"
    steps = '[{"step": 1, "agent": "Scout", "result": "SUCCESS"}, {"step": 2, "agent": "Builder", "result": "FAILED"}]'
    file.write_text(
        f'{{"record": "recovery_event", "run_id": "r", "chain": "A", "outcome": "ABORTED", "steps": {steps}}}\n'
        '{"record": "recovery_event", "run_id": "s", "chain": "A", "outcome": "ESCALATED"}\n'
        '{"record": "recovery_event", "run_id": "t", "chain": "A", "outcome": "RECOVERED"}\n'
    )
    ingest([str(file)], tmp_path / "s.duckdb")
    with open_store(tmp_path / "s.duckdb").lease() as lease:
        rows = [(row.chain, row.step, row.agent, row.attempts, row.reached) for row in recovery_failing_steps(lease)]
    assert rows == [("A", 2, "Builder", 1, 1), ("A", None, None, 1, None)]


def test_what_a_producer_reports_stands_beside_what_follows(tmp_path: Path) -> None:
    file = tmp_path / "reported.jsonl"
    file.write_text(
        '{"record": "recovery_event", "run_id": "r", "chain": "A", "outcome": "RECOVERED", "confidence": 0.8}\n'
        '{"record": "recovery_event", "run_id": "r", "chain": "A", "outcome": "ESCALATED", "confidence": 0.7}\n'
        '{"record": "reported_metrics", "run_id": "r", "chain": "A", "attempts": 2, "success_rate": 0.5,'
        ' "avg_confidence": 0.75, "escalation_rate": 0.5}\n'
        '{"record": "reported_metrics", "run_id": "r", "chain": "B", "attempts": 1, "success_rate": 1.0}\n'
    )
    ingest([str(file)], tmp_path / "s.duckdb")
    with open_store(tmp_path / "s.duckdb").lease() as lease:
        rows = {row.chain: row for row in recovery_reported(lease)}
    assert (rows["A"].success_rate, rows["A"].escalation_rate, rows["A"].differs) == (0.5, 0.5, False)
    assert (rows["B"].attempts, rows["B"].success_rate, rows["B"].differs) == (0, None, True)


def test_limits_are_laneys(leased: Leased) -> None:
    rng = chances(11)
    days = [(rng.randint(4, 30), 30) for _ in range(20)]
    store = Store()
    store.days("w", days, NOON - timedelta(days=len(days)))
    rows = recovery_trend(leased(store), measure="escalation").rows
    centre = sum(k for k, _ in days) / sum(n for _, n in days)
    errors = [(centre * (1 - centre) / n) ** 0.5 for _, n in days]
    scores = [(k / n - centre) / error for (k, n), error in zip(days, errors, strict=True)]
    spread = mean(abs(b - a) for a, b in pairwise(scores)) / 1.128
    assert spread > 1, "the days of this test are over-dispersed"
    assert [row.overdispersion for row in rows] == pytest.approx([spread] * len(days))
    assert [row.limit_high for row in rows] == pytest.approx([min(1, centre + 3 * error * spread) for error in errors])


def test_days_that_hardly_differ_get_no_tighter_limits_than_chance(leased: Leased) -> None:
    store = Store()
    store.days("w", [(3, 20), (3, 20), (4, 20), (3, 20)] * 3, NOON - timedelta(days=12))
    rows = recovery_trend(leased(store), measure="escalation").rows
    assert rows[0].overdispersion is not None
    assert rows[0].overdispersion < 1
    assert rows[0].limit_high == pytest.approx(rows[0].mean + 3 * (rows[0].mean * (1 - rows[0].mean) / 20) ** 0.5)
    assert not any(row.outside for row in rows)


def test_a_few_days_have_no_limits(leased: Leased) -> None:
    store = Store()
    store.days("w", [(3, 20)] * 7, NOON - timedelta(days=7))
    assert {(row.limit_low, row.outside) for row in recovery_trend(leased(store))} == {(None, None)}
