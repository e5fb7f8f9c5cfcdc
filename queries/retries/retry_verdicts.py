"""Retries by verdict and workload; budgets from faultlens.toml unless given."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ingest.store.configuration import configuration
from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class RetryVerdictRow:
    """A verdict of a workload: how many retries have it, in how many runs."""

    workload: str
    verdict: str
    retries: int
    runs: int


def retry_verdicts(
    lease: Engine,
    *,
    per_failure: int | None = None,
    per_run: int | None = None,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> Answer[RetryVerdictRow]:
    """Retries by verdict and workload; budgets from faultlens.toml unless given."""
    retry = configuration().retry
    return ask(
        lease, __file__, RetryVerdictRow,
        per_failure=retry.per_failure if per_failure is None else per_failure,
        per_run=retry.per_run if per_run is None else per_run,
        workload=workload, source=source, since=since, until=until,
    )  # fmt: skip
