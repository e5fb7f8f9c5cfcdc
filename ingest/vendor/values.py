"""Values as tracing products write them: text, counts, amounts, times, and attributes that any store can hold."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ingest.json_text import Decoded, decode
from ingest.json_writing import writer
from ingest.times import utc_time

_MOST_A_COLUMN_HOLDS = 2**63
# The store reads JSON down to 128 levels; what lies deeper than this is kept as JSON text.
_DEEPEST = 60
_WORDS = 200
_BLANKS = 80
_NESTED = (dict, list, tuple)


@dataclass(slots=True)
class Notes:
    """What had to be said while one record was read, and the values no column could take."""

    flags: dict[str, None] = field(default_factory=dict)
    kept: dict[str, Any] = field(default_factory=dict)

    def add(self, *flags: str) -> None:
        """The flags are noted, each once and in order."""
        if flags:
            self.flags.update(dict.fromkeys(flags))

    def all(self) -> tuple[str, ...]:
        """The flags in the order they were met."""
        return tuple(self.flags)

    def time(self, key: str, value: Any) -> datetime | None:
        """The value as a time in UTC; one that cannot be read is kept as it was."""
        found, flags = utc_time(value)
        self.add(*flags)
        if found is None and value not in (None, ""):
            self.kept[key] = value
        return found

    def count(self, key: str, value: Any) -> int | None:
        """The value as a whole number; one too large for a column keeps its digits among the attributes."""
        number = whole(value)
        if number is not None and abs(number) >= _MOST_A_COLUMN_HOLDS:
            self.add("out_of_range")
            self.kept[key] = value
            return None
        if number is None and value not in (None, ""):
            self.add("bad_number")
            self.kept[key] = value
        return number

    def amount(self, key: str, value: Any) -> float | None:
        """The value as a finite number."""
        number = real(value)
        if number is None and value not in (None, ""):
            self.add("bad_number")
            self.kept[key] = value
        return number

    def attributes(self, value: Mapping[str, Any], besides: Collection[str] = ()) -> dict[str, Any]:
        """Everything of the object that no column took, with what this reading kept."""
        rest = {key: item for key, item in value.items() if key not in besides and item is not None}
        return storable({**rest, **self.kept}, self)


def storable(attributes: dict[str, Any], notes: Notes | None = None) -> dict[str, Any]:
    """The attributes, with a value that is nested too deep kept as JSON text."""
    deep = [key for key, item in attributes.items() if isinstance(item, _NESTED) and _is_deep(item)]
    if not deep:
        return dict(attributes)
    if notes:
        notes.add("too_deep")
    return {**attributes, **{key: json.dumps(attributes[key], ensure_ascii=False) for key in deep}}


def _is_deep(value: dict[Any, Any] | list[Any] | tuple[Any, ...]) -> bool:
    level = [value]
    for _ in range(_DEEPEST):
        below = []
        for item in level:
            children = item.values() if isinstance(item, dict) else item
            below += [child for child in children if isinstance(child, _NESTED)]
        if not below:
            return False
        level = below
    return True


def text(value: Any) -> str | None:
    """The value as text; an empty text is no value, an object is its JSON."""
    if isinstance(value, str):
        return value or None
    return None if value is None else _ordered(value)


def words(value: Any) -> str | None:
    """The first words of a value, on one line, for lists and titles."""
    found = text(value)
    if found is None:
        return None
    # The beginning of the text is nearly always enough; one of many blanks takes a longer look.
    line = " ".join(found[: _WORDS + _BLANKS].split())
    if len(line) <= _WORDS and len(found) > _WORDS + _BLANKS:
        line = " ".join(found[: _WORDS * 4].split())
    return line if len(line) <= _WORDS else f"{line[: _WORDS - 1]}…"


def whole(value: Any) -> int | None:
    """The value where it is a whole number, also one written as text or as 12.0."""
    if type(value) is int:
        return value
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if math.isfinite(value) and value.is_integer() else None
    if isinstance(value, str) and (digits := value.strip().lstrip("+-")).isascii() and digits.isdigit():
        return _digits(value)
    return None


def _digits(value: str) -> int | None:
    try:
        return int(value)
    except ValueError:  # more digits than Python converts
        return None


def real(value: Any) -> float | None:
    """The value where it is a finite number, also one written as text."""
    if value is None or isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def mapping(value: Any) -> dict[str, Any]:
    """The value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def sequence(value: Any) -> list[Any]:
    """The value where it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def within(value: Any) -> Any:
    """The JSON value inside a text, or the value as it is: exporters encode some fields twice."""
    if not isinstance(value, str) or not value.lstrip()[:1] or value.lstrip()[0] not in '{["':
        return value
    decoded = decode(value)
    return decoded.value if isinstance(decoded, Decoded) else value


def given_digest(value: Any) -> dict[str, str]:
    """The attribute by which equal calls are known, where the call's input is recorded."""
    found = digest(value)
    return {} if found is None else {"input_digest": found}


_ordered = writer(sort_keys=True, compact=False)


def digest(value: Any) -> str | None:
    """The digest of what a step was given; None where nothing was recorded."""
    if value in (None, "", {}, []):
        return None
    content = _ordered(within(value))
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:16]
