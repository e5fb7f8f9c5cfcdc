"""The failures of one run in order, with their classes and what each class allows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class RunErrorRow:
    """A failure of a run with its classes and what they allow."""

    run_id: str
    event_id: str
    seq: int | None
    span_id: str | None
    occurred_at: datetime | None
    level: str | None
    type: str | None
    error_code: str | None
    agent_error_code: str | None
    transient: bool | None
    tool_error_class: str | None
    context_failure_class: str | None
    failure_class: str | None
    category: str | None
    recoverable: bool | None
    profile_category: str | None
    retryable: bool | None
    replayable: bool | None
    contract_class: str | None
    contract_class_basis: str | None
    operator_response: str | None
    phase: str | None
    agent: str | None
    step_index: int | None
    location: str | None
    details: str | None
    action: str | None
    result: str | None
    observed_at: str | None
    originated_at: str | None
    signature: str | None
    signature_partial: bool | None
    seen_in_runs: int | None
    basis: str | None
    rule: str | None
    flags: tuple[str, ...] | None
    matching: int


def run_errors(lease: Engine, *, run: str, limit: int = 1000) -> Answer[RunErrorRow]:
    """The failures of one run in order, with their classes and what each class allows."""
    return ask(lease, __file__, RunErrorRow, run=run, limit=limit)
