"""What is known of one run: every run of that run_id, else of that native_id."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What is known of one run, with what its state at failure and its contract class mean."""

    run_id: str
    source: str
    native_id: str
    name: str | None
    workload: str | None
    tenant: str | None
    status: str
    status_reason: str | None
    stop_reason: str | None
    state_at_failure: str | None
    evidence_that_holds: str | None
    permitted_next_action: str | None
    contract_class: str | None
    operator_response: str | None
    started_at: datetime | None
    ended_at: datetime | None
    clock: str
    duration_s: float | None
    identity: str | None
    parent_run_id: str | None
    session_id: str | None
    flags: tuple[str, ...] | None
    path: str | None
    line: int | None
    spans: int
    events: int
    errors: int
    recoveries: int
    guardrails: int
    context_sets: int
    context_ops: int
    diagnoses: int
    delegations: int
    waits: int
    handoffs: int
    replays: int
    attributes: str | None


def run_facts(lease: Engine, *, run: str) -> Answer[RunFacts]:
    """What is known of one run: every run of that run_id, else of that native_id."""
    return ask(lease, __file__, RunFacts, run=run)
