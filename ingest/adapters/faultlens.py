"""The native format: one JSON object a line, `record` names the kind, keys are the column names.

The only format that can carry every kind of record; producers write it through `ingest/emit.py` or by hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ingest import native
from ingest.adapter import Adapter, Item, Parsed, Place, Rejected, unread
from ingest.json_text import Decoded, Line, decoded_lines, lines
from ingest.source import Head, Source


def recognise(head: Head) -> bool:
    """One of the first lines is an object whose `record` is a known kind."""
    return any(isinstance(value, dict) and native.is_native(value) for value in head.first_records)


def read(source: Source) -> Iterator[Item]:
    """Every line as its records, or the reason why not."""
    with source.open() as stream:
        yield from items(lines(stream))


def items(some: Iterable[Line]) -> Iterator[Item]:
    """These lines as their records, or the reason why not."""
    for line, decoded in decoded_lines(some):
        place = Place(line.number, line.offset)
        if isinstance(decoded, Decoded):
            yield _item(place, decoded, line)
        else:
            yield unread(place, line, decoded)


def _item(place: Place, decoded: Decoded, line: Line) -> Item:
    try:
        return Parsed(place, native.records_of(decoded.value, decoded.flags))
    except native.Invalid as fault:
        return Rejected(place, fault.reason, str(fault), line.text)


ADAPTER = Adapter(
    name="faultlens",
    version=1,
    title="faultlens JSON lines (native)",
    recognised_by="lines that are objects with a known `record` kind",
    yields=("runs", "spans", "errors", "recoveries", "guardrails", "context sets", "diagnoses", "coordination"),
    recognise=recognise,
    read=read,
)
