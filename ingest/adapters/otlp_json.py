"""OTLP as JSON: file exporter lines, collector output, lists, whole documents, and what trace stores hand out.

A record is a span. Logs, metrics and profiles in the same file are counted and left out, except exceptions that were
written as log records: those are failures.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from ingest.adapter import Adapter, Item, Parsed, Place, Rejected, Skipped
from ingest.json_text import Line, decoded_leniently
from ingest.otel.log_exceptions import is_exception_log, records_of_log
from ingest.otel.proto_json import Found, found_in, is_span, levels, span_from, unwrapped
from ingest.otel.records import SpanRecords
from ingest.otel.salvage import salvaged
from ingest.otel.values import as_text
from ingest.source import Head, Source
from ingest.vendor.json_values import Unit, glimpses, units, units_of

_LEFT_OUT = {"log": "otlp_logs", "metric": "otlp_metrics", "profile": "otlp_profiles"}
# A damaged document is still recognised by how it begins.
_BEGINS = re.compile(r'\s*(?:\[\s*)?\{\s*"(?:resource|Resource)_?(?:Spans|spans|Logs|logs|Metrics|metrics)"\s*:')


def recognise(head: Head) -> bool:
    """Objects with `resourceSpans` (or logs, metrics), or bare spans that begin in nanoseconds."""
    return any(_is_otlp(value) for value in glimpses(head)) or bool(_BEGINS.match(head.text))


def _is_otlp(value: Any) -> bool:
    inside = unwrapped(value)
    return any(bool(levels(item)) or is_span(item) for item in (inside[:3] if isinstance(inside, list) else [inside]))


def read(source: Source) -> Iterator[Item]:
    """Every span as its records, then the exceptions that only the logs hold."""
    spans = SpanRecords()
    yield from _all_items(_units(source, spans), spans)


def items(some: Iterable[Line]) -> Iterator[Item]:
    """What `read` gives of these lines."""
    yield from _all_items(units_of(some), SpanRecords())


def _all_items(found: Iterable[Unit | Item], spans: SpanRecords) -> Iterator[Item]:
    exceptions, on_line = _ExceptionLogs(), _OnLine()
    for unit in found:
        if isinstance(unit, Unit):
            yield from _items(unit, spans, exceptions, on_line)
        else:
            yield unit
    yield from exceptions.items()


def _units(source: Source, spans: SpanRecords) -> Iterator[Unit | Item]:
    """The values of the file; where it is one damaged document, the spans of it that are whole."""
    found = units(source)
    first = next(found, None)
    second = next(found, None)
    if isinstance(first, Rejected) and second is None:
        yield from salvaged(decoded_leniently(source.data()), first, spans)
        return
    yield from (unit for unit in (first, second) if unit is not None)
    yield from found


class _OnLine:
    """The places of what stands on one line, one after the other."""

    def __init__(self) -> None:
        self._line: int | None = None
        self._next = 0

    def place(self, unit: Unit) -> Place:
        """The place of the next record of this value."""
        line, offset, part, ordinal = unit.place.line, unit.place.offset, unit.place.part, unit.place.ordinal
        if line != self._line or ordinal is not None:
            self._line, self._next = line, ordinal or 0
        found = Place(line, offset, part, self._next)
        self._next += 1
        return found


class _ExceptionLogs:
    """Exceptions among the log records, kept until all spans were read: a span knows more of its failure."""

    def __init__(self) -> None:
        self._kept: list[tuple[Place, Found, tuple[str, ...]]] = []

    def add(self, place: Place, found: Found, flags: tuple[str, ...]) -> None:
        self._kept.append((place, found, flags))

    def items(self) -> Iterator[Item]:
        for place, found, flags in self._kept:
            yield Parsed(place, records_of_log(found, flags), held_back=True)


def _items(unit: Unit, spans: SpanRecords, exceptions: _ExceptionLogs, on_line: _OnLine) -> Iterator[Item]:
    left_out: Counter[str] = Counter()
    for found in found_in(unit.value):
        place = on_line.place(unit)
        if found.what == "span":
            yield _span_item(place, found, spans, unit.flags)
        elif found.what == "log" and is_exception_log(found.body):
            exceptions.add(place, found, unit.flags)
        elif found.what == "fault":
            yield Rejected(unit.place, "not_otlp", _fault(found), (as_text(found.body) or "")[:2_000])
        else:
            left_out[_LEFT_OUT.get(found.what.removeprefix("no_"), "no_spans")] += 1
    for reason, count in left_out.items():
        yield Skipped(unit.place, reason, count)


def _span_item(place: Place, found: Found, spans: SpanRecords, flags: tuple[str, ...]) -> Item:
    return spans.item(place, lambda: span_from(found, flags), found.body)


def _fault(found: Found) -> str:
    return f"{found.where or 'the value'}: this is {type(found.body).__name__} without spans, logs or metrics"


ADAPTER = Adapter(
    name="otlp_json",
    version=1,
    title="OpenTelemetry spans as OTLP JSON (file exporter, collector, trace stores)",
    recognised_by="objects with `resourceSpans` (or logs, metrics), or spans with ids and `startTimeUnixNano`",
    yields=("runs", "spans", "events", "errors", "recoveries", "guardrails", "context sets", "diagnoses", "handoffs"),
    recognise=recognise,
    read=read,
    record_is="span",
)
