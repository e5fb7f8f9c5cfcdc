"""Whether a low escalation rate looks suppressed: chains deciding by themselves, and failures afterwards."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from queries.escalation.escalation_band import EscalationBandRow, escalation_band
from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class SuppressedEscalationRow:
    """A workload with what speaks for a suppressed escalation; shares are None where nothing was counted."""

    workload: str
    state: str | None
    finished: int
    auto_executed: int
    auto_share: float | None
    median_confidence: float | None
    under_threshold: int
    near_or_under: int
    later_failures: int
    recovered_runs: int
    recovered_then_failed: int
    failed_after_recovery_share: float | None
    is_suspected: bool | None


def suppressed_escalation(
    lease: Engine,
    *,
    workload: str | None = None,
    source: str | None = None,
    derived: bool = False,
    windows: str | None = None,
) -> Answer[SuppressedEscalationRow]:
    """Signs of suppressed escalation by workload, in the windows of escalation_band unless others are given as JSON."""
    if windows is None:
        windows = windows_of(escalation_band(lease, workload=workload, source=source, derived=derived))
    return ask(
        lease, __file__, SuppressedEscalationRow, workload=workload, source=source, derived=derived, windows=windows
    )


def windows_of(rows: Iterable[EscalationBandRow]) -> str:
    """The windows and the states that escalation_band found, as this query takes them."""
    return json.dumps(
        [
            {
                "workload": row.workload,
                "state": row.state,
                "undated": row.undated,
                "from": row.window_from.isoformat() if row.window_from else None,
                "before": (row.as_of + timedelta(microseconds=1)).isoformat() if row.as_of else None,
            }
            for row in rows
        ]
    )
