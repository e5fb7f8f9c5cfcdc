"""The six sets of the steps of one run side by side, recorded, derived or not there."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.context.required import declared_required
from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class ContextStepSetRow:
    """A set of a step; `items` and `members` are None where it is not recorded, which is not an empty set."""

    run_id: str
    step_id: str
    set_name: str
    is_there: bool
    basis: str | None
    rule: str | None
    records: int
    items: int | None
    members: tuple[str, ...] | None
    member_ids: tuple[str, ...] | None
    seq: int | None
    agent: str | None


def context_step_sets(
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
) -> Answer[ContextStepSetRow]:
    """The six sets of the steps of one run side by side, recorded, derived or not there."""
    return ask(
        lease,
        __file__,
        ContextStepSetRow,
        run=run,
        step=step,
        workload=workload,
        source=source,
        since=since,
        until=until,
        required=required or declared_required(),
        limit=limit,
    )
