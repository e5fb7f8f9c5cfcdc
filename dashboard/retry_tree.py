"""How deep a retry stands below those that caused it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

# Deeper ones are indented like this one, with their depth in words.
DEEPEST = 8


class Retry(Protocol):
    """A failure that was tried again, and the retry that caused it."""

    @property
    def run_id(self) -> str: ...  # noqa: D102
    @property
    def event_id(self) -> str | None: ...  # noqa: D102
    @property
    def of_event(self) -> str: ...  # noqa: D102
    @property
    def caused_by(self) -> str | None: ...  # noqa: D102


def depths(rows: Iterable[Retry]) -> dict[tuple[str, str], int]:
    """How many retries stand above each; one that names a cause which is nowhere stands below that one."""
    of = {(row.run_id, row.of_event): row for row in rows}
    made_by = {(row.run_id, row.event_id): row for row in of.values() if row.event_id}
    known: dict[tuple[str, str], int] = {}
    for start in of:
        at: tuple[str, str] | None = start
        below: dict[tuple[str, str], None] = {}
        # Up to one whose depth is known, to one without a cause here, or once round a circle of causes.
        while at and at not in known and at not in below:
            below[at] = None
            at = _cause(of[at], made_by)
        depth = known.get(at, 0) if at else (0 if of[next(reversed(below))].caused_by else -1)
        for row in reversed(below):
            depth += 1
            known[row] = depth
    return known


def _cause(row: Retry, made_by: Mapping[tuple[str, str], Retry]) -> tuple[str, str] | None:
    cause = made_by.get((row.run_id, row.caused_by)) if row.caused_by else None
    return (cause.run_id, cause.of_event) if cause else None


def indented(depth: int, text: str) -> str:
    """The text as far to the right as it stands deep."""
    arrow = "" if not depth else "↳ " if depth <= DEEPEST else f"↳ {depth} deep: "
    return "\u2003" * min(depth, DEEPEST) + arrow + text
