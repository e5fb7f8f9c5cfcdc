"""The state of a window: which edge, how sure, how bad, how many more."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import binomtest

from ingest.store import Lease
from ingest.store.configuration import BadConfiguration
from queries.escalation.escalation_band import EscalationBandRow, escalation_band
from queries.reader import BadParameter
from tests.queries.attempts import NOON, Store, chances
from tests.queries.escalation.oracle import Band, Window, reading, wilson

Leased = Callable[[Store], Lease]


def only(lease: Lease, **parameters: object) -> EscalationBandRow:
    (row,) = escalation_band(lease, **parameters)  # type: ignore[arg-type]
    return row


def by_workload(lease: Lease, **parameters: object) -> dict[str, EscalationBandRow]:
    return {row.workload: row for row in escalation_band(lease, **parameters)}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("escalated", "finished", "state"),
    [
        (79, 1000, "LOW"),
        (2, 25, "OK"),
        (80, 1000, "OK"),
        (7, 25, "OK"),
        (30, 100, "OK"),
        (300, 1000, "OK"),
        (301, 1000, "HIGH"),
        (0, 20, "LOW"),
        (0, 19, "INSUFFICIENT_DATA"),
        (19, 19, "INSUFFICIENT_DATA"),
        (0, 0, "NO_DATA"),
    ],
)
def test_both_edges_are_in_band_and_nothing_is_never_low(
    leased: Leased, escalated: int, finished: int, state: str
) -> None:
    store = Store()
    store.run("w")
    store.rate("w", escalated, finished)
    assert only(leased(store)).state == state


def test_nothing_finished_has_no_rate_and_no_reading(leased: Leased) -> None:
    store = Store()
    store.run("w", None)
    row = only(leased(store))
    assert (row.finished, row.rate, row.rate_low, row.rate_high, row.reads, row.evidence) == (
        0,
        None,
        None,
        None,
        None,
        None,
    )
    assert (row.unfinished, row.needed) == (1, 20)


def test_three_recovered_one_escalated_six_aborted_is_ten_percent(leased: Leased) -> None:
    store = Store()
    for outcome in ["RECOVERED"] * 3 + ["ESCALATED"] + ["ABORTED"] * 6:
        store.run("w", outcome)
    row = only(leased(store))
    assert (row.rate, row.aborted, row.recovered, row.state, row.needed) == (0.1, 6, 3, "INSUFFICIENT_DATA", 10)


def test_too_few_says_which_side_it_reads(leased: Leased) -> None:
    store = Store()
    store.rate("few", 1, 2)
    row = only(leased(store))
    assert (row.state, row.reads, row.rate, row.evidence, row.severity, row.needed) == (
        "INSUFFICIENT_DATA", "HIGH", 0.5, None, None, 18,
    )  # fmt: skip


def test_intervals_are_wilsons_on_a_grid(leased: Leased) -> None:
    store = Store()
    grid = [(k, n) for n in (1, 2, 3, 5, 10, 25, 44, 45, 100, 250) for k in {0, 1, n // 3, n - 1, n} if 0 <= k <= n]
    for k, n in grid:
        store.rate(f"{k}/{n}", k, n)
    rows = by_workload(leased(store))
    for k, n in grid:
        wanted = binomtest(k, n).proportion_ci(method="wilson")
        row = rows[f"{k}/{n}"]
        assert row.rate_low == pytest.approx(wanted.low, abs=1e-12)
        assert row.rate_high == pytest.approx(wanted.high, abs=1e-12)
    assert rows["0/5"].rate_low == 0
    assert rows["5/5"].rate_high == 1
    # With nothing escalated the upper end falls under 8 % first at 45.
    assert rows["0/44"].rate_high > 0.08 > rows["0/45"].rate_high  # type: ignore[operator]


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    [(0, 5, 0, 0.434), (3, 10, 0.108, 0.603), (8, 25, 0.172, 0.516), (30, 100, 0.219, 0.396), (20, 250, 0.052, 0.120)],
)
def test_intervals_of_the_documents(k: int, n: int, low: float, high: float) -> None:
    assert wilson(k, n) == pytest.approx((low, high), abs=5e-4)


def needed_by_trying(escalated: int, finished: int, band: Band) -> int | None:
    """Attempts are added at the same rate until the interval has left, or lies in, the band."""
    state, evidence = reading(Window(escalated, finished), band)
    if evidence in {"confirmed", "proven"}:
        return 0
    rate = escalated / finished
    if rate in {band.low, band.high}:
        return None
    for further in range(1, 60_000):
        low, high = wilson_at(rate, finished + further)
        left = high < band.low if state == "LOW" else low > band.high
        if left if state in {"LOW", "HIGH"} else low >= band.low and high <= band.high:
            return further
    raise AssertionError("not within the loop")


def wilson_at(p: float, n: int) -> tuple[float, float]:
    z = 1.959963984540054
    middle, half = p + z * z / (2 * n), z * (p * (1 - p) / n + z * z / (4 * n * n)) ** 0.5
    return (middle - half) / (1 + z * z / n), (middle + half) / (1 + z * z / n)


@pytest.mark.parametrize(("low", "high"), [(0.08, 0.30), (0.12, 0.35), (0.4, 0.5), (0.1, 0.9)])
def test_needed_is_what_a_loop_finds(leased: Leased, low: float, high: float) -> None:
    store, band = Store(), Band(low, high)
    grid = [(k, n) for n in (20, 25, 40, 77) for k in range(0, n + 1, 2)]
    for k, n in grid:
        store.rate(f"{k}/{n}", k, n)
    rows = by_workload(leased(store), bands=json.dumps({"default": {"low": low, "high": high}}))
    for k, n in grid:
        row = rows[f"{k}/{n}"]
        if abs(k / n - low) > 0.004 and abs(k / n - high) > 0.004:
            assert row.needed == needed_by_trying(k, n, band), f"{k} of {n} in {low} to {high}"
        assert (row.state, row.evidence) == reading(Window(k, n), band)


def test_nothing_settles_a_rate_on_an_edge(leased: Leased) -> None:
    store = Store()
    store.rate("low edge", 2, 25)
    store.rate("high edge", 6, 20)
    assert {row.needed for row in escalation_band(leased(store))} == {None}


@pytest.mark.parametrize(
    ("escalated", "finished", "risk", "severity"),
    [
        (0, 100, True, "critical"),
        (0, 100, False, "warning"),
        (1, 25, True, "warning"),
        (1, 25, False, "info"),
        (80, 100, True, "warning"),
        (80, 100, False, "warning"),
        (8, 25, True, "info"),
        (8, 25, False, "info"),
        (15, 100, True, None),
    ],
)
def test_severity(leased: Leased, escalated: int, finished: int, *, risk: bool, severity: str | None) -> None:
    store = Store()
    store.rate("w", escalated, finished)
    row = only(leased(store), bands=json.dumps({"w": {"risk_bearing": risk}}))
    assert row.severity == severity


@pytest.mark.parametrize(("days", "risk", "severity"), [(9, True, "warning"), (9, False, None), (2, True, None)])
def test_too_few_for_long_is_blind_where_there_is_risk(
    leased: Leased, days: int, *, risk: bool, severity: str | None
) -> None:
    store = Store()
    store.days("w", [(0, 1)] * days, NOON - timedelta(days=days - 1))
    row = only(leased(store), bands=json.dumps({"w": {"risk_bearing": risk}}))
    assert (row.state, row.severity, row.is_blind) == ("INSUFFICIENT_DATA", severity, days == 9)


@pytest.mark.parametrize(
    ("run", "error", "column"),
    [
        ({"status": "vetoed"}, {}, "vetoed_runs"),
        ({"status": "interrupted"}, {}, "interrupted_runs"),
        ({"status": "aborted", "stop_reason": "user_interruption"}, {}, "interrupted_runs"),
        ({"status": "aborted"}, {"failure_class": "user_interruption"}, "interrupted_runs"),
        ({}, {"level": "L0"}, "l0_captures"),
        ({}, {"tool_error_class": "unknown_outcome"}, "unknown_outcomes"),
        # L0 is the headless instance of an unknown outcome: counted once.
        ({}, {"level": "L0", "tool_error_class": "unknown_outcome"}, "l0_captures"),
    ],
)
def test_what_is_in_no_rate_is_counted_beside(
    leased: Leased, run: dict[str, Any], error: dict[str, str], column: str
) -> None:
    store = Store()
    store.rate("w", 2, 20)
    apart = store.run("w", "ESCALATED", error_event_id="e", **run)
    store.error(apart, "e", **error)
    row = only(leased(store))
    assert (row.escalated, row.finished, row.attempts_apart) == (2, 20, 1)
    beside = {
        name: getattr(row, name) for name in ("vetoed_runs", "interrupted_runs", "l0_captures", "unknown_outcomes")
    }
    assert {name: number for name, number in beside.items() if number} == {column: 1}


def test_unfinished_and_unlisted_outcomes_are_counted_apart(leased: Leased) -> None:
    store = Store()
    store.rate("w", 0, 3)
    store.run("w", None, "GAVE_UP", "ABORTED")
    row = only(leased(store))
    assert (row.finished, row.unfinished, row.other_outcome, row.aborted) == (4, 1, 1, 1)


def test_a_window_of_days_ends_with_the_newest_time_of_the_store(leased: Leased) -> None:
    store = Store()
    store.rate("w", 0, 5, at=NOON - timedelta(days=7))
    store.rate("w", 5, 5, at=NOON - timedelta(days=6, hours=23))
    store.run("another", at=NOON)
    row = by_workload(leased(store))["w"]
    assert (row.escalated, row.finished, row.as_of) == (5, 5, NOON)


def test_a_window_ends_before_until(leased: Leased) -> None:
    store = Store()
    store.rate("w", 0, 5, at=NOON - timedelta(days=8))
    store.rate("w", 5, 5, at=NOON)
    lease = leased(store)
    assert only(lease, until=NOON).finished == 0
    assert only(lease, until=NOON - timedelta(days=5)).finished == 5
    assert only(lease, until=NOON + timedelta(days=7)).finished == 5


def test_a_synthetic_clock_moves_no_window(leased: Leased) -> None:
    store = Store()
    store.rate("w", 1, 5)
    store.run("w", at=NOON + timedelta(days=400), clock="synthetic")
    assert only(leased(store)).finished == 5


def test_a_window_of_attempts_holds_the_last_ones(leased: Leased) -> None:
    store = Store()
    store.rate("w", 30, 30, at=NOON - timedelta(days=90))
    store.rate("w", 0, 40, at=NOON)
    store.run("w", "ESCALATED", status="vetoed")
    bands = json.dumps({"w": {"window": "50 attempts"}})
    row = only(leased(store), bands=bands)
    assert (row.escalated, row.finished, row.window_text) == (10, 50, "50 attempts")


def test_a_workload_without_any_time_is_evaluated_over_all_and_marked(leased: Leased) -> None:
    store = Store()
    store.rate("timeless", 5, 25, at=None)
    store.rate("dated", 5, 25)
    store.run("dated", "ESCALATED", at=None)
    rows = by_workload(leased(store))
    assert (rows["timeless"].undated, rows["timeless"].finished, rows["timeless"].undated_attempts) == (True, 25, 0)
    assert (rows["dated"].undated, rows["dated"].finished, rows["dated"].undated_attempts) == (False, 25, 1)


def test_the_answer_says_what_it_left_out(leased: Leased) -> None:
    store = Store()
    store.rate("w", 1, 3)
    store.run("w", "ESCALATED", at=None)
    store.run("w", "ESCALATED", basis="derived", chain=None)
    answer = escalation_band(leased(store))
    assert answer.left_out == {"derived attempts": 1, "undated attempts of workloads that have times": 1}


def test_derived_attempts_count_when_asked_for(leased: Leased) -> None:
    store = Store()
    store.rate("w", 1, 3)
    store.run("w", "ESCALATED", basis="derived", chain=None)
    lease = leased(store)
    assert only(lease).finished == 3
    assert only(lease, derived=True).finished == 4


def test_collapsed_repeats_of_a_full_signature_are_one_with_the_outcome_of_the_last(leased: Leased) -> None:
    store = Store()
    store.run("w", "ESCALATED", "ESCALATED", "RECOVERED", signature="s", signature_partial=False)
    store.run("w", "ESCALATED", "RECOVERED", signature="p", signature_partial=True)
    store.run("w", "ESCALATED", "RECOVERED", signature=None)
    row = only(leased(store))
    assert (row.escalated, row.finished) == (4, 7)
    assert (row.escalated_collapsed, row.finished_collapsed) == (2, 5)


def test_bands_come_from_the_configuration_and_an_unreviewed_one_is_the_default(leased: Leased, tmp_path: Path) -> None:
    (tmp_path / "faultlens.toml").write_text(
        '[bands.payments]\nlow = 0.12\nhigh = 0.35\nrisk_bearing = true\nreviewed_by = "reliability"\n'
    )
    store = Store()
    store.rate("payments", 10, 100)
    store.rate("other", 10, 100)
    rows = by_workload(leased(store))
    assert (rows["payments"].state, rows["payments"].band_is_own, rows["payments"].reviewed_by) == (
        "LOW", True, "reliability",
    )  # fmt: skip
    assert (rows["other"].state, rows["other"].band_is_own, rows["other"].reviewed_by) == ("OK", False, None)
    assert rows["payments"].severity == "warning"


def test_a_band_without_any_run_is_shown(leased: Leased) -> None:
    store = Store()
    store.run("w")
    row = by_workload(leased(store), bands='{"silent": {"low": 0.1}}')["silent"]
    assert (row.state, row.undated, row.finished) == ("NO_DATA", False, 0)


@pytest.mark.parametrize(
    ("bands", "said"),
    [
        ("{", "bands"),
        ('{"w": {"low": 0.5, "high": 0.2}}', "bands.w"),
        ('{"w": {"lo": 0.5}}', "bands.w.lo"),
        ('{"w": {"window": "soon"}}', "bands.w.window"),
        ("[1]", "bands"),
    ],
)
def test_a_bad_band_is_refused_by_its_key(leased: Leased, bands: str, said: str) -> None:
    with pytest.raises(BadParameter, match=said):
        escalation_band(leased(Store()), bands=bands)


def test_a_bad_configuration_is_refused_by_its_key(leased: Leased, tmp_path: Path) -> None:
    (tmp_path / "faultlens.toml").write_text("[bands.w]\nlow = 0.5\nhigh = 0.2\n")
    with pytest.raises(BadConfiguration, match=r"bands\.w"):
        escalation_band(leased(Store()))


def test_what_the_answer_was_asked_with_asks_it_again(leased: Leased) -> None:
    store = Store()
    store.rate("w", 10, 100)
    lease = leased(store)
    first = escalation_band(lease, bands='{"w": {"low": 0.12, "window": "30 attempts"}}')
    assert escalation_band(lease, bands=str(first.parameters["bands"])).rows == first.rows


def test_no_state_depends_on_the_order_of_records(leased: Leased) -> None:
    rng = chances(7)
    store = Store()
    for _ in range(300):
        outcomes = [rng.choice(["RECOVERED", "ESCALATED", "ABORTED", None]) for _ in range(rng.randint(1, 3))]
        at = NOON - timedelta(hours=rng.randint(0, 400))
        store.run(rng.choice("xyz"), *outcomes, at=at, signature=rng.choice("st"), signature_partial=False)
    bands = '{"x": {"window": "40 attempts"}}'
    before = escalation_band(leased(store), bands=bands).rows
    for rows in (store.runs, store.attempts):
        rng.shuffle(rows)
    assert escalation_band(leased(store), bands=bands).rows == before
