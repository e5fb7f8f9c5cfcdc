"""The steps of one run that match a text, or ended in one way, or do not hang together; in order."""

from __future__ import annotations

from dataclasses import dataclass

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class SpanFoundRow:
    """A step that matches; one in a circle never reaches a root."""

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
    in_circle: bool
    matching: int


def span_search(
    lease: Engine, *, run: str, text: str | None = None, ended: str | None = None, limit: int = 200, offset: int = 0
) -> Answer[SpanFoundRow]:
    """The steps that match a text; `ended` is a status, or orphan or circle for what does not hang together."""
    return ask(lease, __file__, SpanFoundRow, run=run, text=text, ended=ended, limit=limit, offset=offset)
