"""Runs that went wrong and of which nobody has said where it began."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class UndiagnosedRow:
    """A run without an origin; `event_id` is its last error, None where it records none."""

    run_id: str
    event_id: str | None
    run_name: str
    workload: str
    status: str
    started_at: datetime | None
    errors: int
    error_type: str | None
    phase: str | None
    agent: str | None
    matching: int


def undiagnosed(
    lease: Engine,
    *,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int = 1000,
    offset: int = 0,
) -> Answer[UndiagnosedRow]:
    """Runs that went wrong and of which nobody has said where it began."""
    return ask(
        lease, __file__, UndiagnosedRow, workload=workload, source=source, since=since, until=until, limit=limit,
        offset=offset,
    )  # fmt: skip
