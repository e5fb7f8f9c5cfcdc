"""What the steps of one run lost of their context, at every difference that can be evaluated."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.context.required import declared_required
from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class ContextDiffRow:
    """A lost item; `required` is None where nobody says what the step needed."""

    run_id: str
    step_id: str
    stage_no: int
    stage: str
    owner: str
    item_id: str
    revision: str | None
    current_revision: str | None
    required: bool | None
    is_background: bool
    at_stage: bool
    required_basis: str | None
    seq: int | None


def context_diff(
    lease: Engine,
    *,
    run: str,
    step: str | None = None,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    required: str | None = None,
    limit: int = 100000,
) -> Answer[ContextDiffRow]:
    """What the steps of one run lost of their context, at every difference that can be evaluated."""
    return ask(
        lease,
        __file__,
        ContextDiffRow,
        run=run,
        step=step,
        workload=workload,
        source=source,
        since=since,
        until=until,
        required=required or declared_required(),
        limit=limit,
    )
