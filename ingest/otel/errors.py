"""The failure of a span as an error event: status ERROR, an `error.type`, or a declared error.

An exception event on a span that did not fail is no failure: somebody handled it, or nobody knows. It stays an event.
"""

from __future__ import annotations

from typing import Any

from ingest.otel.declared import declared_error
from ingest.otel.meaning import agent_of, error_message_of, error_type_of, input_digest, kind_of, phase_of, tool_of
from ingest.otel.span import OtelSpan, SpanEvent
from ingest.otel.tool_errors import tool_error_class
from ingest.otel.values import as_text, text_of
from ingest.records import ErrorEvent

EXCEPTION_EVENTS = frozenset({"exception", "gen_ai.client.operation.exception"})


def is_exception(event: SpanEvent) -> bool:
    """The event reports an exception."""
    return event.name in EXCEPTION_EVENTS


def has_failed(span: OtelSpan) -> bool:
    """The span says itself that its operation failed."""
    return span.status_code == "error" or error_type_of(span) is not None


def escaped_exception(span: OtelSpan) -> SpanEvent | None:
    """The exception that made a failed span fail: the last one it reports."""
    if not span.events or not has_failed(span):
        return None
    return next((event for event in reversed(span.events) if is_exception(event)), None)


def error_id(span_id: str) -> str:
    """The id of a span's failure, the same in whatever encoding the span comes."""
    return f"{span_id}/error"


def error_of(span: OtelSpan, run_id: str, flags: set[str]) -> ErrorEvent | None:
    """The span's failure; what was declared stands before what conventions say."""
    declared = declared_error(span, run_id, flags)
    if declared is None and not has_failed(span):
        return None
    found = _found(span, escaped_exception(span))
    said = {} if declared is None else _said(declared)
    if "tool_error_class" not in said:
        found.update(_classified(span, found))
    attributes = {**found.pop("attributes"), **said.pop("attributes", {})}
    return ErrorEvent.model_validate(
        {**found, **said, "run_id": run_id, "event_id": error_id(span.span_id), "attributes": attributes}
    )


def _said(declared: ErrorEvent) -> dict[str, Any]:
    names = set(ErrorEvent.model_fields) - {"run_id", "event_id"}
    return {name: value for name in names if (value := getattr(declared, name)) not in (None, (), {})}


def _found(span: OtelSpan, exception: SpanEvent | None) -> dict[str, Any]:
    raised = exception.attributes if exception else {}
    exception_type = text_of(raised, "exception.type")
    disagrees = span.status_code == "ok" and has_failed(span)
    return {
        "span_id": span.span_id,
        "occurred_at": (exception.at if exception else None) or span.end or span.start,
        "type": exception_type,
        "error_code": error_type_of(span) or exception_type,
        "details": span.status_message or text_of(raised, "exception.message") or error_message_of(span),
        "location": tool_of(span) or span.name,
        "state_hash": input_digest(span),
        "phase": phase_of(span),
        "agent": agent_of(span),
        "flags": ("status_disagrees",) if disagrees else (),
        "attributes": dict(raised),
    }


def _classified(span: OtelSpan, found: dict[str, Any]) -> dict[str, Any]:
    named = tool_error_class(span, kind_of(span), found["error_code"], as_text(found["details"]))
    return {} if named is None else {"tool_error_class": named.name, "rule": f"tool_error_class {named.rule}"}
