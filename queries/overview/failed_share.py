"""The share of runs that failed, of those whose outcome is known, with its 95 % interval."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class FailedShareRow:
    """The failed share of a workload's runs; workload None is all of them together."""

    workload: str | None
    runs: int
    decided: int
    failed: int
    undecided: int
    rate: float | None
    rate_low: float | None
    rate_high: float | None


def failed_share(
    lease: Engine,
    *,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> Answer[FailedShareRow]:
    """The share of runs that failed, of those whose outcome is known, with its 95 % interval."""
    return ask(lease, __file__, FailedShareRow, workload=workload, source=source, since=since, until=until)
