"""Which items are lost most often, at which stage, and who owns that stage."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.context.required import declared_required
from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class ContextLostItemRow:
    """An item lost at a stage: in `lost` of the `steps` that could have lost it there."""

    stage_no: int
    stage: str
    owner: str
    item_id: str
    lost: int
    steps: int
    rate: float
    rate_low: float
    rate_high: float
    proven: int
    required: int
    runs: int
    workloads: tuple[str, ...]
    first_lost: datetime | None
    last_lost: datetime | None
    example_run: str
    example_step: str
    revision: str | None
    current_revision: str | None
    matching: int


def context_lost_items(
    lease: Engine,
    *,
    stage: int | None = None,
    run: str | None = None,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    required: str | None = None,
    limit: int = 200,
    offset: int = 0,
) -> Answer[ContextLostItemRow]:
    """Which items are lost most often, at which stage, and who owns that stage."""
    return ask(
        lease,
        __file__,
        ContextLostItemRow,
        stage=stage,
        run=run,
        workload=workload,
        source=source,
        since=since,
        until=until,
        required=required or declared_required(),
        limit=limit,
        offset=offset,
    )
