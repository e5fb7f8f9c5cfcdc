"""Attribute values: what a producer wrote, as something that can be stored and compared."""

from __future__ import annotations

import ast
import base64
import json
import math
import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from ingest.json_reading import value_of

# The store reads JSON down to 128 levels; what lies deeper than this is kept as text.
DEEPEST = 60
MOST = 2**63 - 1
_LONGEST_LITERAL = 1_000_000
# How numpy and pandas print what Python could otherwise read back.
_PRINTED = (
    (re.compile(r"Timestamp\(('[^']*')[^)]*\)"), r"\1"),
    (re.compile(r"\}\s+\{"), "}, {"),
    (re.compile(r"\barray\((\[.*?\])(?:,\s*dtype=\w+)?\)", re.DOTALL), r"\1"),
    (re.compile(r"\bnan\b"), "None"),
)


# What needs no second look, nor does an object of nothing else.
_PLAIN = frozenset({str, int, bool, type(None)})
_TEXT = frozenset({str})


def storable(value: Any, flags: set[str], depth: int = 0) -> Any:
    """The value as plain JSON: no NaN, no bytes, no bottomless nesting; each change leaves a flag."""
    if type(value) in _PLAIN or isinstance(value, str | int):
        return value
    if isinstance(value, float):
        return _finite(value, flags)
    if type(value) is dict and _PLAIN.issuperset(map(type, value.values())) and _TEXT.issuperset(map(type, value)):
        return _too_deep(value, flags) if depth >= DEEPEST else value
    if isinstance(value, Mapping | list | tuple):
        return _container(value, flags, depth)
    return _other(value)


def _container(value: Mapping[Any, Any] | list[Any] | tuple[Any, ...], flags: set[str], depth: int) -> Any:
    if depth >= DEEPEST:
        return _too_deep(value, flags)
    if isinstance(value, Mapping):
        return {
            str(key): item if type(item) in _PLAIN else storable(item, flags, depth + 1) for key, item in value.items()
        }
    return [storable(item, flags, depth + 1) for item in value]


def _too_deep(value: Any, flags: set[str]) -> str:
    flags.add("too_deep")
    return str(value)


def _other(value: Any) -> str:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _finite(value: float, flags: set[str]) -> float | None:
    if math.isfinite(value):
        return value
    flags.add("nan")
    return None


def flattened(attributes: Mapping[str, Any], prefix: str = "", depth: int = 0) -> dict[str, Any]:
    """Nested objects as dotted keys, the way span attributes are named; lists stay lists."""
    flat: dict[str, Any] = {}
    for key, value in attributes.items():
        name = f"{prefix}{key}"
        if type(value) not in _PLAIN and isinstance(value, Mapping) and value and depth < DEEPEST:
            flat.update(flattened(value, f"{name}.", depth + 1))
        else:
            flat[name] = value
    return flat


def first_of(attributes: Mapping[str, Any], names: Iterable[str]) -> Any:
    """The value of the first of these attributes that is recorded and not blank."""
    for name in names:
        value = attributes.get(name)
        if value is not None and value != "":
            return value
    return None


def as_text(value: Any) -> str | None:
    """A scalar as text, anything larger as JSON; None stays None."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def text_of(attributes: Mapping[str, Any], *names: str) -> str | None:
    """The first recorded of these attributes as text."""
    return as_text(first_of(attributes, names))


def whole_number(value: Any, flags: set[str]) -> int | None:
    """A count: not negative, and within what a column holds; a text or 812.0 is one too."""
    number = number_of(value, flags)
    if number is None:
        return None
    if not 0 <= number <= MOST or number != int(number):
        flags.add("out_of_range")
        return None
    return int(number)


def number_of(value: Any, flags: set[str]) -> float | int | None:
    """A number as recorded; a text that is none is flagged."""
    if value is None or value == "" or isinstance(value, bool):
        return None
    try:
        number = value if isinstance(value, int | float) else _parsed(str(value))
    except ValueError:
        flags.add("bad_number")
        return None
    if isinstance(number, float) and not math.isfinite(number):
        flags.add("nan")
        return None
    return number


def _parsed(text: str) -> float | int:
    """Whole numbers never pass through a float."""
    try:
        return int(text)
    except ValueError:
        return float(text)


def structured(value: Any) -> Any:
    """The list or object that a text holds, as JSON or as Python wrote it; any other value as it is."""
    if not isinstance(value, str) or value.lstrip()[:1] not in {"[", "{"}:
        return value
    try:
        return value_of(value)
    except (ValueError, RecursionError):
        return _literal(value)


def _literal(text: str) -> Any:
    if len(text) > _LONGEST_LITERAL:
        return text
    for candidate in (text.strip(), _as_python(text.strip())):
        try:
            return ast.literal_eval(candidate)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    return text


def _as_python(text: str) -> str:
    for pattern, replacement in _PRINTED:
        text = pattern.sub(replacement, text)
    return text
