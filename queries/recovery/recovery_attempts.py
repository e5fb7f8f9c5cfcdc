"""Recovery attempts one by one, the newest first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class RecoveryAttemptRow:
    """An attempt of a recovery chain; unfinished where `outcome` is None."""

    run_id: str
    event_id: str
    workload: str
    happened_at: datetime | None
    chain: str | None
    trigger: str | None
    confidence: float | None
    auto_executed: bool | None
    outcome: str | None
    counted_as: str
    error_event_id: str | None
    failure: str | None
    full_signature: str | None
    matching: int


def recovery_attempts(
    lease: Engine,
    *,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    derived: bool = False,
    chain: str | None = None,
    limit: int = 1000,
    offset: int = 0,
) -> Answer[RecoveryAttemptRow]:
    """Recovery attempts one by one, the newest first, also those that are in no rate."""
    return ask(
        lease, __file__, RecoveryAttemptRow, workload=workload, source=source, since=since, until=until,
        derived=derived, chain=chain, limit=limit, offset=offset,
    )  # fmt: skip
