"""Items followed through the steps of one run: where each was lost, and whether it was ever back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.context.required import declared_required
from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class ContextJourneyRow:
    """An item at a step; no sets and no loss: the step does not name it."""

    run_id: str
    item_id: str
    step_id: str
    seq: int | None
    agent: str | None
    sets: tuple[str, ...]
    lost_at: int | None
    lost_stage: str | None
    is_background: bool
    is_required: bool
    consumed_revision: str | None
    current_revision: str | None
    times_lost: int
    matching: int


def context_journey(
    lease: Engine,
    *,
    run: str,
    item: str | None = None,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    required: str | None = None,
    limit: int = 50,
) -> Answer[ContextJourneyRow]:
    """Items followed through the steps of one run: where each was lost, and whether it was ever back."""
    return ask(
        lease,
        __file__,
        ContextJourneyRow,
        run=run,
        item=item,
        workload=workload,
        source=source,
        since=since,
        until=until,
        required=required or declared_required(),
        limit=limit,
    )
