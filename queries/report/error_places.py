"""Where the errors of one run stand among its steps, in order."""

from __future__ import annotations

from dataclasses import dataclass

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class ErrorPlaceRow:
    """An error and the number of the step it belongs to, counted from 1 in the order of the run."""

    run_id: str
    event_id: str
    span_id: str | None
    seq: int | None
    place: int


def error_places(lease: Engine, *, run: str, after: int | None = None, limit: int = 1000) -> Answer[ErrorPlaceRow]:
    """Where the errors of one run stand among its steps, in order; with `after` those beyond that step."""
    return ask(lease, __file__, ErrorPlaceRow, run=run, after=after, limit=limit)
