"""Resets, rollbacks, checkpoints and compactions: what each keeps, its trigger, and what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class ContextOperationRow:
    """An operation on a run's context; `concern` is None where nothing speaks against it."""

    run_id: str
    event_id: str | None
    op: str
    keeps: str | None
    trigger_no: int | None
    trigger_means: str | None
    escalated: bool | None
    resume_contract_kept: bool | None
    concern: str | None
    agent: str | None
    details: str | None
    occurred_at: datetime | None
    run_name: str | None
    workload: str
    matching: int


def context_operations(
    lease: Engine,
    *,
    run: str | None = None,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int = 500,
    offset: int = 0,
) -> Answer[ContextOperationRow]:
    """Resets, rollbacks, checkpoints and compactions: what each keeps, its trigger, and what is wrong with it."""
    return ask(
        lease, __file__, ContextOperationRow,
        run=run, workload=workload, source=source, since=since, until=until, limit=limit, offset=offset,
    )  # fmt: skip
