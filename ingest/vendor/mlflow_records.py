"""An MLflow trace and its spans as records. Attribute values are JSON encoded once more; ids are base64 or 0x hex."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from ingest.json_text import Decoded, decode
from ingest.otel.ids import SPAN_BYTES, normalised
from ingest.otel.span import moment
from ingest.records import ContextItem, ContextSet, Event, Record, Run, RunStatus, Span, run_key
from ingest.vendor.failure import duration_checked, failure
from ingest.vendor.span_runs import SpanRuns
from ingest.vendor.values import Notes, given_digest, mapping, sequence, storable, text, whole, within, words

SOURCE = "mlflow"
_OUTCOME: dict[str, RunStatus] = {
    "OK": "succeeded", "ERROR": "failed", "IN_PROGRESS": "running", "STATE_UNSPECIFIED": "unknown",
}  # fmt: skip
_STATUS = {"OK": "ok", "ERROR": "error", "UNSET": "unset"}
_KINDS = {"CHAT_MODEL": "llm", "RETRIEVER": "retrieval", "UNKNOWN": None}
_TAKEN_INFO = frozenset(
    {
        "trace_id",
        "request_id",
        "request_time",
        "timestamp_ms",
        "state",
        "status",
        "assessments",
        "execution_duration_ms",
    }
)
_TAKEN_SPAN = frozenset(
    {
        "trace_id", "span_id", "parent_span_id", "parent_id", "context", "name", "start_time_unix_nano",
        "end_time_unix_nano", "start_time", "end_time", "status", "status_code", "events", "attributes",
    }
)  # fmt: skip
_MODEL_KEYS = ("mlflow.llm.model", "mlflow.chat.model", "gen_ai.request.model", "model")
_DOCUMENT_IDS = ("doc_uri", "doc_id", "source", "id")
_RETRIEVED = "mlflow_retriever: the documents in the outputs of a RETRIEVER span are what was retrieved"


def trace_id_of(span: dict[str, Any]) -> str | None:
    """The trace that a span names in its MLflow attribute."""
    return text(within(_decoded_text(mapping(span.get("attributes")).get("mlflow.traceRequestId"))))


def _decoded_text(value: Any) -> Any:
    """The value that was JSON encoded once more; a text that is no JSON is itself."""
    if not isinstance(value, str):
        return value
    decoded = decode(value)
    return decoded.value if isinstance(decoded, Decoded) else value


def is_span(span: dict[str, Any]) -> bool:
    """It has an id, at the top (3) or in its context (2)."""
    return text(span.get("span_id") or mapping(span.get("context")).get("span_id")) is not None


def _id(value: Any) -> str | None:
    recorded = text(value)
    return None if recorded is None else normalised(recorded, SPAN_BYTES)


def _own(span: dict[str, Any]) -> str | None:
    return _id(span.get("span_id") or mapping(span.get("context")).get("span_id"))


def _parent(span: dict[str, Any]) -> str | None:
    return _id(span.get("parent_span_id") or span.get("parent_id"))


def _attributes(span: dict[str, Any]) -> dict[str, Any]:
    return {key: _decoded_text(value) for key, value in mapping(span.get("attributes")).items()}


def trace_records(info: dict[str, Any], trace_id: str, flags: Iterable[str]) -> tuple[Record, ...]:
    """The run, its outcome from the trace's state, and its assessments."""
    notes = Notes()
    notes.add(*flags)
    metadata = _pairs(info.get("trace_metadata") or info.get("request_metadata"))
    tags = _pairs(info.get("tags"))
    started_at = notes.time("request_time", info.get("request_time") or info.get("timestamp_ms"))
    lasted = _milliseconds(info)
    status, reason = _outcome(info, notes)
    run = Run(
        run_id=run_key(SOURCE, trace_id),
        event_id="trace",
        source=SOURCE,
        native_id=trace_id,
        name=text(tags.get("mlflow.traceName")) or words(info.get("request_preview")),
        status=status,
        status_reason=reason,
        started_at=started_at,
        ended_at=started_at + timedelta(milliseconds=lasted) if started_at and lasted is not None else None,
        session_id=text(metadata.get("mlflow.traceSession")),
        attributes=notes.attributes(info, _TAKEN_INFO),
        flags=notes.all(),
    )
    return run, *(_assessment(run.run_id, found) for found in sequence(info.get("assessments")) if mapping(found))


def _milliseconds(info: dict[str, Any]) -> int | None:
    """How long the trace lasted; a negative number is none, and so is one longer than a century."""
    value = info.get("execution_duration_ms")
    number = whole(info.get("execution_time_ms") if value is None else value)
    return number if number is not None and 0 <= number < 100 * 366 * 86_400_000 else None


def _pairs(value: Any) -> dict[str, Any]:
    """An object, or the list of key and value that version 2 writes."""
    pairs = [mapping(pair) for pair in sequence(value)]
    return mapping(value) or {str(pair["key"]): pair.get("value") for pair in pairs if "key" in pair}


def _outcome(info: dict[str, Any], notes: Notes) -> tuple[RunStatus | None, str | None]:
    recorded = text(info.get("state") or info.get("status"))
    if recorded is None:
        return None, None
    known = _OUTCOME.get(recorded.rpartition(".")[2])
    if known is None:
        notes.add("unknown_value")
        notes.kept["state"] = recorded
    return known or "unknown", f"recorded: info.state {recorded}"


def _assessment(run_id: str, value: dict[str, Any]) -> Event:
    notes = Notes()
    judged = mapping(value.get("feedback")) or mapping(value.get("expectation"))
    return Event(
        run_id=run_id,
        event_id=text(value.get("assessment_id")),
        occurred_at=notes.time("create_time", value.get("create_time")),
        span_id=_id(value.get("span_id")),
        kind="score",
        name=text(value.get("assessment_name") or value.get("name")),
        summary=": ".join(part for part in (text(judged.get("value")), words(value.get("rationale"))) if part) or None,
        attributes=notes.attributes(value),
        flags=notes.all(),
    )


def span_records(span: dict[str, Any], trace_id: str, runs: SpanRuns, flags: Iterable[str]) -> tuple[Record, ...]:
    """The span, its one error, exceptions that it survived, and what a retriever found."""
    notes = Notes()
    notes.add(*flags)
    attributes = _attributes(span)
    found = _span(span, attributes, run_key(SOURCE, trace_id), notes)
    exceptions = [mapping(event) for event in sequence(span.get("events")) if mapping(event).get("name") == "exception"]
    failed = found.status == "error"
    error = _error(span, attributes, found, exceptions) if failed else None
    others = [
        mapping(event) for event in sequence(span.get("events")) if not (failed and mapping(event) in exceptions[-1:])
    ]
    return (
        *runs.of(found.run_id),
        found,
        *(_event(found, number, event) for number, event in enumerate(others)),
        *((error,) if error else ()),
        *_retrieved(found, attributes),
    )


def _span(span: dict[str, Any], attributes: dict[str, Any], run_id: str, notes: Notes) -> Span:
    own, parent = _own(span) or "", _parent(span)
    if parent == own:
        notes.add("parent_is_itself")
        parent = None
    kind, name = text(attributes.get("mlflow.spanType")), text(span.get("name"))
    began = _moment(span, "start_time", notes)
    started_at, ended_at = duration_checked(notes, began, _moment(span, "end_time", notes))
    usage = mapping(attributes.get("mlflow.chat.tokenUsage"))
    return Span(
        run_id=run_id,
        span_id=own,
        parent_span_id=parent,
        kind=_kind(kind),
        name=name,
        agent=name if kind == "AGENT" else None,
        tool=name if kind == "TOOL" else None,
        started_at=started_at,
        ended_at=ended_at,
        status=_status(span, ended_at is None and "negative_duration" not in notes.flags, notes),
        model=next((str(attributes[key]) for key in _MODEL_KEYS if attributes.get(key)), None),
        input_tokens=notes.count("input_tokens", usage.get("input_tokens")),
        output_tokens=notes.count("output_tokens", usage.get("output_tokens")),
        attributes={
            **notes.attributes({**{k: v for k, v in span.items() if k not in _TAKEN_SPAN}, **attributes}),
            **given_digest(attributes.get("mlflow.spanInputs")),
        },
        flags=notes.all(),
    )


def _kind(span_type: str | None) -> str | None:
    return None if span_type is None else _KINDS.get(span_type, span_type.lower())


def _moment(span: dict[str, Any], key: str, notes: Notes) -> Any:
    value = span.get(f"{key}_unix_nano")
    time, flags = moment(span.get(key) if value is None else value)
    notes.add(*flags)
    return time


def _status(span: dict[str, Any], is_open: bool, notes: Notes) -> str | None:  # noqa: FBT001 - read beside its name
    status = mapping(span.get("status"))
    code = text(status.get("code") or span.get("status_code") or (None if status else span.get("status")))
    known = _STATUS.get((code or "").rpartition(".")[2].removeprefix("STATUS_CODE_"))
    if code and known is None:
        notes.add("unknown_value")
        notes.kept["status_code"] = code
    return "open" if is_open and known in (None, "unset") else known


def _error(span: dict[str, Any], attributes: dict[str, Any], found: Span, exceptions: list[dict[str, Any]]) -> Record:
    raised = mapping(exceptions[-1].get("attributes")) if exceptions else {}
    message = text(mapping(span.get("status")).get("message") or span.get("status_message"))
    kind = text(raised.get("exception.type"))
    kept = {key: raised[key] for key in ("exception.message", "exception.stacktrace") if raised.get(key)}
    return failure(
        found,
        message or text(raised.get("exception.message")) or "",
        code=kind.rpartition(".")[2] if kind else None,
        given=attributes.get("mlflow.spanInputs"),
        attributes=kept,
    )


def _event(found: Span, number: int, event: dict[str, Any]) -> Event:
    """An event of the span; an exception on a span that did not fail was handled, or nobody says."""
    time, flags = moment(event.get("time_unix_nano") or event.get("timestamp"))
    attributes = mapping(event.get("attributes"))
    raised = ": ".join(str(attributes[key]) for key in ("exception.type", "exception.message") if attributes.get(key))
    return Event(
        run_id=found.run_id,
        event_id=f"{found.span_id}/{number}",
        occurred_at=time,
        span_id=found.span_id,
        kind="exception" if event.get("name") == "exception" else "span_event",
        name=text(event.get("name")),
        summary=raised or None,
        attributes=storable(attributes),
        flags=flags,
    )


def _retrieved(found: Span, attributes: dict[str, Any]) -> tuple[ContextSet, ...]:
    documents = sequence(attributes.get("mlflow.spanOutputs")) if found.kind == "retrieval" else []
    members = [item for document in documents if (item := _document_id(mapping(document)))]
    if not documents or len(members) != len(documents):
        return ()
    return (
        ContextSet(
            run_id=found.run_id,
            event_id=f"{found.span_id}/retrieved",
            occurred_at=found.ended_at,
            step_id=found.span_id,
            set_name="retrieved",
            members=tuple(ContextItem(item_id=member) for member in dict.fromkeys(members)),
            basis="derived",
            rule=_RETRIEVED,
        ),
    )


def _document_id(document: dict[str, Any]) -> str | None:
    metadata = mapping(document.get("metadata"))
    named = next((str(metadata[key]) for key in _DOCUMENT_IDS if metadata.get(key)), None) or text(document.get("id"))
    chunk = text(metadata.get("chunk_id"))
    return f"{named}#{chunk}" if named and chunk else named
