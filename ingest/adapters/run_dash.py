"""run-dash `events.jsonl`: one event a line with ts, seq, run_id and kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ingest.adapter import Adapter, Item, Parsed, Place, Rejected, Skipped, unread
from ingest.json_text import Decoded, values
from ingest.run_dash.log import Log, Row
from ingest.run_dash.records import records_of
from ingest.source import Head, Source


def recognise(head: Head) -> bool:
    """One of the first lines is an object with ts, seq, run_id and a kind in words."""
    return any(_is_event(value) for value in head.first_records)


def _is_event(value: Any) -> bool:
    return isinstance(value, dict) and {"ts", "seq", "run_id"} <= value.keys() and isinstance(value.get("kind"), str)


def read(source: Source) -> Iterator[Item]:
    """Every event in file order; what it means is decided from all events of its run."""
    lines = list(_lines(source))
    by_run: dict[str, list[Row]] = {}
    for line in lines:
        if isinstance(line, Row):
            by_run.setdefault(str(line.value["run_id"]), []).append(line)
    logs = {native_id: Log.of(native_id, rows) for native_id, rows in by_run.items()}
    for line in lines:
        if isinstance(line, Row):
            yield Parsed(line.place, records_of(line, logs[str(line.value["run_id"])]))
        else:
            yield line


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
