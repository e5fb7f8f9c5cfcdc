"""Refused hand-offs by edge and condition; they enter no rate."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class HandoffRefusalRow:
    """Refusals of one receiver to one sender on one condition."""

    from_agent: str | None
    to_agent: str | None
    condition: str | None
    condition_means: str | None
    refusals: int
    runs: int
    second_bounces: int
    example: str | None
    matching: int


def handoff_refusals(
    lease: Engine,
    *,
    run: str | None = None,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int = 200,
    offset: int = 0,
) -> Answer[HandoffRefusalRow]:
    """Refused hand-offs by edge and condition; they enter no rate."""
    return ask(
        lease, __file__, HandoffRefusalRow,
        run=run, workload=workload, source=source, since=since, until=until, limit=limit, offset=offset,
    )  # fmt: skip
