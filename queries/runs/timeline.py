"""Everything that happened in one run, in causal order; `kinds` keeps those named, with commas between."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class TimelineRow:
    """An event of a run; `occurred_at` is None where the run has no wall clock."""

    run_id: str
    seq: int | None
    occurred_at: datetime | None
    kind: str
    agent: str | None
    phase: str | None
    level: str | None
    name: str | None
    outcome: str | None
    summary: str | None
    event_id: str | None
    span_id: str | None
    matching: int


def timeline(
    lease: Engine,
    *,
    run: str,
    kinds: str | None = None,
    limit: int = 100000,
    offset: int = 0,
) -> Answer[TimelineRow]:
    """Everything that happened in one run, in causal order; `kinds` keeps those named, with commas between."""
    return ask(lease, __file__, TimelineRow, run=run, kinds=kinds, limit=limit, offset=offset)
