"""Spans of Jaeger's JSON: microseconds, tags with types, logs, references, and processes beside the spans."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from ingest.otel import ids
from ingest.otel.otlp_values import snake
from ingest.otel.span import Malformed, OtelSpan, SpanEvent, span_event, span_of
from ingest.otel.values import as_text, text_of

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_KNOWN = frozenset({
    "traceID", "spanID", "parentSpanID", "operationName", "references", "startTime", "duration", "tags", "logs",
    "processID", "process", "warnings", "flags",
    # What the user interface adds while it draws.
    "relativeStartTime", "depth", "hasChildren", "childSpanIds", "subsidiarilyReferencedBy",
})  # fmt: skip
_TRUE = frozenset({"true", "1"})
_EXCEPTIONS = frozenset({"exception", "error"})
# What Jaeger notes on a span whose times it moved, or left alone though they cannot be right.
_CLOCK_NOTES = {"adjusted by": "clock_adjusted", "not applying calculated delta": "clock_skew"}


def is_trace(value: Any) -> bool:
    """A trace: spans that have a `spanID`, and an id for all."""
    spans = value.get("spans") if isinstance(value, dict) else None
    return isinstance(spans, list) and (
        any(isinstance(span, dict) and "spanID" in span for span in spans) or ("traceID" in value and not spans)
    )


def span_from(value: Any, trace: Mapping[str, Any], flags: tuple[str, ...] = ()) -> OtelSpan:
    """One span of a trace; raises Malformed where it is none."""
    if not isinstance(value, dict):
        raise Malformed("not_an_object", f"a span is an object, not {type(value).__name__}")
    noted = set(flags)
    tags = tags_of(value.get("tags"))
    trace_id = _id(value.get("traceID") or trace.get("traceID"))
    parent, links = _parent(value, trace_id, noted)
    warnings = value.get("warnings")
    noted.update(flag for note, flag in _CLOCK_NOTES.items() if note in str(warnings))
    start = _at(value.get("startTime"), noted)
    return span_of(
        trace_id=trace_id,
        span_id=_id(value.get("spanID")),
        parent_span_id=parent,
        name=value.get("operationName"),
        kind=tags.get("span.kind"),
        start=start,
        end=_end(start, value.get("duration"), noted),
        status=_status(tags),
        status_message=text_of(tags, "otel.status_description", "error.message", "error.object"),
        attributes={key: item for key, item in tags.items() if key != "span.kind"},
        events=tuple(_events(value.get("logs"))),
        resource=_resource(value, trace),
        more={
            **{snake(key): item for key, item in value.items() if key not in _KNOWN},
            "recorded_start": value.get("startTime") if start is None else None,
            "links": links,
            "warnings": warnings,
            "flags": value.get("flags"),
        },
        flags=noted,
    )


def tags_of(tags: Any) -> dict[str, Any]:
    """Tags by key, by the type they name where they were written as text."""
    if isinstance(tags, dict):
        return dict(tags)
    pairs = [tag for tag in tags if isinstance(tag, dict) and "key" in tag] if isinstance(tags, list) else []
    return {str(tag["key"]): _typed(tag.get("type"), tag.get("value")) for tag in pairs}


def _typed(kind: Any, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        if kind == "int64":
            return int(value)
        if kind == "float64":
            return float(value)
    except ValueError:
        return value
    return value.casefold() in _TRUE if kind == "bool" else value


def _id(value: Any) -> str | None:
    """Old versions strip leading zeros, which the other spellings of the id have."""
    recorded = ids.plain_id(value)
    return ids.padded(recorded) if recorded else None


def _parent(value: Mapping[str, Any], trace_id: str | None, flags: set[str]) -> tuple[str | None, list[Any]]:
    """The first reference to be a child of a span of the same trace; every other reference is a link."""
    recorded = value.get("references")
    references = [ref for ref in recorded if isinstance(ref, dict)] if isinstance(recorded, list) else []
    here = [ref for ref in references if ref.get("traceID") is None or _id(ref.get("traceID")) == trace_id]
    chosen = next((ref for ref in here if ref.get("refType") == "CHILD_OF"), None)
    if chosen is None and value.get("parentSpanID"):
        return _id(value["parentSpanID"]), references
    if chosen is None and here:
        # Nothing else says where the span belongs; OpenTracing's parent of work that nobody waits for.
        chosen = here[0]
        flags.add("parent_by_follows_from")
    links = [{key: item for key, item in ref.items() if key != "span"} for ref in references if ref is not chosen]
    return (_id(chosen.get("spanID")) if chosen else None), links


def _length(value: Any, flags: set[str]) -> timedelta | None:
    """A count of microseconds, always: its size says nothing about its unit."""
    if value is None or isinstance(value, bool):
        return None
    try:
        return timedelta(microseconds=int(value))
    except (TypeError, ValueError, OverflowError):
        flags.add("bad_time")
        return None


def _at(value: Any, flags: set[str]) -> datetime | None:
    since = _length(value, flags)
    return _sum(_EPOCH, since, flags) if since else None


def _end(start: datetime | None, duration: Any, flags: set[str]) -> datetime | None:
    length = _length(duration, flags)
    return None if start is None or length is None else _sum(start, length, flags)


def _sum(start: datetime, length: timedelta, flags: set[str]) -> datetime | None:
    try:
        return start + length
    except OverflowError:
        flags.add("bad_time")
        return None


def _status(tags: Mapping[str, Any]) -> str | None:
    code = text_of(tags, "otel.status_code", "status.code")
    if code:
        return code
    return "error" if (as_text(tags.get("error")) or "").casefold() in _TRUE else None


def _resource(value: Mapping[str, Any], trace: Mapping[str, Any]) -> dict[str, Any]:
    """The span's process: inside it, or beside the spans under the span's `processID`."""
    processes = trace.get("processes")
    process = value.get("process")
    if not isinstance(process, dict):
        process = processes.get(str(value.get("processID"))) if isinstance(processes, dict) else None
    if not isinstance(process, dict):
        return {}
    service = process.get("serviceName")
    return {**({"service.name": service} if service else {}), **tags_of(process.get("tags"))}


def _events(logs: Any) -> Iterator[SpanEvent]:
    for log in logs if isinstance(logs, list) else []:
        if isinstance(log, dict):
            fields = tags_of(log.get("fields"))
            name = text_of(fields, "event", "message")
            yield span_event(*_named(name, fields, log))


def _named(name: str | None, fields: dict[str, Any], log: Mapping[str, Any]) -> tuple[str | None, Any, dict[str, Any]]:
    """An error log of OpenTracing says the same as an exception event, in other words."""
    at = _at(log.get("timestamp"), set())
    if name not in _EXCEPTIONS:
        return name, at, fields
    said = {
        "exception.type": text_of(fields, "exception.type", "error.kind"),
        "exception.message": text_of(fields, "exception.message", "message", "error.object"),
        "exception.stacktrace": text_of(fields, "exception.stacktrace", "stack"),
    }
    return "exception", at, {**fields, **{key: item for key, item in said.items() if item is not None}}
