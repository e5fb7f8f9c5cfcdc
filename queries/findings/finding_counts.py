"""Findings by day, workload and severity."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class FindingCountRow:
    """Findings of one day, workload and severity; `day` is None for runs without a time."""

    day: date | None
    workload: str
    severity: str
    findings: int
    runs: int


def finding_counts(
    lease: Engine,
    *,
    rule: str | None = None,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> Answer[FindingCountRow]:
    """Findings by day, workload and severity."""
    return ask(lease, __file__, FindingCountRow, rule=rule, workload=workload, source=source, since=since, until=until)
