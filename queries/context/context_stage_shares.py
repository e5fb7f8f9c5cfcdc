"""The share of steps whose context failed at each stage: over all, by workload, agent and day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.context.required import declared_required
from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class ContextStageShareRow:
    """A stage within a workload, agent or day; `value` is None where there is none recorded, and over all."""

    dimension: str
    value: str | None
    stage_no: int
    stage: str
    owner: str
    steps: int
    found: int
    proven: int
    lost: int
    rate: float
    rate_low: float
    rate_high: float


def context_stage_shares(
    lease: Engine,
    *,
    run: str | None = None,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    required: str | None = None,
) -> Answer[ContextStageShareRow]:
    """The share of steps whose context failed at each stage: over all, by workload, agent and day."""
    return ask(
        lease,
        __file__,
        ContextStageShareRow,
        run=run,
        workload=workload,
        source=source,
        since=since,
        until=until,
        required=required or declared_required(),
    )
