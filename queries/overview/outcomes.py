"""How runs ended, by workload."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class OutcomeRow:
    """How many runs of a workload ended in one way."""

    workload: str
    status: str
    runs: int


def outcomes(
    lease: Engine,
    *,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> Answer[OutcomeRow]:
    """How runs ended, by workload."""
    return ask(lease, __file__, OutcomeRow, workload=workload, source=source, since=since, until=until)
