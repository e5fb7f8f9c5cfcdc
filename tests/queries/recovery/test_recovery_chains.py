"""What the chains achieved: counts, rates, intervals, repeats, hand-overs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from ingest.store import Lease, open_store
from queries.recovery.recovery_attempts import recovery_attempts
from queries.recovery.recovery_chains import RecoveryChainRow, recovery_chains
from queries.recovery.recovery_handovers import recovery_handovers
from tests.queries.attempts import NOON, Store

Leased = Callable[[Store], Lease]
OUTCOMES = ("RECOVERED", "ESCALATED", "ABORTED")


def chain(lease: Lease, name: str = "A", **parameters: object) -> RecoveryChainRow:
    return next(row for row in recovery_chains(lease, **parameters) if row.chain == name)  # type: ignore[arg-type]


def test_a_b_and_c_are_always_there(leased: Leased) -> None:
    rows = recovery_chains(leased(Store())).rows
    assert [(row.chain, row.attempts, row.success_rate, row.success_low) for row in rows] == [
        ("A", 0, None, None), ("B", 0, None, None), ("C", 0, None, None),
    ]  # fmt: skip


def test_three_recovered_one_escalated_six_aborted_is_thirty_percent(leased: Leased) -> None:
    store = Store()
    for outcome in ["RECOVERED"] * 3 + ["ESCALATED"] + ["ABORTED"] * 6:
        store.run("w", outcome)
    row = chain(leased(store))
    assert (row.attempts, row.finished, row.recovered, row.escalated, row.aborted) == (10, 10, 3, 1, 6)
    assert row.success_rate == 0.3
    assert (row.success_low, row.success_high) == pytest.approx((0.108, 0.603), abs=5e-4)


def test_unfinished_attempts_are_attempts_and_in_no_rate(leased: Leased) -> None:
    store = Store()
    store.run("w", "RECOVERED", None, "GAVE_UP")
    row = chain(leased(store))
    assert (row.attempts, row.finished, row.unfinished, row.other_outcome, row.success_rate) == (3, 1, 1, 1, 1.0)


def test_two_equal_full_signatures_are_one_attempt(leased: Leased) -> None:
    store = Store()
    store.run("w", "ABORTED", "RECOVERED", signature="s", signature_partial=False)
    row = chain(leased(store))
    assert (row.attempts, row.attempts_collapsed, row.success_rate, row.success_rate_collapsed) == (2, 1, 0.5, 1.0)


@pytest.mark.parametrize("signature", [{"signature": "s", "signature_partial": True}, {"signature": None}])
def test_partial_signatures_are_never_collapsed(leased: Leased, signature: dict[str, Any]) -> None:
    store = Store()
    store.run("w", "ABORTED", "RECOVERED", **signature)
    assert chain(leased(store)).attempts_collapsed == 2


def test_equal_signatures_of_other_runs_and_chains_are_other_attempts(leased: Leased) -> None:
    store = Store()
    full: dict[str, Any] = {"signature": "s", "signature_partial": False}
    store.run("w", "ABORTED", **full)
    both = store.run("w", "RECOVERED", **full)
    store.attempt(both, "RECOVERED", seq=5, **{"chain": "B", **full})
    rows = {row.chain: row.attempts_collapsed for row in recovery_chains(leased(store))}
    assert rows == {"A": 2, "B": 1, "C": 0}


def test_the_last_of_equal_attempts_may_be_unfinished(leased: Leased) -> None:
    store = Store()
    store.run("w", "RECOVERED", None, signature="s", signature_partial=False)
    row = chain(leased(store))
    assert (row.finished, row.attempts_collapsed, row.finished_collapsed, row.success_rate_collapsed) == (1, 1, 0, None)


def test_auto_executed_is_a_count(leased: Leased) -> None:
    store = Store()
    for auto in (True, True, False, None):
        store.run("w", "RECOVERED", auto_executed=auto)
    row = chain(leased(store))
    assert (row.auto_executed, row.asked) == (2, 1)


def test_the_average_confidence_is_over_those_that_record_one(leased: Leased) -> None:
    store = Store()
    for confidence in (0.8, 0.6, None):
        store.run("w", "RECOVERED", confidence=confidence)
    row = chain(leased(store))
    assert row.avg_confidence == pytest.approx(0.7)
    assert row.with_confidence == 2


def test_an_escalation_that_the_next_chain_takes_up_is_a_handover_and_counts_as_recorded(leased: Leased) -> None:
    store = Store()
    run = store.run("w", "ESCALATED")
    store.attempt(run, "RECOVERED", seq=5, chain="B")
    again = store.run("w", "ESCALATED")
    store.attempt(again, "RECOVERED", seq=5)
    lease = leased(store)
    assert (chain(lease).escalated, chain(lease).handed_over) == (2, 1)
    (row,) = recovery_handovers(lease)
    assert (row.from_chain, row.to_chain, row.handovers, row.then_recovered) == ("A", "B", 1, 1)


def test_what_is_left_out_is_said(leased: Leased) -> None:
    store = Store()
    store.run("w", "RECOVERED", chain="X")
    store.run("w", "RECOVERED", chain=None, basis="derived")
    store.run("w", "RECOVERED", status="vetoed")
    store.run("w", "RECOVERED", at=None)
    lease = leased(store)
    assert recovery_chains(lease).left_out == {
        "attempts of a chain outside A, B, C": 1, "attempts of vetoed runs": 1, "derived attempts": 1,
    }  # fmt: skip
    assert recovery_chains(lease, until=NOON + timedelta(days=1)).left_out["undated attempts"] == 1


def test_attempts_are_listed_with_what_they_are_to_a_rate(leased: Leased) -> None:
    store = Store()
    store.run("w", "RECOVERED", status="vetoed")
    store.run("w", None, at=NOON - timedelta(hours=1))
    assert [row.counted_as for row in recovery_attempts(leased(store))] == ["vetoed_run", "unfinished"]


attempt = st.tuples(
    st.sampled_from("ABC"), st.sampled_from([*OUTCOMES, None]), st.sampled_from(["s", "t", None]), st.booleans()
)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(runs=st.lists(st.lists(attempt, min_size=1, max_size=5), max_size=12))
def test_rates_are_those_of_pandas_and_parts_add_up(
    tmp_path_factory: pytest.TempPathFactory, runs: list[list[tuple[str, str | None, str | None, bool]]]
) -> None:
    store = Store()
    rows = []
    for run in runs:
        run_id = store.run("w")
        for seq, (name, outcome, signature, partial) in enumerate(run):
            store.attempt(run_id, outcome, seq=seq, chain=name, signature=signature, signature_partial=partial)
            key = signature if signature and not partial else f"own {seq}"
            rows.append({"run": run_id, "chain": name, "outcome": outcome, "key": key})
    path = store.write(tmp_path_factory.mktemp("oracle") / "s.duckdb")
    frame = pd.DataFrame(rows, columns=["run", "chain", "outcome", "key"])
    last = frame.groupby(["run", "chain", "key"], as_index=False, dropna=False).nth(-1)
    with open_store(path).lease() as lease:
        for row in recovery_chains(lease):
            mine, collapsed = frame[frame["chain"] == row.chain], last[last["chain"] == row.chain]
            assert row.attempts == len(mine) == row.finished + row.unfinished + row.other_outcome
            assert row.finished == int(mine["outcome"].notna().sum()) == row.recovered + row.escalated + row.aborted
            assert row.attempts_collapsed == len(collapsed)
            assert row.recovered_collapsed == int((collapsed["outcome"] == "RECOVERED").sum())
            if row.finished and row.success_rate is not None:
                interval = binomtest(row.recovered, row.finished).proportion_ci(method="wilson")
                assert (row.success_low, row.success_high) == pytest.approx((interval.low, interval.high), abs=1e-12)
                assert 0 <= (row.success_low or 0) <= row.success_rate <= (row.success_high or 0) <= 1
