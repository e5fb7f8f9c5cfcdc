"""How many diagnosed failures are still open, and in which respect."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class UnsettledRow:
    """A respect, one of `origins.UNSETTLED`, and the diagnosed failures that are open in it."""

    unsettled: str
    failures: int


def unsettled_origins(
    lease: Engine,
    *,
    run: str | None = None,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> Answer[UnsettledRow]:
    """How many diagnosed failures are still open, and in which respect."""
    return ask(lease, __file__, UnsettledRow, run=run, workload=workload, source=source, since=since, until=until)
