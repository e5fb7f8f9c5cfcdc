"""What the resources, scopes, attribute lists and inputs of a window mean, each read once by the code of the records.

A meaning that is not certain says so in `…_left`: its spans are left to the records.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import pyarrow as pa

from ingest.json_reading import value_of
from ingest.json_text import Decoded, decode
from ingest.otel.context import context_sets
from ingest.otel.meaning import digest_of, input_digest, service_in, session_in
from ingest.otel.messages import CONTENT
from ingest.otel.proto_json import of_scope, resource_of
from ingest.otel.records import resource_digest
from ingest.otel.shape import NAMES, shape_of
from ingest.otel.span import OtelSpan, SpanEvent, kept
from ingest.otel.tool_errors import tool_error_class
from ingest.otel.values import storable
from ingest.rows import as_json

_TEXT, _PLACE = pa.string(), pa.int32()
RESOURCES = pa.schema([
    ("resource", _TEXT), ("resource_left", _TEXT), ("service", _TEXT), ("service_beside", _TEXT),
    ("resource_session", _TEXT), ("resource_digest", _TEXT), ("resource_beside", _TEXT), ("resource_attributes", _TEXT),
])  # fmt: skip
SCOPES = pa.schema([("scope", _TEXT), ("scope_left", _TEXT), ("scope_beside", _TEXT)])
SHAPES = pa.schema([
    ("keys", _TEXT), ("shape_left", _TEXT), ("names", pa.list_(_TEXT)),
    *((f"{meaning}_at", _PLACE) for meaning in NAMES),
    ("messages_at", pa.list_(_PLACE)), ("documents_at", pa.list_(_PLACE)), ("http_at", pa.list_(_PLACE)),
    ("names_service", pa.bool_()), ("names_session", pa.bool_()),
])  # fmt: skip
SETS = pa.schema([
    ("span_row", pa.int64()), ("set_at", pa.int64()), ("set_name", _TEXT), ("items", pa.int64()), ("basis", _TEXT),
    ("rule", _TEXT),
])  # fmt: skip
ITEMS = pa.schema([("span_row", pa.int64()), ("set_name", _TEXT), ("item_id", _TEXT), ("revision", _TEXT)])
SET_SUMS = pa.schema([("span_row", pa.int64()), ("sets", pa.int64()), ("told", pa.bool_())])
DIGESTS = pa.schema([("input", _TEXT), ("input_is", _TEXT), ("digest", _TEXT)])
# An attribute of such a name stands in place of what the records would put beside the attributes.
_OURS = frozenset({
    "input_digest", "otel.kind", "otel.status_message", "otel.resource", "otel.trace_state", "otel.flags",
    "otel.dropped_attributes_count", "otel.dropped_events_count", "otel.dropped_links_count", "otel.scope",
    "otel.scope_attributes", "otel.recorded_start", "otel.recorded_end",
})  # fmt: skip
EVENT_SHAPES = pa.schema([
    ("keys", _TEXT), ("shape_left", _TEXT), ("names", pa.list_(_TEXT)), ("content_at", _PLACE),
    ("raised_type_at", _PLACE), ("raised_message_at", _PLACE),
])  # fmt: skip
CLASSES = pa.schema([("span_row", pa.int64()), ("tool_error_class", _TEXT), ("rule", _TEXT)])
_KEPT = 4_096


def resources(texts: Iterable[str]) -> pa.Table:
    """The resources of spans; an empty text is none at all."""
    return pa.Table.from_pylist([_resource(text) for text in texts], RESOURCES)


def scopes(texts: Iterable[str]) -> pa.Table:
    """The scopes of spans; an empty text is none at all."""
    return pa.Table.from_pylist([_scope(text) for text in texts], SCOPES)


def shapes(texts: Iterable[str]) -> pa.Table:
    """Lists of attribute names, each name as JSON and a comma between them."""
    return pa.Table.from_pylist([_shape(text) for text in texts], SHAPES)


def event_shapes(texts: Iterable[str]) -> pa.Table:
    """Lists of the attribute names of events, like those of spans."""
    return pa.Table.from_pylist([_event_shape(text) for text in texts], EVENT_SHAPES)


def classes(failures: Iterable[tuple[int, str | None, str | None, str | None, str | None]]) -> pa.Table:
    """The tool error class of each failure: its span's row, kind and attributes of HTTP, its code and details."""
    rows = [{"span_row": row, **_class(*failure)} for row, *failure in failures]
    return pa.Table.from_pylist(rows, CLASSES)


def digests(inputs: Iterable[tuple[str, str]]) -> pa.Table:
    """The digests of inputs: texts that look like JSON, and what else a span says of its input."""
    rows = [{"input": text, "input_is": form, "digest": _digest(text, form)} for text, form in inputs]
    return pa.Table.from_pylist(rows, DIGESTS)


def _digest(text: str, form: str) -> str | None:
    if form == "json":
        return digest_of(text)
    said = value_of(text)
    events = tuple(SpanEvent(**event) for event in said["events"])
    return input_digest(OtelSpan(trace_id="", span_id="", attributes=said["attributes"], events=events))


@lru_cache(_KEPT)
def _resource(text: str) -> dict[str, Any]:
    flags: set[str] = set()
    found = storable(resource_of(_read(text, flags)), flags)
    digest, service, session = resource_digest(found), service_in(found), session_in(found)
    return {
        "resource": text,
        "resource_left": "resource" if flags else None,
        "service": service,
        "service_beside": _beside({"service.name": service} if service is not None else {}),
        "resource_session": None if session is None else json.dumps(session, ensure_ascii=False),
        "resource_digest": digest,
        "resource_beside": _beside({"otel.resource": digest} if digest else {}),
        "resource_attributes": as_json({"resource": found}),
    }


@lru_cache(_KEPT)
def _scope(text: str) -> dict[str, Any]:
    flags: set[str] = set()
    found = kept(of_scope(_read(text, flags) or None, flags), flags)
    beside = _beside({f"otel.{name}": value for name, value in found.items()})
    return {"scope": text, "scope_left": "scope" if flags else None, "scope_beside": beside}


def _read(text: str, flags: set[str]) -> Any:
    """The value of the JSON text; what has to be said about it is in the flags."""
    if not text:
        return None
    decoded = decode(text)
    if isinstance(decoded, Decoded):
        flags.update(decoded.flags)
        return decoded.value
    flags.add(decoded.reason)
    return None


def _beside(found: Mapping[str, Any]) -> str:
    """The members of a JSON object, to be put behind others."""
    json_text = as_json(dict(found))
    return f",{json_text[1:-1]}" if json_text else ""


@lru_cache(_KEPT)
def _shape(text: str) -> dict[str, Any]:
    names = value_of(f"[{text}]")
    left = _left(names)
    keys = tuple(name if isinstance(name, str) else "" for name in names)
    shape = shape_of(keys)
    places = {name: place for place, name in enumerate(keys, start=1)}
    return {
        "keys": text,
        "shape_left": left,
        "names": _members(keys),
        **{f"{meaning}_at": places[found[0]] if found else None for meaning, found in shape.names.items()},
        "messages_at": [places[name] for name in shape.messages],
        "documents_at": [places[name] for name in shape.documents],
        "http_at": [places[name] for name in (*shape.names["http_status"], *shape.names["http_method"])],
        "names_service": "service.name" in places,
        "names_session": "session.id" in places,
    }


def _members(names: Iterable[str]) -> list[str]:
    """The names as they begin the members of a JSON object."""
    return [f"{json.dumps(name, ensure_ascii=False)}:" for name in names]


@lru_cache(_KEPT)
def _event_shape(text: str) -> dict[str, Any]:
    names = value_of(f"[{text}]")
    certain = all(isinstance(name, str) for name in names) and len(set(names)) == len(names)
    places = {name: place for place, name in enumerate(map(str, names), start=1)}
    return {
        "keys": text,
        "shape_left": None if certain else "names",
        "names": _members(map(str, names)),
        "content_at": next((places[name] for name in CONTENT if name in places), None),
        "raised_type_at": places.get("exception.type"),
        "raised_message_at": places.get("exception.message"),
    }


@lru_cache(_KEPT)
def _class(kind: str | None, http: str | None, error_code: str | None, details: str | None) -> dict[str, str | None]:
    span = OtelSpan(trace_id="", span_id="", attributes=value_of(http) if http else {})
    found = tool_error_class(span, kind, error_code, details)
    return {"tool_error_class": found.name, "rule": f"tool_error_class {found.rule}"} if found else {}


def _left(names: list[Any]) -> str | None:
    """Why spans with these attributes are left to the records."""
    if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        return "names"
    shape = shape_of(tuple(names))
    if shape.declares:
        return "declared"
    return "named_like_ours" if _OURS.intersection(names) else None


class Documents:
    """The context sets of the spans whose attributes hold documents."""

    def __init__(self) -> None:
        self._sets: list[dict[str, Any]] = []
        self._items: list[dict[str, Any]] = []
        self._sums: list[dict[str, Any]] = []

    def add(self, span_row: int, attributes: str) -> None:
        """The sets of one span; where something has to be said about its documents, it is left to the records."""
        flags: set[str] = set()
        span = OtelSpan(trace_id="", span_id="", attributes=value_of(attributes))
        found = list(context_sets(span, "", flags))
        self._sums.append({"span_row": span_row, "sets": len(found), "told": not flags})
        for place, one in enumerate(found):
            said = {"set_name": one.set_name, "items": len(one.members), "basis": one.basis, "rule": one.rule}
            self._sets.append({"span_row": span_row, "set_at": place, **said})
            self._items += [{"span_row": span_row, "set_name": one.set_name, **dict(item)} for item in one.members]

    def tables(self) -> dict[str, pa.Table]:
        """The sets, their items, and how many sets a span has."""
        return {
            "sets": pa.Table.from_pylist(self._sets, SETS),
            "items": pa.Table.from_pylist(self._items, ITEMS),
            "set_sums": pa.Table.from_pylist(self._sums, SET_SUMS),
        }
