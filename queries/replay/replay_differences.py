"""In which dimensions replays differ from what they replay."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class ReplayDifferenceRow:
    """A dimension, and the replays whose observed value is not the expected one."""

    dimension: str
    replays: int


def replay_differences(
    lease: Engine,
    *,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> Answer[ReplayDifferenceRow]:
    """In which dimensions replays differ from what they replay, and how many do."""
    return ask(lease, __file__, ReplayDifferenceRow, workload=workload, source=source, since=since, until=until)
