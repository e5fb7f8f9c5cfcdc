"""How many failures are diagnosed, how many originated elsewhere, and what is still open about them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class OriginFiguresRow:
    """The figures of all diagnosed failures; the share and the median are None where nothing has a distance."""

    diagnosed: int
    reviewed: int
    recorded: int
    derived: int
    with_origin: int
    comparable: int
    moved: int
    origin_after: int
    median_distance: float | None
    provisional: int
    trigger_is_cause: int
    prevention_null: int
    with_delay: int
    median_delay_s: float | None
    elsewhere: float | None
    elsewhere_low: float | None
    elsewhere_high: float | None


def origin_figures(
    lease: Engine,
    *,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    derived: bool = False,
) -> Answer[OriginFiguresRow]:
    """How many failures are diagnosed, how many originated elsewhere, and what is still open about them."""
    return ask(
        lease, __file__, OriginFiguresRow, workload=workload, source=source, since=since, until=until, derived=derived
    )
