"""The recovery attempts of one run in order, with their steps and the failure each belongs to."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class RunRecoveryRow:
    """A recovery attempt; unfinished where `outcome` is None."""

    run_id: str
    event_id: str
    seq: int | None
    occurred_at: datetime | None
    chain: str | None
    trigger: str | None
    confidence: float | None
    auto_executed: bool | None
    outcome: str | None
    steps_completed: int | None
    steps: tuple[str, ...] | None
    artifacts: tuple[str, ...] | None
    error_event_id: str | None
    signature: str | None
    signature_partial: bool | None
    basis: str | None
    rule: str | None


def run_recoveries(lease: Engine, *, run: str, limit: int = 1000) -> Answer[RunRecoveryRow]:
    """The recovery attempts of one run in order, with their steps and the failure each belongs to."""
    return ask(lease, __file__, RunRecoveryRow, run=run, limit=limit)
