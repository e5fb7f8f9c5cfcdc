"""One entry of a run trace as records: its span, and what it says on top of that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ingest.bijux.agent_values import (
    EPISTEMIC_VERDICT,
    PHASE,
    STOP_REASON,
    TERMINATION_REASON,
    VERDICT,
    Flags,
    first_line,
    mapping,
    number,
    text,
    without,
)
from ingest.derive.agent_outcome import EntryFacts
from ingest.derive.failure_profile import normative_category
from ingest.derive.signature import signature, stage
from ingest.records import ErrorEvent, Event, Record, Span
from ingest.vocabulary import AGENT_ERROR_CODE, FAILURE_CLASS

_SPAN_STATUS = {"success": "ok", "failed": "error", "aborted": "error", "running": "open", "pending": "open"}
_IN_COLUMNS = ("agent_id", "node", "phase", "start_time", "end_time", "status")
# An entry's records stand in the trace's order, and within the entry in this one: a verdict follows what led to it.
_WITHIN_ENTRY = ("span", "verification", "error", "failure", "decision")


def failed_stage(artifacts: Any) -> str | None:
    """The first stage under output.artifacts that holds an `error`."""
    found = mapping(artifacts)
    if found.get("error"):
        return "output.artifacts"
    return next((name for name, stage in found.items() if mapping(stage).get("error")), None)


def entry_facts(entry: dict[str, Any]) -> EntryFacts:
    """What the entry says about the run's outcome."""
    output = mapping(entry.get("output"))
    return EntryFacts(
        phase=text(entry.get("phase")),
        has_decision_artifact=isinstance(entry.get("decision_artifact"), dict),
        verdict=text(mapping(entry.get("decision_artifact")).get("verdict")),
        failure_class=text(mapping(entry.get("failure_artifact")).get("failure_class")),
        written_decision=text(output.get("decision")),
        confidence=number(output.get("confidence")),
        failed_stage=failed_stage(output.get("artifacts")),
        termination_reason=text(entry.get("termination_reason")),
    )


def entry_records(run_id: str, native_id: str, index: int, entry: dict[str, Any]) -> tuple[Record, ...]:
    """The span of the entry, then its verdicts and failures in the order they were reached."""
    span = _span(run_id, native_id, index, entry)
    return (
        span,
        *_verification(span, entry),
        *_agent_error(span, entry),
        *_failure(span, entry),
        *_decision(span, entry),
    )


def _span(run_id: str, native_id: str, index: int, entry: dict[str, Any]) -> Span:
    flags = Flags()
    phase = flags.one_of(PHASE, entry.get("phase"))
    node = text(entry.get("node"))
    return Span(
        run_id=run_id,
        span_id=f"entry-{index}",
        recorded_seq=index * len(_WITHIN_ENTRY),
        kind="entry",
        name=node or phase,
        phase=phase,
        agent=text(entry.get("agent_id")),
        step_index=index,
        started_at=flags.time(entry.get("start_time")),
        ended_at=flags.time(entry.get("end_time")),
        status=_span_status(flags, entry),
        model=_model_name(entry),
        attributes=_attributes(flags, native_id, entry),
        flags=flags.all(),
    )


def _span_status(flags: Flags, entry: dict[str, Any]) -> str | None:
    written = text(entry.get("status"))
    if written is not None and written not in _SPAN_STATUS:
        flags.add("unknown_value")
    return _SPAN_STATUS.get(written or "")


def _model_name(entry: dict[str, Any]) -> str | None:
    replay = mapping(mapping(entry.get("replay_metadata")).get("model_metadata"))
    written = mapping(mapping(mapping(entry.get("output")).get("metadata")).get("model_metadata"))
    return text(replay.get("model_name")) or text(written.get("model_name"))


def _attributes(flags: Flags, native_id: str, entry: dict[str, Any]) -> dict[str, Any]:
    """The entry verbatim, without what stands in columns; `run_id` only where it names another run."""
    flags.one_of(STOP_REASON, entry.get("stop_reason"))
    flags.one_of(TERMINATION_REASON, entry.get("termination_reason"))
    flags.one_of(EPISTEMIC_VERDICT, entry.get("epistemic_verdict"))
    kept = without(entry, *_IN_COLUMNS)
    if text(kept.get("run_id")) in {native_id, None}:
        kept.pop("run_id", None)
    else:
        flags.add("other_run_id")
    return {"entry_status": entry.get("status"), "node": entry.get("node"), **kept}


def _verification(span: Span, entry: dict[str, Any]) -> Iterator[Event]:
    if span.phase != "VERIFY":
        return
    output = mapping(entry.get("output"))
    issues = mapping(output.get("artifacts"))
    said = [f"confidence {output['confidence']}"] if "confidence" in output else []
    said += [f"{key} {issues[key]}" for key in ("contradictions", "missing_evidence") if key in issues]
    yield Event(
        **_on(span, "verification"),
        kind="verification",
        name=text(output.get("text")),
        step_index=span.step_index,
        summary=": ".join(["verification", ", ".join(said)] if said else ["verification"]),
        attributes={"confidence": output.get("confidence"), "scores": output.get("scores"), "artifacts": issues},
    )


def _decision(span: Span, entry: dict[str, Any]) -> Iterator[Event]:
    flags = Flags()
    said = _decision_said(flags, span, entry)
    if said is None:
        return
    name, summary, attributes = said
    yield Event(
        **_on(span, "decision"),
        kind="decision",
        name=name,
        step_index=span.step_index,
        summary=summary,
        attributes={**attributes, "epistemic_verdict": entry.get("epistemic_verdict")},
        flags=flags.all(),
    )


def _decision_said(flags: Flags, span: Span, entry: dict[str, Any]) -> tuple[str | None, str, dict[str, Any]] | None:
    artifact = entry.get("decision_artifact")
    if artifact is not None:
        verdict = flags.one_of(VERDICT, mapping(artifact).get("verdict"))
        why = text(mapping(artifact).get("justification"))
        return verdict, f"verdict {verdict}: {first_line(why)}" if why else f"verdict {verdict}", {"decision": artifact}
    if span.phase == "ABORTED":
        reason = text(entry.get("stop_reason"))
        return "aborted", f"aborted: {reason or 'no stop reason'}", {"stop_reason": reason}
    written = text(mapping(entry.get("output")).get("decision"))
    if span.phase != "FINALIZE" or written is None:
        return None
    flags.one_of(VERDICT, written)
    termination = {"termination_reason": entry.get("termination_reason")}
    return written, f"verdict {written}, written without a decision artifact", termination


def _agent_error(span: Span, entry: dict[str, Any]) -> Iterator[ErrorEvent]:
    error = entry.get("error")
    if not error:
        return
    flags = Flags()
    written = mapping(error)
    code = flags.one_of(AGENT_ERROR_CODE, written.get("code"))
    yield _signed(
        ErrorEvent(
            **_on(span, "error"),
            error_code=code,
            agent_error_code=code,
            transient=flags.claim(written.get("transient")),
            details=text(written.get("message")) if written else text(error),
            location=_location(span, entry),
            state_hash=_input_hash(entry),
            attributes={"error": error},
            flags=flags.all(),
        ),
        text(entry.get("node")),
    )


def _failure(span: Span, entry: dict[str, Any]) -> Iterator[ErrorEvent]:
    artifact = entry.get("failure_artifact")
    if not artifact:
        return
    flags = Flags()
    written = mapping(artifact)
    failure_class = flags.one_of(FAILURE_CLASS, written.get("failure_class"))
    place = _on(span, "failure")
    place["phase"] = flags.one_of(PHASE, written.get("phase")) or span.phase
    yield _signed(
        ErrorEvent(
            **place,
            error_code=failure_class,
            failure_class=failure_class,
            category=_category(flags, text(written.get("category"))),
            recoverable=flags.claim(written.get("recoverable")),
            details=text(written.get("message")) if written else text(artifact),
            location=_location(span, entry),
            state_hash=_input_hash(entry),
            attributes={"failure_artifact": artifact, "stop_reason": entry.get("stop_reason")},
            flags=flags.all(),
        ),
        text(entry.get("node")),
    )


def _category(flags: Flags, written: str | None) -> str | None:
    if written is None:
        return None
    normative = normative_category(written)
    if normative is None:
        flags.add("unknown_value")
    return normative or written


def _on(span: Span, what: str) -> dict[str, Any]:
    """What every event of an entry shares with its span."""
    return {
        "run_id": span.run_id,
        "event_id": f"{span.span_id}-{what}",
        "span_id": span.span_id,
        "recorded_seq": (span.recorded_seq or 0) + _WITHIN_ENTRY.index(what),
        "occurred_at": span.ended_at or span.started_at,
        "phase": span.phase,
        "agent": span.agent,
    }


def _location(span: Span, entry: dict[str, Any]) -> str | None:
    return "/".join(part for part in (span.agent, text(entry.get("node"))) if part) or None


def _input_hash(entry: dict[str, Any]) -> str | None:
    return text(mapping(entry.get("replay_metadata")).get("input_hash"))


def _signed(error: ErrorEvent, node: str | None) -> ErrorEvent:
    """Signed with the phase as stage, or the node where a workflow graph has no phases."""
    found = signature(stage(error.phase, None) or node, error.error_code, error.location, error.state_hash)
    return error.model_copy(update={"signature": found.value, "signature_partial": found.partial})
