"""Every retry with its verdict; budgets from faultlens.toml unless given."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ingest.store.configuration import configuration
from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class RetryRow:
    """A failure that was tried again. `attempt` counts the first try; `budget_used` is the run's so far."""

    run_id: str
    event_id: str | None
    of_event: str
    attempt: int
    verdict: str
    step: str | None
    agent: str | None
    location: str | None
    error_code: str | None
    tool_error_class: str | None
    action: str | None
    signature: str | None
    caused_by: str | None
    budget_used: int
    budget_of_run: int
    run_name: str | None
    workload: str
    started_at: datetime | None
    matching: int


def retry_audit(
    lease: Engine,
    *,
    per_failure: int | None = None,
    per_run: int | None = None,
    run: str | None = None,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    verdict: str | None = None,
    limit: int = 1000,
    offset: int = 0,
) -> Answer[RetryRow]:
    """Every retry with its verdict; budgets from faultlens.toml unless given."""
    retry = configuration().retry
    per_failure = retry.per_failure if per_failure is None else per_failure
    per_run = retry.per_run if per_run is None else per_run
    return ask(
        lease, __file__, RetryRow,
        per_failure=per_failure, per_run=per_run, run=run, workload=workload, source=source, since=since,
        until=until, verdict=verdict, limit=limit, offset=offset,
    )  # fmt: skip
