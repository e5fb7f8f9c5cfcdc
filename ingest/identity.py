"""The id of a record that its producer gave none: what it says, and the how-many-th of its file says the same.

The text below is plain enough to be put together in SQL as well: the bulk readers do, and must come to the same ids.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from hashlib import sha256
from typing import Any

from pydantic import BaseModel

from ingest.records import Record

# Stands before every field, between the entries of a list, and between the fields of an entry.
FIELD, ENTRY, PART = "\x1f", "\x1e", "\x1d"
DIGITS = 20
# Attributes are added apart: their keys are sorted.
_NOT_CONTENT = frozenset({"event_id", "flags", "attributes"})
_EPOCH = datetime.fromisoformat("1970-01-01T00:00:00+00:00")


class Identities:
    """The ids of one file's records: three identical records are three."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def of(self, record: Record) -> str:
        """The id that follows from the content; equal content has the same id in every file, if it stands first."""
        digest = sha256(content_of(record).encode("utf-8", errors="surrogatepass")).hexdigest()
        self._seen[digest] += 1
        return nth(digest, self._seen[digest])


def nth(digest: str, number: int) -> str:
    """The id of the how-many-th record with this digest."""
    return (digest if number == 1 else sha256(f"{digest}{FIELD}{number}".encode()).hexdigest())[:DIGITS]


def content_of(record: Record) -> str:
    """The content as text that is the same whatever order its keys had; columns that came later do not change it."""
    return FIELD.join([record.TABLE, *_fields(record)])


def _fields(record: Record) -> Iterator[str]:
    """`name=value` of every field that is there, in the order of the model; the attributes last."""
    for name, value in record.__dict__.items():
        if value is not None and name not in _NOT_CONTENT:
            yield f"{name}={_text(value)}"
    if record.attributes:
        yield f"attributes={_sorted(record.attributes)}"


def _text(value: Any) -> str:  # noqa: PLR0911 - one return a type
    """Times as microseconds since 1970, shares with 15 digits, lists entry by entry."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.15g}"
    if isinstance(value, datetime):
        since = value - _EPOCH
        return str((since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds)
    if isinstance(value, tuple):
        return ENTRY.join(_text(entry) for entry in value)
    if isinstance(value, BaseModel):
        return PART.join("" if part is None else _text(part) for part in value.__dict__.values())
    return _sorted(value) if isinstance(value, dict) else str(value)


def _sorted(attributes: dict[str, Any]) -> str:
    if not attributes:
        return ""
    try:
        return json.dumps(attributes, default=str, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    except TypeError:  # keys that cannot be compared, such as text and numbers in one object
        return json.dumps(attributes, default=str, skipkeys=True, separators=(",", ":"), ensure_ascii=False)
