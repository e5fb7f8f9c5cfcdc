"""The step at which recovery attempts fail."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class FailingStepRow:
    """Attempts of a chain that failed first at this step; step None where no step is recorded as failed."""

    chain: str | None
    step: int | None
    agent: str | None
    action: str | None
    attempts: int
    reached: int | None


def recovery_failing_steps(
    lease: Engine,
    *,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    derived: bool = False,
) -> Answer[FailingStepRow]:
    """Where attempts that did not recover failed: the first failed step of each, by chain."""
    return ask(
        lease, __file__, FailingStepRow, workload=workload, source=source, since=since, until=until, derived=derived
    )
