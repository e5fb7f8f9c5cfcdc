"""How values read on the screen: absent is a dash, never a nought; a glyph and a word stand beside every colour."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

ABSENT = "–"
Colour = Literal["red", "orange", "yellow", "blue", "green", "violet", "gray"]


@dataclass(frozen=True, slots=True)
class Sign:
    """A glyph, the theme's colour, and what it means."""

    glyph: str
    colour: Colour
    means: str


OUTCOMES: dict[str, Sign] = {
    "succeeded": Sign("✓", "green", "the run did what it was asked"),
    "failed": Sign("✕", "red", "the run failed"),
    "vetoed": Sign("⊘", "violet", "a decision against the result: neither failure nor success"),
    "escalated": Sign("▲", "orange", "handed to a person; it stopped and did not fail"),
    "aborted": Sign("■", "red", "stopped before its end"),
    "interrupted": Sign("‖", "blue", "cut off; it may be resumed"),
    "refused": Sign("⊗", "violet", "refused by the runtime"),
    "running": Sign("◌", "blue", "not over yet"),
    "unknown": Sign("?", "gray", "the records do not say how it ended"),
}
STEPS: dict[str, Sign] = {
    "ok": Sign("✓", "green", "completed"),
    "error": Sign("✕", "red", "failed"),
    "open": Sign("◌", "orange", "started, no end recorded"),
    "not_reached": Sign("·", "gray", "never reached: it did not fail"),
    "unset": Sign("–", "gray", "no status recorded"),
}
MARKS: dict[str, Sign] = {
    "error": Sign("✕", "red", "an operation failed"),
    "recovery": Sign("↻", "blue", "a recovery chain ran"),
    "guardrail": Sign("◆", "violet", "a guardrail spoke"),
    "wait": Sign("…", "orange", "one agent waited for another"),
    "handoff": Sign("⇄", "blue", "work was handed over, or refused"),
}
_UNLISTED = Sign("?", "gray", "a value outside the list, kept as recorded")
_STEP_WORDS = {"error": "failed", "not_reached": "not reached", "unset": "not recorded"}


def outcome_sign(status: str | None) -> Sign:
    """The sign of a run's outcome."""
    return OUTCOMES.get(status or "unknown", _UNLISTED)


def outcome(status: str | None) -> str:
    """Glyph and word of a run's outcome."""
    return f"{outcome_sign(status).glyph} {status or 'unknown'}"


def step_ended(status: str | None) -> str:
    """Glyph and word of how a step ended."""
    if status is None:
        return f"{ABSENT} not recorded"
    return f"{STEPS.get(status, _UNLISTED).glyph} {_STEP_WORDS.get(status, status)}"


def kind_of_event(kind: str) -> str:
    """The kind of an event, with its glyph where it has one."""
    return f"{MARKS[kind].glyph} {kind}" if kind in MARKS else kind


def moment(value: datetime | None) -> str:
    """A time to the second, in UTC."""
    return value.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC") if value else ABSENT


def duration(seconds: float | None) -> str:
    """A duration in the two units that matter."""
    if seconds is None:
        return ABSENT
    if seconds < 0:
        return f"−{duration(-seconds)}"
    if 0 < seconds < 0.001:
        return f"{seconds * 1e6:.0f} µs"
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s"


def count(number: int | None) -> str:
    """A count, or a dash where nothing was counted."""
    return ABSENT if number is None else f"{number:,}"


def counted(number: int, one: str, many: str | None = None) -> str:
    """A count with its noun."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def share(rate: float | None) -> str:
    """A share as a percentage, or a dash where nothing could be counted."""
    return ABSENT if rate is None else f"{rate:.1%}"


def interval(low: float | None, high: float | None) -> str:
    """A 95 % interval of a share."""
    return ABSENT if low is None or high is None else f"{low:.1%} to {high:.1%}"


# Of an empty text: it was recorded, so it is not unknown.
NAMELESS = "(no name)"


def clipped(text: str, longest: int = 400) -> str:
    """The beginning of a text that nobody would read to its end in its place, and how long it is."""
    return text if len(text) <= longest else f"{text[:longest]}… ({len(text):,} characters)"


def said(value: object) -> str:
    """Any recorded value as text; absent says so."""
    if value is None or value == "":
        return "not recorded"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
