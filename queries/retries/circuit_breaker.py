"""Circuit breakers that opened: a full signature seen twice in its run."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class BreakerRow:
    """One signature in one run: 1 attempt and its repeats; what came after the opening is thrash."""

    run_id: str
    signature: str
    error_code: str | None
    agent: str | None
    opened_by: str | None
    opened_at: datetime | None
    occurrences: int
    attempts: int
    repeats: int
    after_opening: int
    state: str
    run_name: str | None
    workload: str
    matching: int


def circuit_breaker(
    lease: Engine,
    *,
    run: str | None = None,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int = 200,
    offset: int = 0,
) -> Answer[BreakerRow]:
    """Circuit breakers that opened: a full signature seen twice in its run."""
    return ask(
        lease, __file__, BreakerRow,
        run=run, workload=workload, source=source, since=since, until=until, limit=limit, offset=offset,
    )  # fmt: skip
