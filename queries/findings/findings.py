"""What the conformance rules found, with the evidence, the worst first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class FindingRow:
    """A finding. `event_id` is None where it is about the run as a whole; `evidence` is JSON."""

    rule: str
    severity: str
    run_id: str
    event_id: str | None
    message: str | None
    evidence: str | None
    seq: int | None
    workload: str
    run_name: str | None
    status: str
    started_at: datetime | None
    advice: str | None
    matching: int


def findings(
    lease: Engine,
    *,
    run: str | None = None,
    rule: str | None = None,
    severity: str | None = None,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int = 1_000_000,
    offset: int = 0,
) -> Answer[FindingRow]:
    """What the conformance rules found, with the evidence, the worst first."""
    return ask(
        lease, __file__, FindingRow, run=run, rule=rule, severity=severity, workload=workload, source=source,
        since=since, until=until, limit=limit, offset=offset,
    )  # fmt: skip
