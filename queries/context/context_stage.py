"""The stage of each step at which context was lost, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.context.required import declared_required
from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class ContextStageRow:
    """A step with context sets. `stage_no` None is no loss found, `lost` None nothing evaluable."""

    run_id: str
    step_id: str
    stage_no: int | None
    literal_stage_no: int | None
    stage: str | None
    owner: str | None
    lost: int | None
    lost_background: int | None
    proven: bool
    not_evaluable: tuple[int, ...]
    required_basis: str | None
    required_rule: str | None
    sets: tuple[str, ...]
    derived_sets: tuple[str, ...]
    compared_by_id: int
    native_id: str
    run_name: str | None
    workload: str
    agent: str | None
    phase: str | None
    seq: int | None
    occurred_at: datetime | None
    matching: int


def context_stage(
    lease: Engine,
    *,
    run: str | None = None,
    step: str | None = None,
    stage: int | None = None,
    located: bool = False,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    required: str | None = None,
    limit: int = 100000,
    offset: int = 0,
) -> Answer[ContextStageRow]:
    """The stage of each step at which context was lost, and how sure that is."""
    return ask(
        lease,
        __file__,
        ContextStageRow,
        run=run,
        step=step,
        stage=stage,
        located=located,
        workload=workload,
        source=source,
        since=since,
        until=until,
        required=required or declared_required(),
        limit=limit,
        offset=offset,
    )
