"""Recovery chains A, B and C: how many attempts finished and recovered, raw and collapsed, with 95 % intervals."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class RecoveryChainRow:
    """A chain; attempts = finished + unfinished + other_outcome, finished = recovered + escalated + aborted."""

    chain: str
    attempts: int
    finished: int
    unfinished: int
    other_outcome: int
    recovered: int
    escalated: int
    aborted: int
    success_rate: float | None
    success_low: float | None
    success_high: float | None
    avg_confidence: float | None
    with_confidence: int
    attempts_collapsed: int
    finished_collapsed: int
    recovered_collapsed: int
    success_rate_collapsed: float | None
    success_low_collapsed: float | None
    success_high_collapsed: float | None
    auto_executed: int
    asked: int
    handed_over: int


def recovery_chains(
    lease: Engine,
    *,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    derived: bool = False,
) -> Answer[RecoveryChainRow]:
    """Recovery chains A, B and C: attempts, success with its 95 % interval, raw and collapsed; recorded events only."""
    return ask(
        lease, __file__, RecoveryChainRow, workload=workload, source=source, since=since, until=until, derived=derived
    )
