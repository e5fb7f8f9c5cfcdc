"""Whether each recovery chain kept its own threshold and its own limit of attempts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class ThresholdRow:
    """A chain against its rules; `failures_over_max` is None where the chain records no limit."""

    chain: str
    auto_threshold: float
    max_attempts: int | None
    attempts: int
    auto_kept: int
    auto_broken: int
    auto_not_evaluable: int
    asked: int
    asked_above: int
    auto_not_recorded: int
    failures: int
    failures_over_max: int | None
    without_failure: int


def recovery_thresholds(
    lease: Engine,
    *,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    derived: bool = False,
) -> Answer[ThresholdRow]:
    """Auto-executions at and under each chain's threshold, and failures with more attempts than it allows."""
    return ask(
        lease, __file__, ThresholdRow, workload=workload, source=source, since=since, until=until, derived=derived
    )
