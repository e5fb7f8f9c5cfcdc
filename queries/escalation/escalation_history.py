"""When each workload's alert entered and left LOW and HIGH, replayed from the records."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from queries.escalation import bands as in_force
from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class EscalationHistoryRow:
    """A change of an alert or of its band; with `daily`, any evaluation (its reason is None where nothing changed)."""

    workload: str
    at: datetime
    from_state: str
    to_state: str
    escalated: int
    finished: int
    rate: float | None
    rate_low: float | None
    rate_high: float | None
    reason: str | None
    day: date
    band_low: float
    band_high: float
    state: str
    evidence: str | None
    severity: str | None


def escalation_history(
    lease: Engine,
    *,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    derived: bool = False,
    bands: str | None = None,
    daily: bool = False,
) -> Answer[EscalationHistoryRow]:
    """Every change of an alert, replayed day by day; `bands` as JSON replays against another band."""
    return ask(
        lease, __file__, EscalationHistoryRow, workload=workload, source=source, since=since, until=until,
        derived=derived, bands=in_force.given(bands) if bands else in_force.with_history(lease), daily=daily,
    )  # fmt: skip
