"""A runtime run as its store and its trace both tell it: the common ground of the two readers."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

from ingest.derive.runtime_outcome import EventFact, Outcome, RunFacts, outcome
from ingest.records import run_key

SOURCE = "bijux-canon-runtime"
EVENT_TYPES = frozenset(
    {
        "STEP_START", "STEP_END", "STEP_FAILED", "RETRIEVAL_START", "RETRIEVAL_END", "RETRIEVAL_FAILED",
        "REASONING_START", "REASONING_END", "REASONING_FAILED", "VERIFICATION_START", "VERIFICATION_PASS",
        "VERIFICATION_FAIL", "VERIFICATION_ESCALATE", "VERIFICATION_ARBITRATION", "EXECUTION_INTERRUPTED",
        "HUMAN_INTERVENTION", "SEMANTIC_VIOLATION", "TOOL_CALL_START", "TOOL_CALL_END", "TOOL_CALL_FAIL",
    }
)  # fmt: skip
_SHORT_DIGEST = 16


@dataclass(frozen=True)
class RuntimeEvent:
    """One event row: the fact, and what is only kept."""

    event_id: str
    fact: EventFact
    payload_hash: str | None = None
    kept: Mapping[str, Any] = field(default_factory=dict)
    flags: tuple[str, ...] = ()

    @property
    def is_known(self) -> bool:
        """Its type is one of the runtime's own."""
        return self.fact.type in EVENT_TYPES


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """A step of the plan; a trace has none and knows steps from their events only."""

    index: int
    agent: str | None = None
    type: str | None = None
    inputs_fingerprint: str | None = None
    kept: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class RuntimeRun:
    """A run with its events in recorded order. `recorded_id` is None where the export left it out."""

    tenant: str | None
    flow: str | None
    events: tuple[RuntimeEvent, ...]
    finalized: bool
    recorded_id: str | None = None
    fallback_id: str = ""
    plan_hash: str | None = None
    run_mode: str | None = None
    non_certifiable: bool = False
    steps: tuple[PlannedStep, ...] = ()
    created_at: datetime | None = None
    kept: Mapping[str, Any] = field(default_factory=dict)
    flags: tuple[str, ...] = ()

    @cached_property
    def event_digest(self) -> str | None:
        """Equal for a stored run and its exported trace; None without events or where one has no hash.

        Tenant, flow and plan are part of it: five different stored flows have the same event payloads.
        """
        hashes = [event.payload_hash for event in self.events]
        if not hashes or None in hashes:
            return None
        text = "\n".join([self.tenant or "", self.flow or "", self.plan_hash or "", *map(str, hashes)])
        return hashlib.sha256(text.encode()).hexdigest()

    @cached_property
    def native_id(self) -> str:
        """The recorded id, else the digest of the events, else where the run was found."""
        return self.recorded_id or (self.event_digest or "")[:_SHORT_DIGEST] or self.fallback_id

    @cached_property
    def run_id(self) -> str:
        """The run's id in the store."""
        return run_id(self.tenant, self.native_id)

    @cached_property
    def facts(self) -> RunFacts:
        """What decides how the run ended."""
        return RunFacts(
            finalized=self.finalized,
            events=tuple(event.fact for event in self.events),
            steps=tuple(step.index for step in self.steps),
            run_mode=self.run_mode,
            non_certifiable=self.non_certifiable,
        )

    @cached_property
    def outcome(self) -> Outcome:
        """How the run ended."""
        return outcome(self.facts)

    @cached_property
    def agents(self) -> dict[int, str]:
        """The agent of each step, as planned or as the step's own events name it."""
        named = {step.index: step.agent for step in self.steps if step.agent}
        for event in self.events:
            agent = event.fact.payload.get("agent_id")
            if event.fact.step is not None and agent:
                named.setdefault(event.fact.step, str(agent))
        return named

    @cached_property
    def _plan(self) -> dict[int, PlannedStep]:
        return {step.index: step for step in self.steps}

    def planned(self, step: int | None) -> PlannedStep | None:
        """The step of the plan, where a plan is recorded."""
        return self._plan.get(step) if step is not None else None


def run_id(tenant: str | None, native_id: str) -> str:
    """Unique over all tenants, since the runtime's own key is (tenant, run)."""
    return run_key(SOURCE, f"{tenant}/{native_id}" if tenant else native_id)
