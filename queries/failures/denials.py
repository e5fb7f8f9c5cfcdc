"""What guardrails denied or were asked to approve, by decision and reason."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class DenialRow:
    """A decision of a guardrail; `bypassed`: the agent acted on the same target afterwards."""

    decision: str
    reason_code: str | None
    times: int
    runs: int
    bypassed: int
    example: str | None


def denials(
    lease: Engine,
    *,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> Answer[DenialRow]:
    """What guardrails denied or were asked to approve, by decision and reason."""
    return ask(
        lease, __file__, DenialRow,
        workload=workload, source=source, since=since, until=until,
    )  # fmt: skip
