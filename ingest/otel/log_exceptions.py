"""Exceptions that instrumentations write as log records: they may stand in the logs file and nowhere on the span."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from ingest.otel import ids
from ingest.otel.errors import EXCEPTION_EVENTS, error_id
from ingest.otel.otlp_values import attributes_of, field
from ingest.otel.proto_json import Found, log_event_name
from ingest.otel.records import SOURCE, summary
from ingest.otel.span import SpanEvent, span_event
from ingest.otel.values import text_of
from ingest.records import ErrorEvent, Event, Record, Run, run_key


def is_exception_log(body: Any) -> bool:
    """The log record is an exception event of a trace."""
    return log_event_name(body) in EXCEPTION_EVENTS and ids.plain_id(field(body, "traceId")) is not None


def records_of_log(found: Found, flags: tuple[str, ...] = ()) -> tuple[Record, ...]:
    """The exception as an event and as a failure; the span's own failure, where it has one, is the same failure."""
    body: Mapping[str, Any] = found.body
    trace_id = ids.normalised(ids.plain_id(field(body, "traceId")) or "", ids.TRACE_BYTES)
    recorded = ids.plain_id(field(body, "spanId"))
    span_id = ids.normalised(recorded, ids.SPAN_BYTES) if recorded else None
    noted = set(flags)
    at = field(body, "timeUnixNano") or field(body, "observedTimeUnixNano")
    event = span_event(log_event_name(body), at, attributes_of(body, noted))
    digest = _digest(event)
    run_id = run_key(SOURCE, trace_id)
    described = Run(run_id=run_id, event_id="log", source=SOURCE, native_id=trace_id, workload=_service(found))
    shared = {"run_id": run_id, "span_id": span_id, "occurred_at": event.at, "flags": tuple(sorted(noted))}
    return (
        described,
        ErrorEvent.model_validate({**shared, **_failure(event), "event_id": error_id(span_id or f"log/{digest}")}),
        Event.model_validate({**shared, **_event(event), "event_id": f"{span_id or 'log'}/log/{digest}"}),
    )


def _service(found: Found) -> str | None:
    return text_of(found.resource, "service.name")


def _digest(event: SpanEvent) -> str:
    text = json.dumps([str(event.at), event.attributes], sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", errors="replace")).hexdigest()[:12]


def _failure(event: SpanEvent) -> dict[str, Any]:
    exception_type = text_of(event.attributes, "exception.type")
    return {
        "type": exception_type,
        "error_code": text_of(event.attributes, "error.type") or exception_type,
        "details": text_of(event.attributes, "exception.message"),
        "location": text_of(event.attributes, "gen_ai.tool.name"),
        "attributes": dict(event.attributes),
    }


def _event(event: SpanEvent) -> dict[str, Any]:
    return {"kind": "exception", "name": event.name, "summary": summary(event), "attributes": {"from": "log record"}}
