"""What people wrote about failures, with the whole history; nothing a person wrote is ever changed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """A review. `event_id` is None where it is about the run; the run's own columns are None once it was forgotten."""

    review_id: str
    run_id: str
    event_id: str | None
    kind: str
    verdict: str | None
    observed_at: str | None
    originated_at: str | None
    trigger: str | None
    root_cause: str | None
    context_failure_class: str | None
    fix_at: str | None
    prevention_layer: str | None
    prevention: str | None
    prevention_null: bool | None
    resolved: bool | None
    comment: str | None
    author: str
    created_at: datetime
    supersedes: str | None
    superseded: bool
    recorded_observed_at: str | None
    recorded_originated_at: str | None
    recorded_trigger: str | None
    recorded_root_cause: str | None
    workload: str | None
    run_name: str | None
    body: str
    matching: int


def reviews(
    lease: Engine,
    *,
    run: str | None = None,
    event: str | None = None,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int = 1000,
    offset: int = 0,
) -> Answer[ReviewRow]:
    """What people wrote about failures, with author, time and history; `since` and `until` are times of writing."""
    return ask(
        lease, __file__, ReviewRow, run=run, event=event, workload=workload, source=source, since=since, until=until,
        limit=limit, offset=offset,
    )  # fmt: skip
