"""Failure classes with their normative profile and how often each occurred."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class FailureClassRow:
    """A failure class with its normative profile; a class outside the list has none."""

    failure_class: str
    known: bool
    category: str | None
    retryable: bool | None
    replayable: bool | None
    errors: int
    runs: int
    recoverable: int
    category_differs: int


def failure_classes(
    lease: Engine,
    *,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> Answer[FailureClassRow]:
    """Failure classes with their normative profile and how often each occurred."""
    return ask(lease, __file__, FailureClassRow, workload=workload, source=source, since=since, until=until)
