"""Errors that carry no class, the class unclassified, or a value outside the lists; never guessed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class UnclassifiedRow:
    """Errors that share what is missing, and their type."""

    missing: str
    type: str | None
    value: str | None
    errors: int
    runs: int


def unclassified(
    lease: Engine,
    *,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> Answer[UnclassifiedRow]:
    """Errors that carry no class, the class unclassified, or a value outside the lists; never guessed."""
    return ask(lease, __file__, UnclassifiedRow, workload=workload, source=source, since=since, until=until)
