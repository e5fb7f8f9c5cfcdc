"""A failed operation as an error event: what it says, which code it names, where it is."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from ingest.otel.errors import error_id
from ingest.otel.span import OtelSpan
from ingest.otel.tool_errors import tool_error_class as class_by_text
from ingest.records import ErrorEvent, Span
from ingest.vendor.error_text import exception_class, said
from ingest.vendor.values import Notes, digest, storable, text


def failure(
    span: Span,
    message: Any,
    *,
    code: str | None = None,
    given: Any = None,
    occurred_at: datetime | None = None,
    tool_error_class: str | None = None,
    rule: str | None = None,
    seq: int | None = None,
    attributes: dict[str, Any] | None = None,
) -> ErrorEvent:
    """The error of a span; `given` is what it was called with, `rule` names why a derived one is believed."""
    whole = text(message) or ""
    summary = said(whole) or None
    named = code or exception_class(whole)
    kept = {**({"message": whole} if whole != (summary or "") else {}), **(attributes or {})}
    found = None if tool_error_class else class_by_text(_as_call(span), span.kind, named, summary)
    return ErrorEvent(
        run_id=span.run_id,
        event_id=error_id(span.span_id),
        recorded_seq=span.recorded_seq if seq is None else seq,
        occurred_at=occurred_at or span.ended_at or span.started_at,
        span_id=span.span_id,
        type=named,
        error_code=named,
        tool_error_class=found.name if found else tool_error_class,
        step_index=span.step_index,
        phase=span.phase,
        agent=span.agent,
        details=summary,
        location=span.tool or span.name,
        state_hash=digest(given),
        basis="derived" if rule else "recorded",
        rule=rule or (f"tool_error_class {found.rule}" if found else None),
        attributes=storable(kept),
    )


def _as_call(span: Span) -> OtelSpan:
    """The span as the rules for tool errors see it: a call of which only kind, code and text are known."""
    return OtelSpan(trace_id=span.run_id, span_id=span.span_id, name=span.name)


def duration_checked(
    notes: Notes, started_at: datetime | None, ended_at: datetime | None
) -> tuple[datetime | None, datetime | None]:
    """Beginning and end; an end before the beginning is none, is flagged and kept as it was."""
    if started_at and ended_at and ended_at < started_at:
        notes.add("negative_duration")
        notes.kept["recorded_end"] = ended_at.isoformat()
        return started_at, None
    return started_at, ended_at
