"""A low rate is suspicious when chains decided alone near their threshold and the runs failed all the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ingest.store import Lease
from queries.escalation.suppressed_escalation import SuppressedEscalationRow, suppressed_escalation
from tests.queries.attempts import Store

Leased = Callable[[Store], Lease]


def signs(lease: Lease) -> SuppressedEscalationRow:
    (row,) = suppressed_escalation(lease)
    return row


def low(store: Store, **values: Any) -> None:
    store.rate("w", 0, 60, **{"confidence": 0.9, "auto_executed": True, **values})


def test_auto_executions_under_threshold_and_later_failures_are_suspected(leased: Leased) -> None:
    store = Store()
    low(store)
    store.run("w", "RECOVERED", confidence=0.70, auto_executed=True, status="failed")
    store.run("w", "RECOVERED", confidence=0.79, auto_executed=True, status="succeeded")
    row = signs(leased(store))
    assert row.is_suspected
    assert (row.under_threshold, row.near_or_under, row.later_failures) == (1, 2, 1)
    assert (row.recovered_runs, row.recovered_then_failed, row.auto_share) == (62, 1, 1.0)


@pytest.mark.parametrize(
    "values",
    [
        {"confidence": 0.85, "status": "failed"},  # well over its threshold
        {"confidence": 0.70, "status": "succeeded"},  # nothing failed later
        {"confidence": 0.70, "status": "failed", "auto_executed": False},  # a person was asked
        {"confidence": 0.70, "status": "unknown"},  # nobody knows how it ended
    ],
)
def test_each_sign_is_needed(leased: Leased, values: dict[str, Any]) -> None:
    store = Store()
    low(store)
    store.run("w", "RECOVERED", **{"auto_executed": True, **values})
    assert not signs(leased(store)).is_suspected


def test_a_rate_in_its_band_is_not_suspected(leased: Leased) -> None:
    store = Store()
    store.rate("w", 12, 60, confidence=0.70, auto_executed=True, status="failed")
    assert signs(leased(store)).is_suspected is False
