"""Jaeger's JSON: what its user interface downloads and its API answers, one trace or many, whole or a line each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ingest.adapter import Adapter, Item, Rejected, Skipped
from ingest.otel.jaeger_json import is_trace, span_from
from ingest.otel.records import SpanRecords
from ingest.source import Head, Source
from ingest.vendor.json_values import Unit, glimpses, units

_ENVELOPE = "data"


def recognise(head: Head) -> bool:
    """Traces with `spans` that have a `spanID`, bare or under `data`."""
    return any(is_trace(_bare(value)) for value in glimpses(head, _ENVELOPE))


def _bare(value: Any) -> Any:
    """The trace inside what a user interface saved of its state."""
    inside = value.get(_ENVELOPE) if isinstance(value, Mapping) else None
    return inside if isinstance(inside, Mapping) else value


def read(source: Source) -> Iterator[Item]:
    """Every span as its records."""
    spans = SpanRecords()
    for unit in units(source, _ENVELOPE):
        if not isinstance(unit, Unit):
            yield unit
        elif is_trace(trace := _bare(unit.value)):
            yield from _items(unit, trace, spans)
        else:
            yield Rejected(unit.place, "unknown_record", "a trace has `spans` with a `spanID` each", unit.raw)


def _items(unit: Unit, trace: Mapping[str, Any], spans: SpanRecords) -> Iterator[Item]:
    if not trace["spans"]:
        yield Skipped(unit.place, "no_spans")
    for span in trace["spans"]:
        yield _item(unit, span, trace, spans)


def _item(unit: Unit, span: Any, trace: Mapping[str, Any], spans: SpanRecords) -> Item:
    return spans.item(unit.place, lambda: span_from(span, trace, unit.flags), span)


ADAPTER = Adapter(
    name="jaeger",
    version=1,
    title="Jaeger JSON (user interface downloads, API answers, a trace a line)",
    recognised_by="objects with `spans` that have a `spanID`, bare or under `data`",
    yields=("runs", "spans", "events", "errors", "recoveries", "guardrails", "context sets", "diagnoses", "handoffs"),
    recognise=recognise,
    read=read,
    record_is="span",
)
