"""Claude Code session files: the session is the run, a sub-agent is a run of its own below it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ingest.adapter import Adapter, Item, Place, Rejected, Skipped, unread
from ingest.json_text import Decoded, Fault, Line
from ingest.passes import Passes
from ingest.sessions.claude_records import Transcript
from ingest.sessions.claude_rows import Index, Row
from ingest.source import Head, Source


def recognise(head: Head) -> bool:
    """One of the first lines is a row of a session: its own id, its parent's, the session's, a type."""
    return any(_is_row(value) for value in head.first_records)


def _is_row(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and {"uuid", "parentUuid"} <= value.keys()
        and isinstance(value.get("sessionId"), str)
        and isinstance(value.get("type"), str)
    )


def read(source: Source) -> Iterator[Item]:
    """Every row in order; a first pass learns which results and rows belong together."""
    index = Index.named(source.path.name)
    passes = Passes(source, _row)
    for row in passes.first():
        if isinstance(row, Row):
            index.note(row)
    transcript = Transcript(index)
    for line, row in passes.second():
        if isinstance(row, Row):
            yield from _items(row, index, transcript, line)
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
    if not isinstance(decoded.value.get("type"), str):
        return Rejected(place, "missing_type", "a row says its type", line.text)
    return Row.of(place, decoded.value, decoded.flags)


def _items(row: Row, index: Index, transcript: Transcript, line: Line) -> Iterator[Item]:
    leaf = row.value.get("leafUuid")
    if row.type == "summary" and isinstance(leaf, str) and leaf not in index.uuids:
        yield Skipped(row.place, "summary_of_another_session")
        return
    native_id = index.sessions.get(leaf) if row.type == "summary" and isinstance(leaf, str) else index.native_id(row)
    if native_id:
        yield from transcript.items(row, native_id)
    else:
        yield Rejected(row.place, "missing_session", "neither the row nor its file names a session", line.text)


ADAPTER = Adapter(
    name="claude_code",
    version=1,
    title="Claude Code session JSONL",
    recognised_by="lines that are objects with uuid, parentUuid, sessionId and type",
    yields=("runs", "spans", "events", "errors", "recoveries", "guardrails", "context operations", "event blocks"),
    recognise=recognise,
    read=read,
    record_is="line, or block in a message",
)
