"""Reported recovery metrics beside the recomputed ones."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class ReportedRow:
    """What a run reports of a chain (None: of all) and what follows from its records; None is not recorded."""

    run_id: str
    workload: str
    chain: str | None
    reported_attempts: int | None
    attempts: int
    reported_success_rate: float | None
    success_rate: float | None
    reported_avg_confidence: float | None
    avg_confidence: float | None
    reported_escalation_rate: float | None
    escalation_rate: float | None
    differs: bool | None
    matching: int


def recovery_reported(
    lease: Engine,
    *,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    derived: bool = False,
    limit: int = 1000,
    offset: int = 0,
) -> Answer[ReportedRow]:
    """What producers report of their own recovery beside the recomputed figures; differences first."""
    return ask(
        lease, __file__, ReportedRow, workload=workload, source=source, since=since, until=until, derived=derived,
        limit=limit, offset=offset,
    )  # fmt: skip
