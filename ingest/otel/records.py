"""A span and everything that follows from it alone, as records.

The run of a span is its trace. What needs all spans of a run (outcome, retries, recoveries, tokens) is derived over
the staged run: `ingest/derive/steps/`. A run takes part in that when one of its run records carries OUTCOME_RULE.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from ingest.adapter import Item, Parsed, Place, Rejected
from ingest.otel import ids
from ingest.otel.context import context_sets
from ingest.otel.decisions import guardrail_of, handoffs_of
from ingest.otel.declared import declared_diagnosis, declared_recovery
from ingest.otel.errors import error_of, escaped_exception, is_exception
from ingest.otel.meaning import (
    agent_of,
    cost_of,
    input_digest,
    kind_of,
    model_of,
    phase_of,
    service_of,
    session_of,
    tokens_of,
    tool_of,
)
from ingest.otel.messages import is_message, message_text
from ingest.otel.span import Malformed, OtelSpan, SpanEvent
from ingest.otel.values import as_text, text_of
from ingest.records import Event, Record, Run, Span, run_key

SOURCE = "opentelemetry"
# On a run record: the run's outcome, retries and recoveries follow from its spans.
OUTCOME_RULE = {"outcome_from": "root_spans"}
SUMMARY_CHARACTERS = 200


class SpanRecords:
    """The records of one file's spans; what they say of their runs stands once."""

    def __init__(self, source: str = SOURCE) -> None:
        self._source = source
        self._said: set[tuple[str, str]] = set()
        self._resource: Mapping[str, Any] = {}
        self._digest: str | None = None

    def item(self, place: Place, read: Callable[[], OtelSpan], raw: Any) -> Item:
        """The span as records, or why it is none; `raw` is shown beside a rejection."""
        try:
            return Parsed(place, self.of(read()))
        except Malformed as fault:
            return Rejected(place, fault.reason, str(fault), as_text(raw) or "")
        except ValidationError as error:
            return Rejected(place, "invalid_field", _first_fault(error), as_text(raw) or "")
        except RecursionError:
            return Rejected(place, "too_deep", "the span is nested deeper than can be read")

    def of(self, span: OtelSpan) -> tuple[Record, ...]:
        """The records of one span. The spans of one resource mostly come together, with the same object for it."""
        if span.resource is not self._resource:
            self._resource, self._digest = span.resource, resource_digest(span.resource)
        return _records(span, self._source, self._digest, self._said)


def _first_fault(error: ValidationError) -> str:
    fault = error.errors(include_url=False, include_input=False, include_context=False)[0]
    return f"`{'.'.join(str(part) for part in fault['loc'])}`: {fault['msg']}"


def records_of_span(
    span: OtelSpan, source: str = SOURCE, said: set[tuple[str, str]] | None = None
) -> tuple[Record, ...]:
    """The span, what it says of its run, and the errors, recoveries, context sets and decisions on it.

    What is in `said` already (run and fact) is not said again, and what is said now is in it afterwards.
    """
    return _records(span, source, resource_digest(span.resource), set() if said is None else said)


def _records(span: OtelSpan, source: str, resource: str | None, said: set[tuple[str, str]]) -> tuple[Record, ...]:
    run_id = run_key(source, span.trace_id)
    flags: set[str] = set(span.flags)
    error = error_of(span, run_id, flags)
    found = (
        error,
        declared_diagnosis(span, run_id, error),
        declared_recovery(span, run_id, flags),
        guardrail_of(span, run_id),
        *context_sets(span, run_id, flags),
        *handoffs_of(span, run_id),
        *_events(span, run_id),
    )
    runs = _run_records(span, run_id, source, resource, said)
    others = (record for record in found if record is not None)
    return (*runs, _span(span, run_id, resource, flags), *others)


def _run_records(
    span: OtelSpan, run_id: str, source: str, resource: str | None, said: set[tuple[str, str]]
) -> Iterator[Run]:
    """One run record a fact, its id made of the fact: the same fact from another span or file is the same record."""
    for event_id in _facts(span, resource):
        if (run_id, event_id) not in said:
            said.add((run_id, event_id))
            fact = _fact(span, event_id)
            yield Run(run_id=run_id, event_id=event_id, source=source, native_id=span.trace_id, **fact)


def _facts(span: OtelSpan, resource: str | None) -> Iterator[str]:
    """What the span says of its run, by the ids of the records that say it."""
    yield "spans"
    if service := service_of(span):
        yield f"service:{service}"
    if session := session_of(span):
        yield f"session:{session}"
    if resource:
        yield f"resource:{resource}"


def _fact(span: OtelSpan, event_id: str) -> dict[str, Any]:
    name = event_id.partition(":")[0]
    if name == "service":
        return {"workload": service_of(span)}
    if name == "session":
        return {"session_id": session_of(span)}
    if name == "resource":
        return {"attributes": {"resource": dict(span.resource)}}
    return {"attributes": OUTCOME_RULE, "flags": ("short_trace_id",) if ids.is_short(span.trace_id) else ()}


def resource_digest(resource: Mapping[str, Any]) -> str | None:
    """Names a resource, so that a span need not repeat it."""
    if not resource:
        return None
    text = json.dumps(resource, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", errors="replace")).hexdigest()[:12]


def _span(span: OtelSpan, run_id: str, resource: str | None, flags: set[str]) -> Span:
    read, written = tokens_of(span, flags)
    cost = cost_of(span, flags)
    return Span(
        run_id=run_id,
        span_id=span.span_id,
        parent_span_id=span.parent_span_id,
        occurred_at=span.start,
        kind=kind_of(span),
        name=span.name,
        phase=phase_of(span),
        agent=agent_of(span),
        started_at=span.start,
        ended_at=span.end,
        status=_status(span),
        tool=tool_of(span),
        model=model_of(span),
        input_tokens=read,
        output_tokens=written,
        cost_usd=cost,
        attributes={**span.attributes, **_beside(span, resource)},
        flags=tuple(sorted(flags)),
    )


def _status(span: OtelSpan) -> str:
    """The recorded status; a span without an end and without a verdict is still open."""
    return "open" if span.open and span.status_code == "unset" else span.status_code


def _beside(span: OtelSpan, resource: str | None) -> dict[str, Any]:
    """What the span has besides its attributes, and what the derivations compare."""
    kept = {f"otel.{name}": value for name, value in span.more.items()}
    kept["otel.kind"] = span.kind
    kept["otel.status_message"] = span.status_message
    kept["otel.resource"] = resource
    kept["service.name"] = service_of(span)
    kept["session.id"] = session_of(span)
    kept["input_digest"] = input_digest(span)
    return {name: value for name, value in kept.items() if value is not None and name not in span.attributes}


def _events(span: OtelSpan, run_id: str) -> Iterator[Event]:
    """The span's events; the exception that its failure consists of is part of the error event."""
    if not span.events:
        return
    escaped = escaped_exception(span)
    for index, event in enumerate(span.events):
        if event is not escaped:
            yield _event(span, event, run_id, index)


def _event(span: OtelSpan, event: SpanEvent, run_id: str, index: int) -> Event:
    handled = ("handled_or_unknown",) if is_exception(event) else ()
    return Event(
        run_id=run_id,
        event_id=f"{span.span_id}/event/{index}",
        span_id=span.span_id,
        occurred_at=event.at or span.end or span.start,
        kind="exception" if is_exception(event) else "message" if is_message(event) else "span_event",
        name=event.name,
        phase=phase_of(span),
        agent=agent_of(span),
        summary=summary(event),
        attributes=dict(event.attributes),
        flags=(*handled, *event.flags),
    )


def summary(event: SpanEvent) -> str | None:
    """One line that says what the event says."""
    if is_exception(event):
        said = [text_of(event.attributes, "exception.type"), text_of(event.attributes, "exception.message")]
        return _one_line(": ".join(part for part in said if part))
    return _one_line(message_text(event) if is_message(event) else event.name)


def _one_line(text: str | None) -> str | None:
    return " ".join(text.split())[:SUMMARY_CHARACTERS] if text else None
