"""Failures by signature with their lifecycle, the most frequent first; a partial one is possibly the same failure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from ingest.store.configuration import configuration, duration
from queries.reader import Answer, Engine, ask

STATES = ("new", "ongoing", "regressed", "resolved")


@dataclass(frozen=True, slots=True)
class SignatureRow:
    """A signature. `collapsed` counts equal full signatures of a run once; `merged` are those a reviewer joined."""

    signature: str
    partial: bool
    error_code: str | None
    type: str | None
    location: str | None
    phase: str | None
    occurrences: int
    collapsed: int
    runs: int
    workloads: tuple[str, ...]
    first_seen: datetime | None
    last_seen: datetime | None
    state: str
    repeats_in_run: int
    example_run: str
    example_event: str | None
    merged: tuple[str, ...]
    resolved_by: str | None
    resolved_at: datetime | None
    returned_at: datetime | None
    matching: int


def quiet_s() -> int:
    """How long a failure is not seen until it counts as resolved, by faultlens.toml."""
    return int(duration(configuration().signatures.resolved_after).total_seconds())


def signatures(
    lease: Engine,
    *,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    state: str | None = None,
    signature: str | None = None,
    search: str | None = None,
    sort: Literal["frequent", "newest", "runs"] = "frequent",
    resolved_after_s: int | None = None,
    limit: int = 1000,
    offset: int = 0,
) -> Answer[SignatureRow]:
    """Failures by signature with their lifecycle; partial ones are possibly the same."""
    return ask(
        lease, __file__, SignatureRow, workload=workload, source=source, since=since, until=until, state=state,
        signature=signature, search=search, sort=sort, limit=limit, offset=offset,
        resolved_after_s=quiet_s() if resolved_after_s is None else resolved_after_s,
    )  # fmt: skip
