"""How a runtime run really ended: the first rule that matches decides, and the reason names its signal.

`finalized` and `arbitration_decision` mislead (failed runs are finalized, PASS stands on failed runs), so
the outcome comes from the steps and events alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ingest.derive import contract_class
from ingest.derive.contract_class import CLASS_OF_FAILING_EVENT, Classified
from ingest.records import RunStatus

STATE_AT_FAILURE: dict[RunStatus, str] = {
    "interrupted": "interrupted",
    "refused": "finalization_refused",
    "failed": "governed_failure",
    # An escalation is no failure: what is left is an immutable trace, to replay or compare, never to reopen.
    "escalated": "finalized",
    "succeeded": "finalized",
}


@dataclass(frozen=True, slots=True)
class EventFact:
    """One event as recorded: where it stands, what it is, which step it belongs to."""

    index: int | None
    type: str
    step: int | None
    payload: Mapping[str, Any] = field(default_factory=dict)

    @property
    def error(self) -> str | None:
        """The error text, if the event carries one."""
        text = self.payload.get("error")
        return str(text) if text not in (None, "") else None

    @property
    def rules(self) -> str:
        """The verification rules the event names."""
        names = self.payload.get("rule_ids")
        return ", ".join(map(str, names)) if isinstance(names, list) else ""

    @property
    def place(self) -> str:
        """How a reason names this event."""
        return f"{self.type} at event {self.index}" + (f", step {self.step}" if self.step is not None else "")

    @property
    def is_tolerated_violation(self) -> bool:
        """A violation with a decision is a failure that unsafe mode let pass; with a warning it is configuration."""
        return self.type == "SEMANTIC_VIOLATION" and "decision" in self.payload


@dataclass(frozen=True)
class RunFacts:
    """What is known of a run. `steps` are the planned ones where a plan is recorded, else empty."""

    finalized: bool
    events: tuple[EventFact, ...]
    steps: tuple[int, ...] = ()
    run_mode: str | None = None
    non_certifiable: bool = False

    @cached_property
    def all_steps(self) -> tuple[int, ...]:
        """Every step that the plan or an event names."""
        seen = {event.step for event in self.events if event.step is not None}
        return tuple(sorted(seen.union(self.steps)))

    @cached_property
    def incomplete(self) -> tuple[int, ...]:
        """The steps without STEP_END."""
        ended = self._steps_with("STEP_END")
        return tuple(step for step in self.all_steps if step not in ended)

    @cached_property
    def is_unsafe(self) -> bool:
        """Recorded as unsafe, or known to be by a failure it tolerated (a trace does not name its mode)."""
        return self.run_mode == "unsafe" or any(event.is_tolerated_violation for event in self.events)

    @cached_property
    def is_dry_run(self) -> bool:
        """Recorded as one; a trace names no mode, but steps that ended without a single call show it."""
        if self.run_mode is not None or not self.events or self.incomplete:
            return self.run_mode == "dry-run"
        return all(event.type in {"STEP_START", "STEP_END"} for event in self.events)

    @cached_property
    def not_reached(self) -> tuple[int, ...]:
        """The steps after the first incomplete one that never started; in unsafe mode nothing is inferred."""
        if self.is_unsafe or not self.events:
            return ()
        started = self._steps_with("STEP_START")
        return tuple(step for step in self.incomplete[1:] if step not in started)

    @cached_property
    def failures(self) -> tuple[StepFailure, ...]:
        """One failure per failing step, in the order they happened."""
        by_step: dict[int | None, list[EventFact]] = {}
        for event in self.events:
            if event.type in CLASS_OF_FAILING_EVENT:
                by_step.setdefault(event.step, []).append(event)
        tolerated = {event.step for event in self.events if event.is_tolerated_violation}
        return tuple(StepFailure(tuple(events), step in tolerated) for step, events in by_step.items())

    def last(self, event_type: str) -> EventFact | None:
        """The last event of that type."""
        return next((event for event in reversed(self.events) if event.type == event_type), None)

    @cached_property
    def resumed_after(self) -> EventFact | None:
        """The last interruption that other events follow: the run was taken up again."""
        interruption = self.last("EXECUTION_INTERRUPTED")
        return None if interruption is None or interruption is self.events[-1] else interruption

    def _steps_with(self, event_type: str) -> set[int | None]:
        return {event.step for event in self.events if event.type == event_type}


@dataclass(frozen=True)
class StepFailure:
    """The failure of one step, however many of its events say so. The first of them decides."""

    events: tuple[EventFact, ...]
    is_tolerated: bool = False

    @property
    def deciding(self) -> EventFact:
        """The event that the failure is told by."""
        return self.events[0]

    @property
    def step(self) -> int | None:
        """The step that failed."""
        return self.deciding.step

    @property
    def details(self) -> str | None:
        """The first error text of the step, else the rules that did not hold."""
        error = next((event.error for event in self.events if event.error), None)
        rules = next((event.rules for event in self.events if event.rules), None)
        return error or (f"verification rules not met: {rules}" if rules else None)

    @cached_property
    def contract(self) -> Classified:
        """The contract the failure broke."""
        return contract_class.of_step((event.type, event.error) for event in self.events)

    @property
    def told(self) -> str:
        """The failure as a reason names it."""
        also = "".join(f" and {event.place}" for event in self.events[1:])
        return f"{self.deciding.place}{also}" + (f": {self.details}" if self.details else "")


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended, and by which signal."""

    status: RunStatus
    reason: str
    stop_reason: str | None = None
    state_at_failure: str | None = None
    contract_class: str | None = None
    contract_class_rule: str | None = None


def outcome(run: RunFacts) -> Outcome:
    """The outcome by the first rule that matches."""
    status, reason, stop_reason = _decided(run)
    value, rule = _contract(run, status)
    told = "; ".join([reason, *_remarks(run, status)])
    return Outcome(status, told, stop_reason, STATE_AT_FAILURE.get(status), value, rule)


def _decided(run: RunFacts) -> tuple[RunStatus, str, str | None]:
    return _ended(run) if run.finalized else _left_open(run)


def _left_open(run: RunFacts) -> tuple[RunStatus, str, str | None]:
    if not run.events:
        return "unknown", "orphan: not finalized and no event recorded", None
    if run.incomplete:
        return _interrupted(run)
    return "refused", "finalization refused (derived): every step ended, and the run was never finalized", None


def _ended(run: RunFacts) -> tuple[RunStatus, str, str | None]:
    if run.failures:
        return _failed(run.failures, len(run.all_steps))
    if escalation := run.last("VERIFICATION_ESCALATE"):
        rules = f": {escalation.rules}" if escalation.rules else ""
        return "escalated", f"{escalation.place}{rules}; an escalation stops a run and is no failure", escalation.type
    if run.incomplete:
        return "failed", f"{_steps(run.incomplete)} without STEP_END, and no failing event says why", None
    return "succeeded", _succeeded(run), None


def _interrupted(run: RunFacts) -> tuple[RunStatus, str, str | None]:
    first = f"{_steps(run.incomplete[:1])} has no STEP_END"
    interruption = run.last("EXECUTION_INTERRUPTED")
    if interruption is not None and run.resumed_after is None:
        recorded = interruption.payload.get("reason")
        said = f" ({recorded})" if recorded else ""
        return "interrupted", f"{interruption.place}{said}; {first}", str(recorded) if recorded else interruption.type
    return "interrupted", f"crashed: the record stops after {run.events[-1].place}; not finalized, {first}", None


def _failed(failures: Sequence[StepFailure], steps: int) -> tuple[RunStatus, str, str | None]:
    told = "; ".join(failure.told for failure in failures)
    if not any(failure.is_tolerated for failure in failures):
        return "failed", told, failures[0].deciding.type
    # The run went on: what failed is not what stopped it.
    return "failed", f"{told}; tolerated in unsafe mode, {len(failures)} of {steps} steps failed", None


def _succeeded(run: RunFacts) -> str:
    if not run.all_steps:
        return "finalized, and nothing failed"
    return f"every step ended ({len(run.all_steps)} of {len(run.all_steps)})"


def _remarks(run: RunFacts, status: RunStatus) -> list[str]:
    remarks = []
    if run.is_dry_run:
        remarks.append("dry run, nothing executed")
    if run.resumed_after is not None:
        remarks.append(f"resumed after {run.resumed_after.place}")
    if human := run.last("HUMAN_INTERVENTION"):
        remarks.append(f"a person intervened at event {human.index}")
    if run.non_certifiable:
        remarks.append("not certifiable")
    if status != "succeeded" and run.not_reached:
        remarks.append(f"{_steps(run.not_reached)} not reached")
    return remarks


def _contract(run: RunFacts, status: RunStatus) -> tuple[str | None, str | None]:
    if status == "refused":
        return contract_class.AUTHORITY, "finalization refused: authority"
    value = contract_class.of_run(failure.contract.value for failure in run.failures)
    if value is None and status == "failed":
        return contract_class.UNCLASSIFIED, "no failing event: unclassified"
    rules = "; ".join(dict.fromkeys(failure.contract.rule for failure in run.failures))
    return value, rules or None


def _steps(numbers: Sequence[int]) -> str:
    return ("step " if len(numbers) == 1 else "steps ") + ", ".join(map(str, numbers))
