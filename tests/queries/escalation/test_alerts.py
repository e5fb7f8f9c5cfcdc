"""What an acknowledgement silences, and when it no longer does."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from queries.escalation.acknowledgements import AcknowledgementRow
from queries.escalation.alerts import current, worst
from queries.escalation.escalation_band import EscalationBandRow
from queries.escalation.escalation_history import EscalationHistoryRow

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
READING = EscalationBandRow(
    workload="w", escalated=0, finished=100, rate=0.0, rate_collapsed=0.0, rate_low=0.0, rate_high=0.037, band_low=0.08,
    band_high=0.3, state="LOW", evidence="confirmed", severity="critical", needed=0, reads="LOW", min_finished=20,
    risk_bearing=True, band_is_own=True, reviewed_by="me", band_reason=None, window_text="7d", window_from=NOW,
    as_of=NOW, undated=False, is_blind=False, recovered=100, aborted=0, unfinished=0, other_outcome=0, handed_over=0,
    escalated_collapsed=0, finished_collapsed=100, vetoed_runs=0, interrupted_runs=0, l0_captures=0,
    unknown_outcomes=0, attempts_apart=0, undated_attempts=0,
)  # fmt: skip
ENTRY = EscalationHistoryRow(
    workload="w", at=NOW - timedelta(days=3), from_state="OK", to_state="LOW", escalated=0, finished=100, rate=0.0,
    rate_low=0.0, rate_high=0.037, reason="confirmed", day=NOW.date(), band_low=0.08, band_high=0.3, state="LOW",
    evidence="confirmed", severity="critical",
)  # fmt: skip
ACK = AcknowledgementRow(
    ack_id="a", workload="w", state="LOW", severity="critical", band_low=0.08, band_high=0.3, author="Ada",
    note="on it",
    created_at=NOW - timedelta(days=1), until=NOW + timedelta(days=1),
)  # fmt: skip


def test_an_acknowledgement_holds_for_the_alert_as_it_was() -> None:
    assert current(READING, [ENTRY], [ACK], NOW).is_acknowledged
    assert not current(READING, [ENTRY], [], NOW).is_acknowledged
    assert not current(READING, [ENTRY], [replace(ACK, workload="other")], NOW).is_acknowledged


@pytest.mark.parametrize(
    ("ack", "entry", "said"),
    [
        ({"until": NOW}, {}, "expired"),
        ({}, {"to_state": "HIGH"}, "it was for LOW, the alert is HIGH"),
        ({"severity": "warning"}, {}, "the severity rose from warning to critical"),
        ({"band_low": 0.05}, {}, "the band changed"),
    ],
)
def test_it_reopens(ack: dict[str, Any], entry: dict[str, Any], said: str) -> None:
    alert = current(READING, [replace(ENTRY, **entry)], [replace(ACK, **ack)], NOW)
    assert alert.is_on
    assert not alert.is_acknowledged
    assert said in (alert.reopened_because or "")


def test_a_milder_severity_does_not_reopen_it() -> None:
    milder = replace(READING, evidence="suspected")
    assert current(milder, [ENTRY], [ACK], NOW).is_acknowledged


def test_the_newest_acknowledgement_counts() -> None:
    older = replace(ACK, ack_id="b", created_at=NOW - timedelta(days=2), until=None)
    assert not current(READING, [ENTRY], [replace(ACK, until=NOW), older], NOW).is_acknowledged


def test_an_alert_is_what_the_last_change_left() -> None:
    cleared = replace(ENTRY, from_state="LOW", to_state="OK")
    band = replace(ENTRY, from_state="LOW", to_state="LOW", reason="band changed")
    assert not current(READING, [ENTRY, cleared], [], NOW).is_on
    assert current(READING, [ENTRY, band], [], NOW).since == ENTRY


def test_over_workloads_the_worst_counts() -> None:
    assert worst([None, "info", "critical", "warning"]) == "critical"
    assert worst([None, None]) is None
    assert worst([]) is None
