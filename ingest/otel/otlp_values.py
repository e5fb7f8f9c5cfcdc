"""What OTLP's JSON wraps: fields in camelCase or snake_case, typed values, attributes as pairs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

_CAPITAL = re.compile(r"(?<!^)([A-Z])")
_NONFINITE = {"nan": float("nan"), "infinity": float("inf"), "-infinity": float("-inf")}


@cache
def snake(name: str) -> str:
    """TraceId as trace_id."""
    return _CAPITAL.sub(lambda match: f"_{match[1].lower()}", name)


def field(body: Mapping[str, Any], name: str) -> Any:
    """A field by its camelCase name, however it is spelled."""
    value = body.get(name)
    return body.get(_SNAKE.get(name) or snake(name)) if value is None else value


_SNAKE = {
    name: snake(name)
    for name in (
        "traceId", "spanId", "parentSpanId", "startTimeUnixNano", "endTimeUnixNano", "timeUnixNano", "traceState",
        "resourceSpans", "scopeSpans", "spans", "droppedAttributesCount", "droppedEventsCount", "droppedLinksCount",
    )
}  # fmt: skip


def attributes_of(body: Mapping[str, Any], flags: set[str] | None = None) -> dict[str, Any]:
    """The attributes of anything that has some, from a list of pairs or from an object."""
    noted: set[str] = set() if flags is None else flags
    pairs = body.get("attributes")
    if isinstance(pairs, list):
        return _from_pairs(pairs, noted)
    if isinstance(pairs, Mapping):
        return {str(key): any_value(value, noted) for key, value in pairs.items()}
    return {}


def _from_pairs(pairs: list[Any], flags: set[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for pair in pairs:
        try:
            key, value = str(pair["key"]), pair.get("value")
        except (TypeError, KeyError, AttributeError):
            flags.add("bad_attribute")
            continue
        if key in found:
            flags.add("duplicate_key")
        found[key] = any_value(value, flags)
    return found


def any_value(value: Any, flags: set[str]) -> Any:
    """The value inside OTLP's wrapper; a bare value is taken as it stands."""
    if not isinstance(value, dict):
        return value
    if not value:
        return None
    if len(value) != 1:
        return dict(value)
    ((name, inside),) = value.items()
    if name == "stringValue":
        return inside
    read = _WRAPPERS.get(name)
    return dict(value) if read is None else read(inside, flags)


def _integer(value: Any, flags: set[str]) -> Any:
    """Digits as a number of any size; anything else as it is, flagged."""
    if isinstance(value, str):
        try:
            return int(value)
        except ValueError:
            flags.add("bad_number")
    return value


def _double(value: Any, flags: set[str]) -> Any:
    if isinstance(value, str):
        try:
            return _NONFINITE.get(value.strip().casefold()) or float(value)
        except ValueError:
            flags.add("bad_number")
    return value


def _array(value: Any, flags: set[str]) -> list[Any]:
    values = value.get("values") if isinstance(value, Mapping) else value
    return [any_value(item, flags) for item in values] if isinstance(values, list) else []


def _pairs(value: Any, flags: set[str]) -> dict[str, Any]:
    values = value.get("values") if isinstance(value, Mapping) else value
    return _from_pairs(values, flags) if isinstance(values, list) else {}


_READ: dict[str, Any] = {
    "stringValue": lambda value, _flags: value,
    "boolValue": lambda value, _flags: value,
    "bytesValue": lambda value, _flags: value,
    "intValue": _integer,
    "doubleValue": _double,
    "arrayValue": _array,
    "kvlistValue": _pairs,
}
_WRAPPERS = {**_READ, **{snake(name): read for name, read in _READ.items()}}
