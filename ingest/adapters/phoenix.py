"""Spans as Phoenix and other OpenInference tools export them: JSON, JSON lines, nested traces, Parquet, CSV."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ingest.adapter import Adapter, Item, Place, Rejected
from ingest.otel.openinference import (
    is_span,
    is_table,
    is_trace,
    nested_span_from,
    nested_spans,
    row_as_span,
    span_from,
)
from ingest.otel.records import SpanRecords
from ingest.otel.span_table import column_names, rows
from ingest.source import Head, Source
from ingest.vendor import csv_rows
from ingest.vendor.json_values import Unit, glimpses, units

_ENVELOPE = "data"
# What a data frame writes into a CSV cell that has no value.
_NO_VALUE = frozenset({"NaN", "nan", "NaT", "<NA>"})


def recognise(head: Head) -> bool:
    """Objects with `context.trace_id` and a span kind or status code, nested child spans, or a table of spans."""
    if is_table(column_names(head)) or is_table(csv_rows.header(head)):
        return True
    return any(is_span(value) or is_trace(value) for value in glimpses(head, _ENVELOPE))


def read(source: Source) -> Iterator[Item]:
    """Every span as its records."""
    spans = SpanRecords()
    if column_names(source.head):
        for number, row in rows(source):
            yield _row_item(Place(number), row, spans)
    elif is_table(csv_rows.header(source.head)):
        for row_unit in csv_rows.rows(source):
            yield _cells_item(row_unit, spans) if isinstance(row_unit, Unit) else row_unit
    else:
        for unit in units(source, _ENVELOPE):
            yield from _items(unit, spans) if isinstance(unit, Unit) else (unit,)


def _cells_item(unit: Unit, spans: SpanRecords) -> Item:
    """A row of text: what a data frame writes for "no value" is none."""
    row = {name: cell for name, cell in unit.value.items() if cell not in _NO_VALUE}
    return _row_item(unit.place, row, spans, ("nan",) if len(row) < len(unit.value) else ())


def _row_item(place: Place, row: Mapping[str, Any], spans: SpanRecords, flags: tuple[str, ...] = ()) -> Item:
    return spans.item(place, lambda: span_from(row_as_span(row), flags), row)


def _items(unit: Unit, spans: SpanRecords) -> Iterator[Item]:
    if is_trace(unit.value):
        trace_id = unit.value.get("trace_id")
        for nested, holder in nested_spans(unit.value):
            yield _nested_item(unit, nested, holder, trace_id, spans)
    elif is_span(unit.value):
        yield spans.item(unit.place, lambda: span_from(unit.value, unit.flags), unit.value)
    else:
        yield Rejected(unit.place, "unknown_record", "a span has `context` with its ids, and a status code", unit.raw)


def _nested_item(unit: Unit, nested: Mapping[str, Any], holder: str | None, trace_id: Any, spans: SpanRecords) -> Item:
    return spans.item(unit.place, lambda: nested_span_from(nested, holder, trace_id, unit.flags), nested)


ADAPTER = Adapter(
    name="phoenix",
    version=1,
    title="Phoenix and OpenInference spans (JSON, JSON lines, nested traces, Parquet, CSV)",
    recognised_by="objects with `context.trace_id` and `span_kind` or `status_code`, `child_spans`, or such columns",
    yields=("runs", "spans", "events", "errors", "recoveries", "guardrails", "context sets", "diagnoses", "handoffs"),
    recognise=recognise,
    read=read,
    record_is="span",
)
