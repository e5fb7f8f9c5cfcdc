"""Waits of agents for one another, with deadlines and cycles."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class WaitRow:
    """A wait; open where `until` is None."""

    run_id: str
    event_id: str | None
    waiter: str | None
    holder: str | None
    waits_for: str | None
    since: datetime | None
    deadline: datetime | None
    until: datetime | None
    on_cycle: bool
    overdue: bool
    run_name: str | None
    workload: str
    matching: int


def waits_over_time(
    lease: Engine,
    *,
    run: str | None = None,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int = 200,
    offset: int = 0,
) -> Answer[WaitRow]:
    """Waits of agents for one another, with deadlines and cycles."""
    return ask(
        lease, __file__, WaitRow,
        run=run, workload=workload, source=source, since=since, until=until, limit=limit, offset=offset,
    )  # fmt: skip
