"""Where the records of one run stand: file and line; `events` keeps those ids (a JSON array)."""

from __future__ import annotations

from dataclasses import dataclass

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class EventPlaceRow:
    """A record of the run and the place it was read from."""

    run_id: str
    kind: str
    event_id: str
    path: str | None
    part: str | None
    line: int | None


def event_places(lease: Engine, *, run: str, events: str | None = None, limit: int = 10000) -> Answer[EventPlaceRow]:
    """Where the records of one run stand: file and line; `events` keeps those ids (a JSON array)."""
    return ask(lease, __file__, EventPlaceRow, run=run, events=events, limit=limit)
