"""A recovery or escalation rate day by day, with limits that allow for over-dispersed days."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class TrendRow:
    """A day; limits are None where there are too few days to tell chance from change."""

    day: date
    finished: int
    counted: int
    rate: float
    mean: float
    limit_low: float | None
    limit_high: float | None
    overdispersion: float | None
    outside: bool | None


def recovery_trend(
    lease: Engine,
    *,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    derived: bool = False,
    chain: str | None = None,
    measure: str = "success",
) -> Answer[TrendRow]:
    """A rate day by day with Laney p' limits; `measure` may be success or escalation."""
    return ask(
        lease, __file__, TrendRow, workload=workload, source=source, since=since, until=until, derived=derived,
        chain=chain, measure=measure,
    )  # fmt: skip
