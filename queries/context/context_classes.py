"""Recorded context failure classes beside the stage that the sets locate, contradictions first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.context.required import declared_required
from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class ContextClassRow:
    """A recorded class. `verdict`: agrees, contradicts, not evaluable, no stage (of the class), no step (with sets)."""

    run_id: str
    step_id: str | None
    event_id: str
    record: str
    context_failure_class: str
    sign: str | None
    fix_place: str | None
    class_stages: tuple[int, ...]
    stage_no: int | None
    stage: str | None
    verdict: str
    workload: str | None
    matching: int


def context_classes(
    lease: Engine,
    *,
    run: str | None = None,
    step: str | None = None,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    required: str | None = None,
    limit: int = 1000,
) -> Answer[ContextClassRow]:
    """Recorded context failure classes beside the stage that the sets locate, contradictions first."""
    return ask(
        lease,
        __file__,
        ContextClassRow,
        run=run,
        step=step,
        workload=workload,
        source=source,
        since=since,
        until=until,
        required=required or declared_required(),
        limit=limit,
    )
