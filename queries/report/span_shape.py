"""How the steps of one run ended, and how many do not hang together as a tree."""

from __future__ import annotations

from dataclasses import dataclass

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class SpanShapeRow:
    """Counts of the run's steps. An orphan names a parent that is not there; one in a circle never reaches a root."""

    run_id: str
    spans: int
    completed: int
    failed: int
    unfinished: int
    not_reached: int
    not_recorded: int
    orphans: int
    in_circles: int
    deepest: int


def span_shape(lease: Engine, *, run: str) -> Answer[SpanShapeRow]:
    """How the steps of one run ended, and how many do not hang together as a tree."""
    return ask(lease, __file__, SpanShapeRow, run=run)
