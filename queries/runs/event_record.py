"""One record of one run as it is stored: its columns, its attributes, its file and line."""

from __future__ import annotations

from dataclasses import dataclass

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class EventRecord:
    """A record as it is stored, with the file and line it came from."""

    run_id: str
    kind: str
    event_id: str
    path: str | None
    part: str | None
    line: int | None
    record: str
    attributes: str | None


def event_record(lease: Engine, *, run: str, event: str) -> Answer[EventRecord]:
    """One record of one run as it is stored: its columns, its attributes, its file and line."""
    return ask(lease, __file__, EventRecord, run=run, event=event)
