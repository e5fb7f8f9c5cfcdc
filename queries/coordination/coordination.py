"""Failures that look like still running: circulating tasks, waits, ownership, degraded agents."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class CoordinationRow:
    """A coordination fault; `members` are the agents in order."""

    run_id: str
    kind: str
    members: tuple[str, ...]
    detail: str | None
    event_id: str | None
    task_id: str | None
    run_name: str | None
    workload: str
    started_at: datetime | None
    matching: int


def coordination(
    lease: Engine,
    *,
    run: str | None = None,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int = 1000,
    offset: int = 0,
) -> Answer[CoordinationRow]:
    """Failures that look like still running: circulating tasks, waits, ownership, degraded agents."""
    return ask(
        lease, __file__, CoordinationRow,
        run=run, workload=workload, source=source, since=since, until=until, limit=limit, offset=offset,
    )  # fmt: skip
