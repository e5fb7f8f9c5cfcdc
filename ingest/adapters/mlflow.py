"""MLflow traces: `Trace.to_json()`, `mlflow traces get`, span artifacts; versions 2 and 3.

The state of a trace is its root's: a run whose tool failed and was called again is OK.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ingest.adapter import Adapter, Item, Rejected
from ingest.source import Head, Source
from ingest.vendor.json_values import Unit, glimpses, units
from ingest.vendor.mlflow_records import is_span, span_records, trace_id_of, trace_records
from ingest.vendor.parsed import parsed
from ingest.vendor.span_runs import SpanRuns
from ingest.vendor.values import mapping, sequence, text, within

ENVELOPE = "traces"


def recognise(head: Head) -> bool:
    """Objects with `info` and `data.spans`, or spans that name their MLflow trace."""
    return any(_is_trace(value) or _is_artifact(value) for value in glimpses(head, ENVELOPE))


def _is_trace(value: dict[str, Any]) -> bool:
    info = mapping(within(value.get("info")))
    return bool(info.get("trace_id") or info.get("request_id")) and "spans" in mapping(within(value.get("data")))


def _is_artifact(value: dict[str, Any]) -> bool:
    spans = sequence(value.get("spans"))
    return bool(spans) and trace_id_of(mapping(spans[0])) is not None


def read(source: Source) -> Iterator[Item]:
    """Every trace as its run and its spans."""
    runs = SpanRuns()
    for unit in units(source, ENVELOPE):
        if not isinstance(unit, Unit):
            yield unit
        elif isinstance(unit.value, dict) and (_is_trace(unit.value) or _is_artifact(unit.value)):
            yield from _trace_items(unit, unit.value, runs)
        else:
            yield Rejected(unit.place, "unknown_record", "an MLflow trace has `info` and `data.spans`", unit.raw)


def _trace_items(unit: Unit, trace: dict[str, Any], runs: SpanRuns) -> Iterator[Item]:
    info = mapping(within(trace.get("info")))
    spans = sequence(mapping(within(trace.get("data"))).get("spans")) or sequence(trace.get("spans"))
    trace_id = text(info.get("trace_id")) or text(info.get("request_id")) or trace_id_of(mapping(spans[0])) or ""
    if info:
        yield parsed(unit.place, unit.raw, trace_records, info, trace_id, unit.flags)
    for span in spans:
        if isinstance(span, dict) and is_span(span):
            yield parsed(unit.place, span, span_records, span, trace_id, runs, unit.flags)
        else:
            yield Rejected(unit.place, "missing_span_id", "an MLflow span needs a span_id", str(span)[:2_000])


ADAPTER = Adapter(
    name="mlflow",
    version=1,
    title="MLflow traces (JSON and JSON lines; MLflow 2 and 3)",
    recognised_by="objects with `info.trace_id` or `info.request_id` and `data.spans`",
    yields=("runs", "spans", "events", "errors", "context sets"),
    recognise=recognise,
    read=read,
    record_is="trace or span",
)
