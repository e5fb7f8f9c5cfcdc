"""The records that faultlens keeps, one frozen model a kind: the contract at the edge of the ingest room.

A model's fields are the columns of its table (`TABLE`). Absent is None and becomes NULL: nothing here
has a default that claims to know. Times are aware and in UTC; shares are 0-1; ids are text.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

RunStatus = Literal[
    "succeeded", "failed", "vetoed", "escalated", "aborted", "interrupted", "refused", "running", "unknown"
]
Clock = Literal["wall", "synthetic", "none"]
Basis = Literal["recorded", "derived", "reviewed"]
SET_NAMES = ("required", "retrieved", "eligible", "composed", "consumed", "current")

# Stands where a record has its run: what a catalogue says holds for every run.
CATALOGUE = "catalogue:"


def run_key(source: str, native_id: str) -> str:
    """The id of a run that is unique over all sources; the source stands before the first colon."""
    return f"{source}:{native_id}"


def file_run_key(source: str, native_id: str, first: Any) -> str:
    """The id of a run that only its file names: of two files of one name, the first record tells which it is."""
    content = json.dumps(first, sort_keys=True, default=str).encode()
    return f"{run_key(source, native_id)}#{hashlib.sha256(content).hexdigest()[:10]}"


def _in_utc(value: datetime) -> datetime:
    if value.tzinfo is None:
        raise ValueError("a time without a zone reached the record; the adapter must assume UTC and flag it")
    return value if value.tzinfo is UTC else value.astimezone(UTC)


Time = Annotated[datetime, AfterValidator(_in_utc)]
# What a BIGINT holds; a larger number refuses its record instead of stopping the whole ingest.
Integer = Annotated[int, Field(ge=-(2**63), lt=2**63)]


class Record(BaseModel):
    """What every kind of record carries. `seq` is the order the producer recorded, if any."""

    # Built when it is used first: a process hardly ever meets every kind.
    model_config = ConfigDict(frozen=True, extra="forbid", strict=False, hide_input_in_errors=True, defer_build=True)

    TABLE: ClassVar[str]
    KEY: ClassVar[tuple[str, ...]] = ("run_id", "event_id")

    run_id: str
    event_id: str | None = None
    recorded_seq: Integer | None = None
    occurred_at: Time | None = None
    flags: tuple[str, ...] = ()
    attributes: dict[str, Any] = Field(default_factory=dict)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """The record with other values, which are not looked at; a model without private parts is copied quickly."""
        if deep:
            return super().model_copy(update=update, deep=True)
        copy, put = object.__new__(type(self)), object.__setattr__
        changed = update or {}
        put(copy, "__dict__", {**self.__dict__, **changed})
        put(copy, "__pydantic_fields_set__", self.__pydantic_fields_set__ | changed.keys())
        put(copy, "__pydantic_extra__", None)
        put(copy, "__pydantic_private__", None)
        return copy


class Run(Record):
    """What one file says of one run. `status` stays None where only all records together decide it."""

    TABLE = "run_records"

    source: str
    native_id: str
    identity: Literal["recorded", "derived"] = "recorded"
    event_digest: str | None = None
    workload: str | None = None
    tenant: str | None = None
    name: str | None = None
    status: RunStatus | None = None
    status_reason: str | None = None
    stop_reason: str | None = None
    state_at_failure: str | None = None
    contract_class: str | None = None
    started_at: Time | None = None
    ended_at: Time | None = None
    clock: Clock | None = None
    parent_run_id: str | None = None
    session_id: str | None = None


class Span(Record):
    """A step, a call, a turn: something with a beginning and perhaps an end."""

    TABLE = "spans"
    KEY = ("run_id", "span_id")

    span_id: str
    parent_span_id: str | None = None
    kind: str | None = None
    name: str | None = None
    phase: str | None = None
    agent: str | None = None
    step_index: Integer | None = None
    started_at: Time | None = None
    ended_at: Time | None = None
    status: str | None = None
    tool: str | None = None
    model: str | None = None
    input_tokens: Integer | None = None
    output_tokens: Integer | None = None
    cost_usd: float | None = None


class Event(Record):
    """A producer's own event that is none of the other kinds, kept because nothing is lost."""

    TABLE = "events"

    span_id: str | None = None
    kind: str | None = None
    name: str | None = None
    phase: str | None = None
    agent: str | None = None
    step_index: Integer | None = None
    summary: str | None = None


class ErrorEvent(Record):
    """A failure of an operation; whether it was recovered, and how the run ended, are other records."""

    TABLE = "error_events"

    span_id: str | None = None
    level: str | None = None
    type: str | None = None
    error_code: str | None = None
    tool_error_class: str | None = None
    context_failure_class: str | None = None
    agent_error_code: str | None = None
    transient: bool | None = None
    failure_class: str | None = None
    category: str | None = None
    recoverable: bool | None = None
    contract_class: str | None = None
    contract_class_basis: str | None = None
    step: str | None = None
    step_index: Integer | None = None
    step_total: Integer | None = None
    phase: str | None = None
    agent: str | None = None
    details: str | None = None
    action: str | None = None
    result: str | None = None
    observed_at: str | None = None
    originated_at: str | None = None
    trigger: str | None = None
    root_cause: str | None = None
    location: str | None = None
    state_hash: str | None = None
    signature: str | None = None
    signature_partial: bool | None = None
    resource: str | None = None
    checked_state: str | None = None
    checked_by: str | None = None
    artifact_state: str | None = None
    exit_code: str | None = None
    basis: Basis = "recorded"
    rule: str | None = None


class RecoveryStep(BaseModel):
    """One step of a recovery chain; `agent` is None where nobody is named (a rollback)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    step: Integer
    agent: str | None = None
    action: str | None = None
    result: str | None = None
    attributes: dict[str, Any] = Field(default_factory=dict)


class RecoveryEvent(Record):
    """One attempt of a recovery chain; unfinished where `outcome` is None."""

    TABLE = "recovery_events"

    chain: str | None = None
    chain_recorded: str | None = None
    trigger: str | None = None
    confidence: float | None = None
    auto_executed: bool | None = None
    outcome: str | None = None
    steps_completed: Integer | None = None
    artifacts: tuple[str, ...] | None = None
    for_event: str | None = None
    steps: tuple[RecoveryStep, ...] = ()
    basis: Basis = "recorded"
    rule: str | None = None


class GuardrailEvent(Record):
    """A guardrail's state, an approval asked for, or a denial; its levels are not severity levels."""

    TABLE = "guardrail_events"

    level: str | None = None
    trigger: str | None = None
    step: str | None = None
    step_index: Integer | None = None
    step_total: Integer | None = None
    agent: str | None = None
    action: str | None = None
    details: str | None = None
    recovery: str | None = None
    decision: str | None = None
    reason_code: str | None = None
    destination: str | None = None
    data_classes: tuple[str, ...] | None = None
    blast_radius: str | None = None
    reversibility: str | None = None
    alternative: str | None = None
    result: str | None = None


class ContextItem(BaseModel):
    """An item of a context set; the revision is None where it has none."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    item_id: str
    revision: str | None = None


class ContextSet(Record):
    """One of the six sets of a step, recorded and perhaps empty. A set nobody recorded has no record."""

    TABLE = "context_sets"

    step_id: str
    set_name: Literal["required", "retrieved", "eligible", "composed", "consumed", "current"]
    members: tuple[ContextItem, ...] = ()
    agent: str | None = None
    phase: str | None = None
    basis: Basis = "recorded"
    rule: str | None = None


class ContextOp(Record):
    """A compaction, reset, checkpoint or rollback of a run's context."""

    TABLE = "context_ops"

    op: str
    trigger_no: Integer | None = None
    escalated: bool | None = None
    resume_contract_kept: bool | None = None
    agent: str | None = None
    details: str | None = None


class Diagnosis(Record):
    """Where a failure was seen and where it began. `for_event` is the event that is diagnosed."""

    TABLE = "diagnoses"
    KEY = ("run_id", "diagnosis_id")

    for_event: str | None = None
    observed_at: str | None = None
    originated_at: str | None = None
    trigger: str | None = None
    root_cause: str | None = None
    context_failure_class: str | None = None
    fix_at: str | None = None
    prevention_layer: str | None = None
    prevention: str | None = None
    durable: bool | None = None
    status: str | None = None
    basis: Basis = "recorded"
    rule: str | None = None
    author: str | None = None
    recorded_at: Time | None = None


class Delegation(Record):
    """A task handed from one agent to another, or the arrival that a guard denied."""

    TABLE = "delegations"

    task_id: str | None = None
    from_agent: str | None = None
    to_agent: str | None = None
    hop_count: Integer | None = None
    visited: tuple[str, ...] | None = None
    denied: bool | None = None


class Wait(Record):
    """One agent waiting for another, open until `until`."""

    TABLE = "waits"

    waiter: str | None = None
    holder: str | None = None
    waits_for: str | None = None
    since: Time | None = None
    deadline: Time | None = None
    until: Time | None = None


class TaskOwner(Record):
    """Who answers for a task, from when until when."""

    TABLE = "task_owners"

    task_id: str | None = None
    agent: str | None = None
    since: Time | None = None
    until: Time | None = None


class Handoff(Record):
    """A delivery accepted or refused at the admission gate; a refusal is neither an error nor a retry."""

    TABLE = "handoffs"

    from_agent: str | None = None
    to_agent: str | None = None
    status: str | None = None
    condition: str | None = None
    bounce: Integer | None = None
    details: str | None = None


class Replay(Record):
    """One difference between a replay and its original, or the verdict alone (dimension None)."""

    TABLE = "replays"

    replay_of: str | None = None
    verdict: str | None = None
    dimension: str | None = None
    expected: str | None = None
    observed: str | None = None


class ReportedMetric(Record):
    """A summary that a producer reports about itself, kept beside the recomputed one."""

    TABLE = "reported_metrics"

    chain: str | None = None
    attempts: Integer | None = None
    success_rate: float | None = None
    avg_confidence: float | None = None
    escalation_rate: float | None = None


class CatalogueItem(Record):
    """An item and the revision of it that is current, from `valid_from` on; it belongs to no run."""

    TABLE = "catalogue_items"

    run_id: str = CATALOGUE
    workload: str | None = None
    item_id: str
    revision: str | None = None
    valid_from: Time | None = None


KINDS: tuple[type[Record], ...] = (
    Run, Span, Event, ErrorEvent, RecoveryEvent, GuardrailEvent, ContextSet, ContextOp, Diagnosis,
    Delegation, Wait, TaskOwner, Handoff, Replay, ReportedMetric, CatalogueItem,
)  # fmt: skip
