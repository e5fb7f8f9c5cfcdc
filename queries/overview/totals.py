"""How many runs there are, and what they hold."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class TotalsRow:
    """What there is, in one row."""

    runs: int
    workloads: int
    spans: int
    events: int
    errors: int
    recoveries: int
    unknown_runs: int
    running_runs: int
    undated_runs: int


def totals(
    lease: Engine,
    *,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> Answer[TotalsRow]:
    """How many runs there are, and what they hold."""
    return ask(lease, __file__, TotalsRow, workload=workload, source=source, since=since, until=until)
