"""run-dash `events.jsonl`: one event a line with ts, seq, run_id and kind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from ingest.adapter import Adapter, Item, Parsed, Place, Rejected, Skipped, unread
from ingest.json_text import Decoded, Fault, Line
from ingest.passes import Passes
from ingest.run_dash.log import Log, Row
from ingest.run_dash.records import records_of
from ingest.source import DAMAGE, Head, Source


def recognise(head: Head) -> bool:
    """One of the first lines is an object with ts, seq, run_id and a kind in words."""
    return any(_is_event(value) for value in head.first_records)


def _is_event(value: Any) -> bool:
    return isinstance(value, dict) and {"ts", "seq", "run_id"} <= value.keys() and isinstance(value.get("kind"), str)


def read(source: Source) -> Iterator[Item]:
    """Every event, a run at a time: what it means is decided from all events of its run.

    The file is read twice, so that of a large one no more is held than the runs that are not complete yet.
    """
    passes = Passes(source, _row)
    last_lines: dict[str, int | None] = {}
    # Of a damaged archive, before the damage: the second pass says so.
    with suppress(*DAMAGE):
        last_lines.update((_run_of(row), row.place.line) for row in passes.first() if isinstance(row, Row))
    waiting: dict[str, list[Row]] = {}
    for _line, row in passes.second():
        if not isinstance(row, Row):
            yield row
            continue
        native_id = _run_of(row)
        waiting.setdefault(native_id, []).append(row)
        if last_lines.get(native_id) == row.place.line:
            yield from _run(native_id, waiting.pop(native_id))
    # Of a file that grew meanwhile.
    for native_id, rows in waiting.items():
        yield from _run(native_id, rows)


def _run_of(row: Row) -> str:
    return str(row.value["run_id"])


def _run(native_id: str, rows: list[Row]) -> Iterator[Parsed]:
    log = Log.of(native_id, rows)
    for row in rows:
        yield Parsed(row.place, records_of(row, log))


def _row(line: Line, decoded: Decoded | Fault) -> Row | Rejected | Skipped:
    place = Place(line.number, line.offset)
    if isinstance(decoded, Fault):
        return unread(place, line, decoded)
    value = decoded.value
    if not isinstance(value, dict):
        return Rejected(place, "not_an_object", f"an event is an object; this is {type(value).__name__}", line.text)
    if not isinstance(value.get("run_id"), str | int) or value["run_id"] == "":
        return Rejected(place, "missing_run_id", "an event needs a run_id", line.text)
    if not isinstance(value.get("kind"), str):
        return Rejected(place, "missing_kind", "an event needs a kind", line.text)
    return Row.of(place, value, decoded.flags)


ADAPTER = Adapter(
    name="run_dash",
    version=1,
    title="run-dash events.jsonl",
    recognised_by="lines that are objects with ts, seq, run_id and kind",
    yields=("runs", "spans", "events", "errors", "guardrails", "waits"),
    recognise=recognise,
    read=read,
)
