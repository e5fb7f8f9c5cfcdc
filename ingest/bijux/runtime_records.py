"""Records from a runtime run: one unit for the run's own row, one for each event row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ingest.adapter import Parsed, Place
from ingest.bijux.runtime_run import SOURCE, RuntimeEvent, RuntimeRun
from ingest.bijux.runtime_spans import RunSpans, spans_of, step_span_id
from ingest.derive.runtime_outcome import StepFailure
from ingest.derive.signature import signature
from ingest.records import ErrorEvent, Event, Record, Run


def units(run: RuntimeRun, place: Place, event_places: dict[str, Place]) -> Iterator[Parsed]:
    """The run's unit, then every event's; what follows from an event stands in its unit."""
    spans = spans_of(run)
    # By identity: two events may say the same, and a payload has no hash.
    failures = {id(failure.deciding): failure for failure in run.facts.failures}
    yield Parsed(place, (run_record(run), *spans.unopened))
    for event in run.events:
        records: list[Record] = [*spans.opened.get(event.event_id, ()), _event(run, event, spans)]
        if failure := failures.get(id(event.fact)):
            records.append(_error(run, event, failure))
        yield Parsed(event_places.get(event.event_id, place), tuple(records))


def run_record(run: RuntimeRun) -> Run:
    """The run with its outcome; its clock is synthetic, only the start is a time of the wall."""
    outcome = run.outcome
    return Run(
        run_id=run.run_id,
        source=SOURCE,
        native_id=run.native_id,
        identity="recorded" if run.recorded_id else "derived",
        event_digest=run.event_digest,
        workload=run.flow,
        tenant=run.tenant,
        name=run.flow,
        status=outcome.status,
        status_reason=outcome.reason,
        stop_reason=outcome.stop_reason,
        state_at_failure=outcome.state_at_failure,
        contract_class=outcome.contract_class,
        started_at=run.created_at,
        clock="synthetic",
        flags=run.flags,
        attributes=_run_attributes(run),
    )


def _run_attributes(run: RuntimeRun) -> dict[str, Any]:
    facts = run.facts
    derived = {
        "failures": len(facts.failures),
        "failing_steps": [failure.step for failure in facts.failures],
        "incomplete_steps": list(facts.incomplete),
        "not_reached_steps": list(facts.not_reached),
        "tolerated_failures": sum(failure.is_tolerated for failure in facts.failures),
        "unsafe_mode": facts.is_unsafe,
        "dry_run": facts.is_dry_run,
        "resumed": facts.resumed_after is not None,
        "certifiable": not run.non_certifiable,
        "configuration_warnings": sum(event.fact.payload.get("warning") is not None for event in run.events),
        "contract_class_basis": "derived" if run.outcome.contract_class else None,
        "contract_class_rule": run.outcome.contract_class_rule,
        "steps_planned": len(run.steps) or None,
    }
    return {**run.kept, **derived}


def _event(run: RuntimeRun, event: RuntimeEvent, spans: RunSpans) -> Event:
    """The event as recorded. Nothing here depends on the plan: a trace must give the same record."""
    fact = event.fact
    agent = fact.payload.get("agent_id")
    return Event(
        run_id=run.run_id,
        event_id=event.event_id,
        recorded_seq=fact.index,
        span_id=spans.span_of.get(event.event_id),
        kind=fact.type,
        name=_event_name(fact.payload),
        agent=str(agent) if agent else None,
        step_index=fact.step,
        summary=_summary(event),
        flags=event.flags if event.is_known else (*event.flags, "unknown_value"),
        attributes={**event.kept, "payload_hash": event.payload_hash, "payload": dict(fact.payload)},
    )


def _event_name(payload: Any) -> str | None:
    for key in ("tool_id", "agent_id", "request_id", "decision", "status", "reason", "warning"):
        if payload.get(key):
            return str(payload[key])
    return None


def _summary(event: RuntimeEvent) -> str:
    fact = event.fact
    said = fact.error or fact.rules or fact.payload.get("justification")
    parts = [fact.type, _event_name(fact.payload)]
    return " ".join(part for part in parts if part) + (f": {said}" if said else "")


def _error(run: RuntimeRun, event: RuntimeEvent, failure: StepFailure) -> ErrorEvent:
    """The one failure of a step, under the id of the event that decides it."""
    planned = run.planned(failure.step)
    agent = run.agents.get(failure.step) if failure.step is not None else None
    tool = _failed_tool(run, failure)
    code = failure.deciding.type
    phase = planned.type if planned else None
    state_hash = planned.inputs_fingerprint if planned else None
    stage = f"{phase}/{failure.step}" if phase else None
    signed = signature(stage, code, tool or agent, state_hash)
    return ErrorEvent(
        run_id=run.run_id,
        event_id=event.event_id,
        recorded_seq=failure.deciding.index,
        span_id=step_span_id(failure.step) if failure.step is not None else None,
        error_code=code,
        contract_class=failure.contract.value,
        contract_class_basis="derived",
        rule=failure.contract.rule,
        step_index=failure.step,
        step_total=len(run.steps) or None,
        phase=phase,
        agent=agent,
        details=failure.details,
        location=tool or agent,
        state_hash=state_hash,
        signature=signed.value,
        signature_partial=signed.partial,
        attributes=_error_attributes(failure, tool),
    )


def _failed_tool(run: RuntimeRun, failure: StepFailure) -> str | None:
    """The tool whose call failed in that step, which the stage's own failure follows."""
    for event in run.facts.events:
        if event.type == "TOOL_CALL_FAIL" and event.step == failure.step and event.payload.get("tool_id"):
            return str(event.payload["tool_id"])
    return None


def _error_attributes(failure: StepFailure, tool: str | None) -> dict[str, Any]:
    return {
        "tool": tool,
        "failing_events": [{"event_index": event.index, "type": event.type} for event in failure.events],
        "rule_ids": failure.deciding.payload.get("rule_ids"),
        "tolerated": failure.is_tolerated,
    }
