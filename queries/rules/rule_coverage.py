"""Every conformance rule: what it found, and in how many runs it could not be evaluated."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class RuleCoverageRow:
    """A rule. A run may be evaluated and not evaluable at once: some of its records carry what the rule needs."""

    rule: str
    severity: str
    evaluated_runs: int
    not_evaluable_runs: int
    findings: int
    runs_with_findings: int
    runs: int
    statement: str
    needs: str
    advice: str


def rule_coverage(
    lease: Engine,
    *,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> Answer[RuleCoverageRow]:
    """Every conformance rule: what it found, and in how many runs it could not be evaluated."""
    return ask(lease, __file__, RuleCoverageRow, workload=workload, source=source, since=since, until=until)
