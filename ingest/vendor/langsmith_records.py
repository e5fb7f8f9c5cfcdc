"""A LangSmith run as records: its place by `dotted_order`, its tokens once, its error by the last line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from ingest.records import Event, GuardrailEvent, Record, Run, RunStatus, Span, run_key
from ingest.vendor.error_text import last_line, said
from ingest.vendor.failure import duration_checked, failure
from ingest.vendor.span_runs import SpanRuns
from ingest.vendor.values import Notes, given_digest, mapping, sequence, text, words

SOURCE = "langsmith"
_PLACES = ("dotted_order", "trace_id", "parent_run_id")
_SEGMENT = re.compile(r"(\d{8}T\d{12})Z(?P<id>.*)")
# Where year, month, day, hour, minute, second and microsecond stand in it.
_PARTS = ((0, 4), (4, 6), (6, 8), (9, 11), (11, 13), (13, 15), (15, 21))
_RETRY = re.compile(r"retry:attempt:(\d+)")
_CALLS = frozenset({"llm", "embedding"})
_KINDS = {"retriever": "retrieval"}
_STATUS = {"success": "ok", "error": "error", "pending": "open"}
_OUTCOME: dict[str, RunStatus] = {"success": "succeeded", "error": "failed", "pending": "running"}
_PAUSE = "GraphInterrupt"
_SESSION_KEYS = ("thread_id", "session_id", "conversation_id")
_TAKEN = frozenset({"id", "name", "start_time", "end_time", "parent_run_id", "error", "status"})


def is_run(value: dict[str, Any]) -> bool:
    """It has an id, says what type of run it is, and where it stands in a trace."""
    return isinstance(value.get("run_type"), str) and "id" in value and any(key in value for key in _PLACES)


def recorded_trace(run: dict[str, Any]) -> str | None:
    """The trace that the run names: its `trace_id`, else the first id of its `dotted_order`."""
    if run.get("trace_id"):
        return str(run["trace_id"])
    first = _SEGMENT.fullmatch(str(run.get("dotted_order") or "").split(".")[0])
    return (first["id"] or None) if first else None


def run_records(run: dict[str, Any], trace_id: str, runs: SpanRuns, flags: Iterable[str]) -> tuple[Record, ...]:
    """The span of the run, what failed or paused in it, and the trace's own record where it is the root."""
    notes = Notes()
    notes.add(*flags)
    span = _span(run, run_key(SOURCE, trace_id), notes)
    recorded: list[Record] = [*runs.of(span.run_id), span, *_retry(run, span), *_outcome(run, span)]
    if run.get("parent_run_id") is None:
        recorded.insert(0, _trace(run, span, trace_id))
    return tuple(recorded)


def _span(run: dict[str, Any], run_id: str, notes: Notes) -> Span:
    placed = _placed(run.get("dotted_order"))
    started_at = notes.time("start_time", run.get("start_time")) or placed
    if started_at and run.get("start_time") in (None, "") and placed:
        notes.add("time_from_dotted_order")
    started_at, ended_at = duration_checked(notes, started_at, notes.time("end_time", run.get("end_time")))
    name, kind = text(run.get("name")), str(run.get("run_type"))
    inward, outward, cost = _usage(run, kind, notes)
    return Span(
        run_id=run_id,
        span_id=str(run["id"]),
        parent_span_id=text(run.get("parent_run_id")),
        recorded_seq=None if placed is None else _microseconds(placed),
        kind=_KINDS.get(kind, kind),
        name=name,
        tool=name if kind == "tool" else None,
        started_at=started_at,
        ended_at=ended_at,
        status=_status(run, notes),
        model=_model(run) if kind in _CALLS else None,
        input_tokens=inward,
        output_tokens=outward,
        cost_usd=cost,
        attributes={**notes.attributes(run, _TAKEN), **given_digest(run.get("inputs"))},
        flags=notes.all(),
    )


def _usage(run: dict[str, Any], kind: str, notes: Notes) -> tuple[int | None, int | None, float | None]:
    """Tokens and cost as recorded: of a parent the sum of what lies below it. A 0 that is no call's is nobody's."""
    inward = notes.count("prompt_tokens", run.get("prompt_tokens"))
    outward = notes.count("completion_tokens", run.get("completion_tokens"))
    cost = notes.amount("total_cost", run.get("total_cost"))
    return (inward, outward, cost) if kind in _CALLS else (inward or None, outward or None, cost or None)


def _placed(dotted_order: Any) -> datetime | None:
    """When the run began, from the last segment of its `dotted_order`."""
    last = _SEGMENT.fullmatch(str(dotted_order or "").rpartition(".")[2])
    if not last or not last[1].isascii():
        return None
    at = last[1]
    try:
        return datetime(*(int(at[begin:end]) for begin, end in _PARTS), tzinfo=UTC)  # type: ignore[arg-type, misc]
    except ValueError:
        return None


def _microseconds(time: datetime) -> int:
    return int(time.timestamp()) * 1_000_000 + time.microsecond


def _is_pause(run: dict[str, Any]) -> bool:
    return _PAUSE in (text(run.get("error")) or "")


def _status(run: dict[str, Any], notes: Notes) -> str | None:
    if _is_pause(run):
        return "unset"
    if run.get("error"):
        return "error"
    status = text(run.get("status"))
    if status is not None and status not in _STATUS:
        notes.add("unknown_value")
        notes.kept["status"] = status
    return _STATUS.get(status or "", "open" if run.get("end_time") is None else "unset")


def _model(run: dict[str, Any]) -> str | None:
    extra = mapping(run.get("extra"))
    asked = mapping(extra.get("invocation_params"))
    return text(mapping(extra.get("metadata")).get("ls_model_name")) or text(
        asked.get("model") or asked.get("model_name")
    )


def _retry(run: dict[str, Any], span: Span) -> tuple[Event, ...]:
    """The tag that a retrying client gives to the second and every later attempt."""
    found = [match[1] for tag in sequence(run.get("tags")) if (match := _RETRY.fullmatch(str(tag)))]
    return tuple(
        Event(
            run_id=span.run_id,
            event_id=f"{span.span_id}/retry",
            recorded_seq=span.recorded_seq,
            occurred_at=span.started_at,
            span_id=span.span_id,
            kind="retry",
            name=span.name,
            summary=f"attempt {attempt}",
            attributes={"attempt": int(attempt)},
        )
        for attempt in found[:1]
        if int(attempt) > 1
    )


def _outcome(run: dict[str, Any], span: Span) -> tuple[Record, ...]:
    message = text(run.get("error"))
    seq = None if span.ended_at is None else _microseconds(span.ended_at)
    if message and _is_pause(run):
        return (_pause(message, span, seq),)
    if span.status == "error":
        error = failure(span, message or "", given=run.get("inputs"), seq=seq)
        return (error.model_copy(update={"details": last_line(message) if message else None}),)
    return ()


def _pause(message: str, span: Span, seq: int | None) -> GuardrailEvent:
    return GuardrailEvent(
        run_id=span.run_id,
        event_id=f"{span.span_id}/pause",
        recorded_seq=seq if seq is not None else span.recorded_seq,
        occurred_at=span.ended_at or span.started_at,
        trigger=_PAUSE,
        agent=span.name,
        action="PAUSE",
        details=said(message),
        attributes={"span_id": span.span_id},
    )


def _trace(run: dict[str, Any], span: Span, trace_id: str) -> Run:
    metadata = mapping(mapping(run.get("extra")).get("metadata"))
    status, reason = _run_outcome(run)
    return Run(
        run_id=span.run_id,
        event_id=f"root:{span.span_id}",
        recorded_seq=span.recorded_seq,
        source=SOURCE,
        native_id=trace_id,
        workload=text(run.get("session_name")),
        name=span.name or words(run.get("inputs")),
        status=status,
        status_reason=reason,
        stop_reason=_PAUSE if _is_pause(run) else None,
        started_at=span.started_at,
        ended_at=span.ended_at,
        session_id=next((str(metadata[key]) for key in _SESSION_KEYS if metadata.get(key)), None),
        attributes=_project(run),
    )


def _project(run: dict[str, Any]) -> dict[str, Any]:
    """`session_id` of a run is its project; the conversation is in the metadata."""
    return {"project_id": str(run["session_id"])} if run.get("session_id") else {}


def _run_outcome(run: dict[str, Any]) -> tuple[RunStatus | None, str | None]:
    if _is_pause(run):
        return "interrupted", f"recorded: the root run paused for a person ({_PAUSE})"
    if run.get("error"):
        return "failed", f"recorded: the root run has an error: {last_line(str(run['error']))}"
    status = text(run.get("status"))
    if status is None:
        return None, None
    return _OUTCOME.get(status, "unknown"), f"recorded: the root run has status {status}"
