"""Codex rollout files: the session is the run. Files of 2025 have no envelope round their items."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ingest.adapter import Adapter, Item, Place, Rejected, Skipped, unread
from ingest.json_text import Decoded, Fault, Line
from ingest.passes import Passes
from ingest.sessions.codex_records import Rollout
from ingest.sessions.codex_rows import ENVELOPE_TYPES, Index, Row, is_bare_header
from ingest.source import Head, Source


def recognise(head: Head) -> bool:
    """A line in its envelope, or the header that a file without envelopes begins with."""
    return any(_is_enveloped(value) for value in head.first_records) or is_bare_header(
        next(iter(head.first_records), 0)
    )


def _is_enveloped(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("type"), str)
        and value["type"] in ENVELOPE_TYPES
        and isinstance(value.get("payload"), dict)
        and "timestamp" in value
    )


def read(source: Source) -> Iterator[Item]:
    """Every row in order; a first pass learns how the calls ended."""
    index = Index.named(source.path.name, source.below)
    passes = Passes(source, _row)
    for row in passes.first():
        if isinstance(row, Row):
            index.note(row)
    rollout = Rollout(index)
    for _line, row in passes.second():
        if isinstance(row, Row):
            yield from rollout.items(row)
        else:
            yield row


def _row(line: Line, decoded: Decoded | Fault) -> Row | Rejected | Skipped:
    place = Place(line.number, line.offset)
    if isinstance(decoded, Fault):
        return unread(place, line, decoded)
    if not isinstance(decoded.value, dict):
        return Rejected(
            place, "not_an_object", f"a row is an object; this is {type(decoded.value).__name__}", line.text
        )
    return Row.of(place, decoded.value, decoded.flags)


ADAPTER = Adapter(
    name="codex",
    version=1,
    title="Codex rollout JSONL",
    recognised_by="lines {timestamp, type, payload} with a rollout's types, or a first line with the session's header",
    yields=("runs", "spans", "events", "errors", "recoveries", "guardrails", "context operations", "event blocks"),
    recognise=recognise,
    read=read,
    record_is="line, or block in a message",
)
