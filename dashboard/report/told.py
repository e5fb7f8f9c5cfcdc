"""How facts read in a report: times, places, events, and what people wrote."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from dashboard.report.document import ABSENT, Cell, Entry, Human, Link, Words, joined, recorded
from dashboard.report.facts import Facts
from queries.origins.reviews import ReviewRow
from queries.runs.timeline import TimelineRow


def moment(value: datetime | None) -> str:
    """A time in UTC to the second, or a dash."""
    return f"{value.astimezone(UTC):%Y-%m-%d %H:%M:%S}Z" if value else ABSENT


def counted(number: int, one: str, many: str | None = None) -> str:
    """A count with its noun."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def share(rate: float | None, low: float | None, high: float | None) -> str:
    """A share with its 95 % interval, or a dash."""
    if rate is None or low is None or high is None:
        return ABSENT
    return f"{rate:.0%} (95 % interval {low:.0%} to {high:.0%})"


def seconds(value: float | None) -> str:
    """A span of time, or a dash."""
    if value is None:
        return ABSENT
    if abs(value) < 60:
        return f"{value:.3g} s"
    minutes, rest = divmod(round(abs(value)), 60)
    return f"{'-' if value < 0 else ''}{minutes} min {rest} s"


def beside(said: str | None, before: str | None, basis: str) -> Cell:
    """What stands, and beside what a person said what the records say of it."""
    shown = recorded(said) if said else (Words("not recorded"),)
    if basis != "reviewed":
        return shown
    if said and said == before:
        return (*shown, Words(" (from the records)"))
    return (*shown, Words(" (the records say: "), *(recorded(before) if before else (Words("nothing"),)), Words(")"))


def by_whom(basis: str, author: str | None) -> Cell:
    """The basis of a statement, and who made it where that is known."""
    return (*recorded(basis), *((Words(" by "), *recorded(author)) if author else ()))


def place(path: str | None, line: int | None) -> Cell:
    """The file and line of a record."""
    return (*recorded(path), Words(f" line {line}")) if path and line else recorded(path)


def spot(row: TimelineRow) -> Cell:
    """The phase and the agent of a moment."""
    parts = [recorded(value) for value in (row.phase, row.agent) if value]
    return joined(parts, " / ") if parts else (Words("a place that is not recorded"),)


def suspect(step: str) -> Cell:
    """A suspected step by its number or name; one that has neither by its place in the order."""
    return recorded(step) if step.startswith("seq ") else (Words("step "), *recorded(step))


def number_of(facts: Facts, event_id: str | None) -> int | None:
    """The number of an event in the timeline of the report."""
    return next((n for n, row in enumerate(facts.incident.rows, 1) if event_id and row.event_id == event_id), None)


def event(facts: Facts, event_id: str | None) -> Cell:
    """An event, linked to its place in the timeline where it stands there."""
    number = number_of(facts, event_id)
    return (
        recorded(event_id) if number is None or event_id is None else (Link(event_id, f"#e{number}", is_recorded=True),)
    )


def human(facts: Facts, key: str, ask: str, *kinds: str, text: Callable[[ReviewRow], str] | None = None) -> Human:
    """A place for people's words, with what stands in the store for these kinds, the oldest first."""
    rows = [row for row in reversed(facts.reviews) if row.kind in (kinds or (key,)) and not row.superseded]
    entries = (Entry(row.author, moment(row.created_at), (text or _comment)(row), row.event_id) for row in rows)
    return Human(key, ask, tuple(entry for entry in entries if entry.text))


def _comment(row: ReviewRow) -> str:
    return row.comment or ""


def body(row: ReviewRow) -> dict[str, Any]:
    """What was written, field by field."""
    found: dict[str, Any] = json.loads(row.body)
    return found
