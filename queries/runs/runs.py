"""The runs of the store."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run. `findings` is None where it was loaded before there were conformance rules."""

    run_id: str
    source: str
    native_id: str
    name: str | None
    workload: str
    status: str
    status_reason: str | None
    started_at: datetime | None
    ended_at: datetime | None
    clock: str
    duration_s: float | None
    spans: int
    errors: int
    recoveries: int
    findings: int | None
    matching: int


def runs(
    lease: Engine,
    *,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    status: str | None = None,
    search: str | None = None,
    sort: Literal["newest", "oldest", "longest", "most_errors", "name"] = "newest",
    limit: int = 1000,
    offset: int = 0,
) -> Answer[RunRow]:
    """Runs with how they really ended, the newest first."""
    return ask(
        lease, __file__, RunRow, workload=workload, source=source, since=since, until=until, status=status,
        search=search, sort=sort, limit=limit, offset=offset,
    )  # fmt: skip
