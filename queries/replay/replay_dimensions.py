"""The dimensions of replays: expected beside observed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class ReplayDimensionRow:
    """One dimension of one replay; `drift` for agent replays only."""

    run_id: str
    replay_of: str | None
    dimension: str
    same: bool
    expected: str | None
    observed: str | None
    drift: str | None
    matching: int


def replay_dimensions(
    lease: Engine,
    *,
    run: str | None = None,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int = 2000,
    offset: int = 0,
) -> Answer[ReplayDimensionRow]:
    """The dimensions of replays: expected beside observed."""
    return ask(
        lease, __file__, ReplayDimensionRow,
        run=run, workload=workload, source=source, since=since, until=until, limit=limit, offset=offset,
    )  # fmt: skip
