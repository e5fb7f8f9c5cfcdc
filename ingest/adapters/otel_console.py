"""What the OpenTelemetry SDK prints: one pretty JSON object a span, one after the other, often between other log lines.

Nobody plans to keep these; they are what remains when the output of a run was redirected to a file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ingest.adapter import Adapter, Item, Rejected, Skipped
from ingest.json_text import Fault, decoded_leniently
from ingest.otel.objects import Piece, pieces
from ingest.otel.records import SpanRecords
from ingest.otel.span import Malformed, OtelSpan, SpanEvent, span_event, span_of
from ingest.source import Head, Source

_HEX_ID = re.compile(r'"trace_id"\s*:\s*"0x[0-9a-fA-F]+"')
_SPAN_KIND = re.compile(r'"kind"\s*:\s*"SpanKind\.[A-Z]+"')
_KNOWN = frozenset({
    "name", "context", "kind", "parent_id", "start_time", "end_time", "status", "attributes", "events", "resource",
})  # fmt: skip
_SHOWN = 2_000


def recognise(head: Head) -> bool:
    """Text with hex trace ids and span kinds as the SDK prints them."""
    return bool(_HEX_ID.search(head.text)) and bool(_SPAN_KIND.search(head.text))


def read(source: Source) -> Iterator[Item]:
    """Every printed span; other lines are counted and left out."""
    spans = SpanRecords()
    text = decoded_leniently(source.data())
    for piece in pieces(text):
        yield _item(piece, spans, at_end=text.endswith(piece.text))


def _item(piece: Piece, spans: SpanRecords, *, at_end: bool) -> Item:
    if piece.value is None:
        return Skipped(piece.place, "other_text", len([line for line in piece.text.splitlines() if line.strip()]))
    if isinstance(piece.value, Fault):
        return _broken(piece, piece.value, at_end=at_end)
    value = piece.value.value
    if not _is_span(value):
        return Skipped(piece.place, "not_a_span")
    flags = (*piece.value.flags, *(("not_utf8",) if "\ufffd" in piece.text else ()))
    return spans.item(piece.place, lambda: _span(value, flags), piece.text[:_SHOWN])


def _broken(piece: Piece, fault: Fault, *, at_end: bool) -> Item:
    if not _HEX_ID.search(piece.text) and not _SPAN_KIND.search(piece.text) and not at_end:
        return Skipped(piece.place, "other_text", len(piece.text.splitlines()))
    if at_end and fault.cut:
        return Skipped(piece.place, "incomplete_last_record")
    return Rejected(piece.place, fault.reason, fault.message, piece.text[:_SHOWN])


def _is_span(value: Mapping[str, Any]) -> bool:
    return isinstance(value.get("context"), Mapping) and "start_time" in value


def _span(value: Mapping[str, Any], flags: tuple[str, ...]) -> OtelSpan:
    context = value["context"]
    status = value.get("status")
    status = status if isinstance(status, Mapping) else {"status_code": status}
    resource = value.get("resource")
    return span_of(
        trace_id=context.get("trace_id"),
        span_id=context.get("span_id"),
        parent_span_id=value.get("parent_id"),
        name=value.get("name"),
        kind=value.get("kind"),
        start=value.get("start_time"),
        end=value.get("end_time"),
        status=status.get("status_code"),
        status_message=status.get("description"),
        attributes=_attributes(value),
        events=tuple(_events(value.get("events"))),
        resource=_attributes(resource) if isinstance(resource, Mapping) else {},
        more={key: item for key, item in value.items() if key not in _KNOWN} | _state(context),
        flags=flags,
    )


def _state(context: Mapping[str, Any]) -> dict[str, Any]:
    state = context.get("trace_state")
    return {} if state in (None, "", "[]", []) else {"trace_state": state}


def _attributes(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """The attributes; early SDKs print a resource as its attributes alone."""
    found = value.get("attributes", {} if "name" in value or "schema_url" in value else value)
    if found is None:
        return {}
    if not isinstance(found, Mapping):
        raise Malformed("invalid_field", f"`attributes`: an object is wanted, not {type(found).__name__}")
    return found


def _events(events: Any) -> Iterator[SpanEvent]:
    for event in events if isinstance(events, list) else []:
        if isinstance(event, Mapping):
            yield span_event(event.get("name"), event.get("timestamp"), _attributes({"name": "", **event}))


ADAPTER = Adapter(
    name="otel_console",
    version=1,
    title="OpenTelemetry console exporter output (redirected to a file)",
    recognised_by='`"trace_id": "0x…"` and `"kind": "SpanKind.…"`',
    yields=("runs", "spans", "events", "errors", "recoveries", "guardrails", "context sets", "diagnoses", "handoffs"),
    recognise=recognise,
    read=read,
    record_is="span",
)
