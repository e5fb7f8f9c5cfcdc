"""Runs and what they replay: the verdict beside the events difference and the first divergent event."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class ReplayPairRow:
    """A replay; `differences` are dimensions whose observed value is not the expected one."""

    run_id: str
    replay_of: str | None
    original_run: str | None
    verdict: str | None
    outcome: str | None
    differences: int
    dimensions: tuple[str, ...]
    events_differ: bool
    first_position: int | None
    first_expected: str | None
    first_observed: str | None
    run_name: str | None
    workload: str
    status: str
    matching: int


def replay_pairs(
    lease: Engine,
    *,
    run: str | None = None,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int = 200,
    offset: int = 0,
) -> Answer[ReplayPairRow]:
    """Runs and what they replay: the verdict beside the events difference and the first divergent event."""
    return ask(
        lease, __file__, ReplayPairRow,
        run=run, workload=workload, source=source, since=since, until=until, limit=limit, offset=offset,
    )  # fmt: skip
