"""Spans inside OTLP requests: by resource and scope, in either spelling, with the older names of the scope level."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ingest.otel.otlp_values import attributes_of, field, snake
from ingest.otel.span import Malformed, OtelSpan, SpanEvent, span_event, span_of
from ingest.otel.values import as_text

_SCOPES = ("scopeSpans", "instrumentationLibrarySpans")
# What stands at the top: the names of its scope level, the name of its leaves, and what one of them is called here.
_LEVELS: dict[str, tuple[tuple[str, ...], str, str]] = {
    "resourceSpans": (_SCOPES, "spans", "span"),
    "resourceLogs": (("scopeLogs", "instrumentationLibraryLogs"), "logRecords", "log"),
    "resourceMetrics": (("scopeMetrics", "instrumentationLibraryMetrics"), "metrics", "metric"),
    "resourceProfiles": (("scopeProfiles",), "profiles", "profile"),
}
_ENVELOPES = ("trace", "result", "data")
_ATTRIBUTE_COUNTS = {
    name: snake(name) for name in ("droppedAttributesCount", "droppedEventsCount", "droppedLinksCount")
}
_SPAN_KEYS = frozenset({
    "traceId", "spanId", "parentSpanId", "name", "kind", "startTimeUnixNano", "endTimeUnixNano", "attributes",
    "events", "links", "status", "traceState", "flags", *_ATTRIBUTE_COUNTS,
})  # fmt: skip
_KNOWN_KEYS = frozenset({*_SPAN_KEYS, *map(snake, _SPAN_KEYS)})


@dataclass(frozen=True, slots=True)
class Found:
    """A span, log, metric or profile, none of them (no_span), or a fault, and where in the value it stands."""

    where: str
    what: str
    body: Any
    resource: Mapping[str, Any]
    scope: Any = None


def unwrapped(value: Any) -> Any:
    """The request inside the envelopes that some interfaces put round it."""
    while isinstance(value, Mapping) and not levels(value):
        inside = next((value[name] for name in _ENVELOPES if isinstance(value.get(name), Mapping | list)), None)
        if inside is None:
            return value
        value = inside
    return value


def levels(value: Any) -> list[str]:
    """Which of spans, logs, metrics and profiles an object holds."""
    if not isinstance(value, Mapping):
        return []
    found = [name for name in _LEVELS if field(value, name) is not None]
    return found or (["resourceSpans"] if _is_batches(value) else [])


def _is_batches(value: Mapping[str, Any]) -> bool:
    """A trace as a trace store's interface hands it out: the resource level is called `batches`."""
    batches = value.get("batches")
    return isinstance(batches, list) and any(
        isinstance(batch, Mapping) and any(field(batch, name) is not None for name in _SCOPES) for batch in batches
    )


def is_span(value: Any) -> bool:
    """A bare OTLP span: it has ids and a beginning in nanoseconds."""
    return isinstance(value, Mapping) and all(
        field(value, name) is not None for name in ("traceId", "spanId", "startTimeUnixNano")
    )


def found_in(value: Any) -> Iterator[Found]:
    """Every span, log record, metric, profile and fault of one decoded value."""
    value = unwrapped(value)
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _relocated(f"[{index}]", item)
    elif is_span(value):
        yield Found("", "span", value, {})
    elif levels(value):
        yield from _from_request(value)
    else:
        yield Found("", "fault", value, {})


def _relocated(where: str, item: Any) -> Iterator[Found]:
    for found in found_in(item):
        yield Found(f"{where}{found.where}", found.what, found.body, found.resource, found.scope)


def _from_request(value: Mapping[str, Any]) -> Iterator[Found]:
    for name in levels(value):
        level = field(value, name)
        if level is None:
            yield from _resource_level("batches", value["batches"], name)
        else:
            yield from _resource_level(name, level, name)


def _resource_level(shown: str, level: Any, name: str) -> Iterator[Found]:
    """The leaves below resources and scopes; a level without any says so, one of another shape is a fault."""
    if not isinstance(level, list):
        yield Found(shown, "fault", level, {})
        return
    seen = False
    for index, entry in enumerate(level):
        for found in _entry(f"{shown}[{index}]", entry, name):
            seen = True
            yield found
    if not seen:
        yield Found(shown, f"no_{_LEVELS[name][2]}", level, {})


def _entry(where: str, entry: Any, level: str) -> Iterator[Found]:
    scopes = _LEVELS[level][0]
    name = next((name for name in scopes if isinstance(entry, Mapping) and field(entry, name) is not None), None)
    if name is None:
        if not isinstance(entry, Mapping) or (entry and "resource" not in entry):
            yield Found(where, "fault", entry, {})
        return
    resource = resource_of(entry.get("resource"))
    groups = field(entry, name)
    for index, group in enumerate(groups if isinstance(groups, list) else [groups]):
        yield from _group(f"{where}.{name}[{index}]", group, resource, level)


def resource_of(described: Any) -> dict[str, Any]:
    """The attributes of a resource; none of anything that is no resource."""
    return attributes_of(described) if isinstance(described, Mapping) else {}


def _group(where: str, group: Any, resource: Mapping[str, Any], level: str) -> Iterator[Found]:
    if not isinstance(group, Mapping):
        yield Found(where, "fault", group, resource)
        return
    _, leaf, what = _LEVELS[level]
    scope = group.get("scope") or field(group, "instrumentationLibrary")
    leaves = field(group, leaf)
    if leaves is not None and not isinstance(leaves, list):
        yield Found(f"{where}.{leaf}", "fault", leaves, resource)
        return
    for index, body in enumerate(leaves or []):
        yield Found(f"{where}.{leaf}[{index}]", what, body, resource, scope)


def span_from(found: Found, flags: tuple[str, ...] = ()) -> OtelSpan:
    """The span of a found body; raises Malformed where it is none."""
    body = found.body
    if not isinstance(body, Mapping):
        raise Malformed("not_an_object", f"{found.where}: a span is an object, not {type(body).__name__}")
    noted: set[str] = set(flags)
    status = body.get("status")
    status = status if isinstance(status, Mapping) else {"code": status}
    attributes = attributes_of(body, noted)
    return span_of(
        trace_id=field(body, "traceId"),
        span_id=field(body, "spanId"),
        parent_span_id=field(body, "parentSpanId"),
        name=body.get("name"),
        kind=body.get("kind"),
        start=field(body, "startTimeUnixNano"),
        end=field(body, "endTimeUnixNano"),
        status=status.get("code"),
        status_message=status.get("message"),
        attributes=attributes,
        events=events_of(body.get("events"), noted),
        resource=found.resource,
        more=_more(body, found.scope, noted),
        flags=noted,
    )


def _more(body: Mapping[str, Any], scope: Any, flags: set[str]) -> dict[str, Any]:
    """What a span has beside the fields that every format knows."""
    more = {key: value for key, value in body.items() if key not in _KNOWN_KEYS}
    more["trace_state"] = field(body, "traceState")
    more["flags"] = body.get("flags")
    more["links"] = _links(body.get("links"), flags)
    for name, kept in _ATTRIBUTE_COUNTS.items():
        more[kept] = field(body, name)
    more.update(of_scope(scope, flags))
    return more


def of_scope(scope: Any, flags: set[str]) -> dict[str, Any]:
    """What a span has from its instrumentation's scope."""
    if not isinstance(scope, Mapping):
        return {}
    described = {key: value for key, value in scope.items() if key != "attributes"}
    return {"scope": described, "scope_attributes": attributes_of(scope, flags)}


def _links(links: Any, flags: set[str]) -> Any:
    if not isinstance(links, list):
        return links
    return [{**link, "attributes": attributes_of(link, flags)} if isinstance(link, Mapping) else link for link in links]


def events_of(events: Any, flags: set[str]) -> tuple[SpanEvent, ...]:
    """The span's events; one that is no object is flagged."""
    if not isinstance(events, list):
        return ()
    flags.update("bad_event" for event in events if not isinstance(event, Mapping))
    return tuple(
        span_event(event.get("name"), field(event, "timeUnixNano"), attributes_of(event, flags))
        for event in events
        if isinstance(event, Mapping)
    )


def log_event_name(body: Any) -> str | None:
    """The name of the event that a log record is."""
    if not isinstance(body, Mapping):
        return None
    return as_text(field(body, "eventName")) or as_text(attributes_of(body).get("event.name"))
