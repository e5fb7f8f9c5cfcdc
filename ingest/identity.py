"""The id of a record that its producer gave none: what it says, and the how-many-th of its file says the same.

The text below is plain enough to be put together in SQL as well: the bulk readers do, and must come to the same ids.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from hashlib import sha256
from typing import Any

from pydantic import BaseModel

from ingest.json_writing import writer
from ingest.records import Record

# Stands before every field, between the entries of a list, and between the fields of an entry.
FIELD, ENTRY, PART = "\x1f", "\x1e", "\x1d"
DIGITS = 20
# Attributes are added apart: their keys are sorted.
NOT_CONTENT = frozenset({"event_id", "flags", "attributes"})
_EPOCH = datetime.fromisoformat("1970-01-01T00:00:00+00:00")


class Identities:
    """The ids of one file's records: three identical records are three."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def of(self, record: Record) -> str:
        """The id that follows from the content; equal content has the same id in every file, if it stands first."""
        first = first_id(record)
        self._seen[first] += 1
        return nth(first, self._seen[first])


def first_id(record: Record) -> str:
    """The id of the first record of a file that says this."""
    return sha256(content_of(record).encode("utf-8", errors="surrogatepass")).hexdigest()[:DIGITS]


def nth(first: str, number: int) -> str:
    """The id of the how-many-th record that says the same as the one with this id."""
    return first if number == 1 else sha256(f"{first}{FIELD}{number}".encode()).hexdigest()[:DIGITS]


def content_of(record: Record) -> str:
    """The content as text that is the same whatever order its keys had; columns that came later do not change it.

    `name=value` of every field that is there, in the order of the model; the attributes last.
    """
    fields = [record.TABLE]
    for name, value in record.__dict__.items():
        if value is not None and name not in NOT_CONTENT:
            fields.append(f"{name}={value if type(value) is str else _text(value)}")
    if record.attributes:
        fields.append(f"attributes={sorted_text(record.attributes)}")
    return FIELD.join(fields)


def _text(value: Any) -> str:
    """Times as microseconds since 1970, shares with 15 digits, lists entry by entry."""
    written = _WRITTEN.get(type(value))
    if written is not None:
        return written(value)
    return _part(value) if isinstance(value, BaseModel) else str(value)


def _time(value: datetime) -> str:
    since = value - _EPOCH
    return str((since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds)


def _entries(value: tuple[Any, ...]) -> str:
    return ENTRY.join([_text(entry) for entry in value])


def _part(value: BaseModel) -> str:
    return PART.join(["" if part is None else _text(part) for part in value.__dict__.values()])


_ORDERED = writer(sort_keys=True)


def sorted_text(attributes: dict[str, Any]) -> str:
    """The attributes as JSON text that is the same whatever order their keys had; empty where there are none."""
    if not attributes:
        return ""
    try:
        return _ORDERED(attributes)
    except TypeError:  # keys that cannot be compared, such as text and numbers in one object
        return json.dumps(attributes, default=str, skipkeys=True, separators=(",", ":"), ensure_ascii=False)


_WRITTEN: dict[type, Callable[[Any], str]] = {
    str: str,
    bool: lambda value: "true" if value else "false",
    int: str,
    float: lambda value: f"{value:.15g}",
    datetime: _time,
    tuple: _entries,
    dict: sorted_text,
}
