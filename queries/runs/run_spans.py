"""The steps of one run in order, with how each ended; a step never reached did not fail."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class SpanRow:
    """A step, call or turn of a run; times are None where the run has no wall clock."""

    run_id: str
    span_id: str
    parent_span_id: str | None
    seq: int | None
    kind: str | None
    name: str | None
    phase: str | None
    agent: str | None
    step_index: int | None
    started_at: datetime | None
    ended_at: datetime | None
    duration_s: float | None
    status: str | None
    tool: str | None
    model: str | None
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    last_seq: int | None
    matching: int


def run_spans(lease: Engine, *, run: str, limit: int = 1000, offset: int = 0) -> Answer[SpanRow]:
    """The steps of one run in order, with how each ended; a step never reached did not fail."""
    return ask(lease, __file__, SpanRow, run=run, limit=limit, offset=offset)
