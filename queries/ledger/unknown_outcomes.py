"""Effects that may exist: the resource to check, confirmed or not, and by whom."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class UnknownOutcomeRow:
    """An effect that may exist; `collapsed`: it was called failed, or retried unchecked."""

    run_id: str
    event_id: str | None
    resource: str | None
    error_code: str | None
    agent: str | None
    checked_state: str | None
    checked_by: str | None
    kind: str
    collapsed: bool
    details: str | None
    occurred_at: datetime | None
    run_name: str | None
    workload: str
    matching: int


def unknown_outcomes(
    lease: Engine,
    *,
    run: str | None = None,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int = 500,
    offset: int = 0,
) -> Answer[UnknownOutcomeRow]:
    """Effects that may exist: the resource to check, confirmed or not, and by whom."""
    return ask(
        lease, __file__, UnknownOutcomeRow,
        run=run, workload=workload, source=source, since=since, until=until, limit=limit, offset=offset,
    )  # fmt: skip
