"""The steps directly below one step of a run, or its roots, each with what lies below it."""

from __future__ import annotations

from dataclasses import dataclass

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class SpanChildRow:
    """A step with the number of steps below it, and how many of those failed."""

    run_id: str
    span_id: str
    parent_span_id: str | None
    seq: int | None
    kind: str | None
    name: str | None
    phase: str | None
    agent: str | None
    tool: str | None
    duration_s: float | None
    status: str | None
    is_orphan: bool
    below: int
    failed_below: int
    matching: int


def span_children(
    lease: Engine, *, run: str, parent: str | None = None, limit: int = 200, offset: int = 0
) -> Answer[SpanChildRow]:
    """The steps directly below one step of a run, or its roots, each with what lies below it."""
    return ask(lease, __file__, SpanChildRow, run=run, parent=parent, limit=limit, offset=offset)
