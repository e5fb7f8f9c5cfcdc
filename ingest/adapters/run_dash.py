"""run-dash `events.jsonl`: one event a line with ts, seq, run_id and kind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from ingest.adapter import Adapter, Item, Parsed, Place, Rejected, Skipped, unread
from ingest.json_text import Decoded, values
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

    The file is read twice, so that no more of it is held than the runs that are not complete yet.
    """
    last_lines = _last_lines(source)
    waiting: dict[str, list[Row]] = {}
    for line in _lines(source):
        if not isinstance(line, Row):
            yield line
            continue
        native_id = str(line.value["run_id"])
        waiting.setdefault(native_id, []).append(line)
        if last_lines.get(native_id) == line.place.line:
            yield from _run(native_id, waiting.pop(native_id))
    # Met once more on a line that is no event.
    for native_id, rows in waiting.items():
        yield from _run(native_id, rows)


def _last_lines(source: Source) -> dict[str, int]:
    """The line on which each run is named last; of a damaged archive, before the damage."""
    found: dict[str, int] = {}
    with suppress(*DAMAGE), source.open() as stream:
        for line, decoded in values(stream):
            if isinstance(decoded, Decoded) and isinstance(decoded.value, dict):
                found[str(decoded.value.get("run_id"))] = line.number
    return found


def _run(native_id: str, rows: list[Row]) -> Iterator[Parsed]:
    log = Log.of(native_id, rows)
    for row in rows:
        yield Parsed(row.place, records_of(row, log))


def _lines(source: Source) -> Iterator[Row | Rejected | Skipped]:
    with source.open() as stream:
        for line, decoded in values(stream):
            place = Place(line.number, line.offset)
            if isinstance(decoded, Decoded):
                yield _row(place, decoded, line.text)
            else:
                yield unread(place, line, decoded)


def _row(place: Place, decoded: Decoded, raw: str) -> Row | Rejected:
    value = decoded.value
    if not isinstance(value, dict):
        return Rejected(place, "not_an_object", f"an event is an object; this is {type(value).__name__}", raw)
    if not isinstance(value.get("run_id"), str | int) or value["run_id"] == "":
        return Rejected(place, "missing_run_id", "an event needs a run_id", raw)
    if not isinstance(value.get("kind"), str):
        return Rejected(place, "missing_kind", "an event needs a kind", raw)
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
