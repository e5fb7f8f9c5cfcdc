"""Where failures were observed and where they originated, reviewed before recorded before derived."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask

UNSETTLED = ("provisional", "origin after observation", "trigger as root cause", "null prevention")


@dataclass(frozen=True, slots=True)
class OriginRow:
    """An event with a diagnosis. `distance` counts phases, `step_distance` steps; None where a place is not known."""

    run_id: str
    event_id: str | None
    observed_at: str | None
    originated_at: str | None
    observed_phase: str | None
    originated_phase: str | None
    distance: int | None
    basis: str
    fix_at: str | None
    provisional: bool
    direction: str | None
    lifecycle: str | None
    step_distance: int | None
    delay_s: float | None
    trigger: str | None
    root_cause: str | None
    trigger_is_cause: bool | None
    context_failure_class: str | None
    prevention_layer: str | None
    prevention: str | None
    prevention_null: bool | None
    durable: bool | None
    status: str | None
    resolved: bool
    rule: str | None
    author: str | None
    diagnosed_at: datetime | None
    review_id: str | None
    standing_reviews: int
    recorded_observed_at: str | None
    recorded_originated_at: str | None
    recorded_trigger: str | None
    recorded_root_cause: str | None
    recorded_fix_at: str | None
    recorded_prevention: str | None
    recorded_basis: str | None
    workload: str
    run_name: str
    started_at: datetime | None
    error_type: str | None
    agent: str | None
    origin_agent: str | None
    matching: int


def origins(
    lease: Engine,
    *,
    run: str | None = None,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    unsettled: str | None = None,
    limit: int = 1000,
    offset: int = 0,
) -> Answer[OriginRow]:
    """Where failures were observed and where they originated, reviewed before recorded before derived.

    `unsettled` keeps those that are still open in one respect, one of `UNSETTLED`.
    """
    return ask(
        lease,
        __file__,
        OriginRow,
        run=run,
        workload=workload,
        source=source,
        since=since,
        until=until,
        unsettled=unsettled,
        limit=limit,
        offset=offset,
    )
