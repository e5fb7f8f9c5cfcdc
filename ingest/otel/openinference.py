"""Spans as OpenInference tools export them: one object a span, nested or with dotted keys, or a row of a table."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from ingest.otel import ids
from ingest.otel.span import OtelSpan, SpanEvent, span_event, span_of
from ingest.otel.values import as_text, flattened, structured
from ingest.times import utc_time

KIND = "openinference.span.kind"
_SPAN = frozenset({
    "name", "context", "span_kind", "parent_id", "start_time", "end_time", "status_code", "status_message",
    "attributes", "events",
})  # fmt: skip
_NESTED = frozenset({
    "trace_id", "span_id", "parent_span_id", "span_name", "span_kind", "timestamp", "duration", "status_code",
    "status_message", "span_attributes", "resource_attributes", "service_name", "events", "child_spans",
})  # fmt: skip
_COLUMNS = {"context.trace_id": "trace_id", "context.span_id": "span_id"}
_ATTRIBUTE = "attributes."
_INDEX = ("__index_level_0__", "", "Unnamed: 0")
_DURATION = re.compile(r"P(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?")


def is_span(value: Any) -> bool:
    """A span with its context and a status code; what the SDK prints has the status as an object."""
    if not isinstance(value, Mapping) or not isinstance(value.get("context"), Mapping):
        return False
    return "trace_id" in value["context"] and ("span_kind" in value or isinstance(value.get("status_code"), str))


def is_trace(value: Any) -> bool:
    """A trace whose spans hold their child spans."""
    spans = value.get("spans") if isinstance(value, Mapping) else None
    first = spans[0] if isinstance(spans, list) and spans else None
    return isinstance(first, Mapping) and "span_id" in first and ("child_spans" in first or "span_attributes" in first)


def is_table(columns: Any) -> bool:
    """The columns of a table of spans."""
    return "context.trace_id" in columns and ("span_kind" in columns or "status_code" in columns)


def span_from(value: Mapping[str, Any], flags: tuple[str, ...] = ()) -> OtelSpan:
    """The span of an object."""
    context = value["context"]
    noted = set(flags)
    attributes = value.get("attributes")
    if attributes is not None and not isinstance(attributes, Mapping):
        noted.add("bad_attributes")
    flat = flattened(attributes) if isinstance(attributes, Mapping) else {}
    kind = value.get("span_kind")
    if kind and KIND not in flat:
        flat[KIND] = kind
    span_id = context.get("span_id")
    if ids.plain_id(span_id) is None:
        noted.add("span_id_derived")
        span_id = _row_id(value)
    return span_of(
        trace_id=context.get("trace_id"),
        span_id=span_id,
        parent_span_id=value.get("parent_id"),
        name=value.get("name"),
        start=value.get("start_time"),
        end=value.get("end_time"),
        status=value.get("status_code"),
        status_message=value.get("status_message"),
        attributes=flat,
        events=tuple(_events(value.get("events"), noted)),
        more={
            **{key: item for key, item in value.items() if key not in _SPAN},
            "attributes": None if isinstance(attributes, Mapping) else attributes,
        },
        flags=noted,
    )


def _row_id(value: Mapping[str, Any]) -> str:
    """An id for a row that was saved without it: from what tells it apart."""
    parts = [value["context"].get("trace_id"), value.get("parent_id"), value.get("name"), value.get("start_time")]
    return "row-" + hashlib.sha256(json.dumps(parts, default=str).encode()).hexdigest()[:16]


def _events(events: Any, flags: set[str]) -> Iterator[SpanEvent]:
    found = structured(events)
    if found is None or found == "":
        return
    if not isinstance(found, list):
        flags.add("unreadable_events")
        yield span_event("unreadable_events", None, {"recorded": as_text(found)})
        return
    for event in found:
        if isinstance(event, Mapping):
            attributes = event.get("attributes") or event.get("event_attributes")
            at = event.get("timestamp") or event.get("time")
            yield span_event(event.get("name"), at, flattened(attributes) if isinstance(attributes, Mapping) else {})


def row_as_span(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of a table as the object that it was made from; a cell without a value is no attribute."""
    filled = {key: _filled(cell) for key, cell in row.items()}
    filled = {key: cell for key, cell in filled.items() if cell is not None}
    context = {name: filled.pop(column) for column, name in _COLUMNS.items() if column in filled}
    index = next((filled.pop(name) for name in _INDEX if name in filled), None)
    attributes = filled.pop("attributes", None)
    dotted = {key.removeprefix(_ATTRIBUTE): filled.pop(key) for key in list(filled) if key.startswith(_ATTRIBUTE)}
    nested = structured(attributes)
    return {
        **filled,
        "context": {"span_id": index, **context} if isinstance(index, str) else context,
        "attributes": {**(nested if isinstance(nested, Mapping) else {}), **dotted},
    }


def _filled(cell: Any) -> Any:
    """The cell without the empty places that a table's columns give to every row."""
    if isinstance(cell, float) and cell != cell:  # noqa: PLR0124 - NaN is the one that differs from itself
        return None
    if isinstance(cell, Mapping):
        inside = {key: _filled(item) for key, item in cell.items()}
        return {key: item for key, item in inside.items() if item is not None} or None
    if isinstance(cell, list):
        return [_filled(item) for item in cell]
    return cell


def nested_spans(trace: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], str | None]]:
    """Every span of a trace of nested spans, with the span that holds it."""
    waiting: list[tuple[Any, str | None]] = [(span, None) for span in reversed(trace["spans"])]
    while waiting:
        span, holder = waiting.pop()
        if not isinstance(span, Mapping):
            yield {"not_a_span": span}, holder
            continue
        yield span, holder
        children = span.get("child_spans")
        if isinstance(children, list):
            waiting.extend((child, ids.plain_id(span.get("span_id"))) for child in reversed(children))


def nested_span_from(
    value: Mapping[str, Any], holder: str | None, trace_id: Any, flags: tuple[str, ...] = ()
) -> OtelSpan:
    """The span of a nested object: attributes of its own and of its resource, and a duration instead of an end."""
    noted = set(flags)
    attributes, resource = value.get("span_attributes"), value.get("resource_attributes")
    service = value.get("service_name")
    kind = value.get("span_kind")
    return span_of(
        trace_id=value.get("trace_id") or trace_id,
        span_id=value.get("span_id"),
        parent_span_id=value.get("parent_span_id") or holder,
        name=value.get("span_name") or value.get("name"),
        kind=kind,
        start=value.get("timestamp"),
        end=_end(value.get("timestamp"), value.get("duration"), noted),
        status=value.get("status_code"),
        status_message=value.get("status_message"),
        attributes=flattened(attributes) if isinstance(attributes, Mapping) else {},
        events=tuple(_events(value.get("events"), noted)),
        resource={
            **({"service.name": service} if service else {}),
            **(flattened(resource) if isinstance(resource, Mapping) else {}),
        },
        more={key: item for key, item in value.items() if key not in _NESTED},
        flags=noted,
    )


def _end(start: Any, duration: Any, flags: set[str]) -> datetime | None:
    if duration in (None, ""):
        return None
    try:
        began, length = utc_time(start)[0], duration_of(duration)
        if began is not None and length is not None:
            return began + length
    except (OverflowError, ValueError):
        pass  # longer than time itself: as unreadable as any other text
    flags.add("bad_duration")
    return None


def duration_of(text: Any) -> timedelta | None:
    """An ISO 8601 duration of days, hours, minutes and seconds; a number is seconds."""
    if isinstance(text, int | float) and not isinstance(text, bool):
        return timedelta(seconds=text)
    match = _DURATION.fullmatch(text) if isinstance(text, str) else None
    if match is None or not any(match.groups()):
        return None
    days, hours, minutes, seconds = (float(part or 0) for part in match.groups())
    return timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
