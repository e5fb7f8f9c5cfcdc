"""Inspect AI logs: `.eval` (a zip file) and `.json`; one run a sample.

A log whose header is missing or whose status is `started` was interrupted; the limit it reached is named.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ingest.adapter import Adapter, Item, Place, Rejected
from ingest.source import Head, Source
from ingest.vendor import zip_members
from ingest.vendor.inspect_archive import archive_items
from ingest.vendor.inspect_archive import is_archive as is_eval_archive
from ingest.vendor.inspect_events import EVENTS
from ingest.vendor.inspect_sample import Log, log_items, sample_items
from ingest.vendor.json_values import Unit, glimpses, units
from ingest.vendor.values import mapping, sequence


def recognise(head: Head) -> bool:
    """A zip file with the members of a log, or an object with `eval` and `status`, or a transcript of its events."""
    if zip_members.is_zip(head.sample):
        return is_eval_archive(head.sample, head.source)
    return any(_is_log(value) or _is_transcript(value) for value in glimpses(head))


def _is_log(value: dict[str, Any]) -> bool:
    return "task" in mapping(value.get("eval")) and "model" in mapping(value.get("eval"))


def _is_transcript(value: dict[str, Any]) -> bool:
    events = sequence(value.get("events"))
    return bool(events) and all(mapping(event).get("event") in EVENTS for event in events)


def read(source: Source) -> Iterator[Item]:
    """Every sample of the log with its events."""
    if zip_members.is_zip(source.head.sample):
        yield from archive_items(source)
        return
    for unit in units(source):
        if not isinstance(unit, Unit):
            yield unit
        elif isinstance(unit.value, dict) and _is_log(unit.value):
            yield from _log(unit)
        elif isinstance(unit.value, dict) and _is_transcript(unit.value):
            log = Log.of({"eval": {"run_id": source.below}}, is_transcript=True)
            yield from sample_items(unit.value, log, unit.place, unit.flags)
        else:
            yield Rejected(unit.place, "unknown_record", "an Inspect log has `eval` and `samples`", unit.raw)


def _log(unit: Unit) -> Iterator[Item]:
    log = Log.of(unit.value)
    samples = sequence(unit.value.get("samples"))
    if not samples:
        yield from log_items(log, unit.place, unit.flags)
    for sample in samples:
        if isinstance(sample, dict) and "id" in sample:
            yield from sample_items(sample, log, unit.place, unit.flags)
        else:
            yield Rejected(Place(1, 0), "missing_sample_id", "a sample needs an id", str(sample)[:2_000])


ADAPTER = Adapter(
    name="inspect",
    version=1,
    title="Inspect AI logs (.eval and .json)",
    recognised_by="a zip file with `header.json` or `samples/`, or an object with `eval.task` and `eval.model`",
    yields=("runs", "spans", "events", "errors", "recoveries", "guardrails", "context operations"),
    recognise=recognise,
    read=read,
    record_is="sample or event",
)
