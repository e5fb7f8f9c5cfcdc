"""Langfuse exports: traces, observations, traces with their observations; JSON, JSON lines and CSV.

A traces export has no nested steps: the trace and its observations come in two files and are one run.
Langfuse records no outcome; what the root observations say decides it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ingest.adapter import Adapter, Item, Rejected
from ingest.source import Head, Source
from ingest.vendor import csv_rows
from ingest.vendor.json_values import Unit, glimpses, units
from ingest.vendor.langfuse_records import is_observation, is_trace, observation_records, trace_records
from ingest.vendor.parsed import parsed
from ingest.vendor.span_runs import SpanRuns
from ingest.vendor.values import sequence, within

ENVELOPE = "data"
_DOUBLY_ENCODED = frozenset(
    {"input", "output", "metadata", "modelParameters", "usage", "usageDetails", "tags", "scores"}
)


def recognise(head: Head) -> bool:
    """An object with the keys of a trace or an observation, or a CSV header with them."""
    columns = csv_rows.header(head)
    if columns:
        row = dict.fromkeys(columns, "")
        return is_observation({**row, "type": "SPAN"} if "type" in row else row) or is_trace(row)
    return any(is_trace(value) or is_observation(value) for value in glimpses(head, ENVELOPE))


def read(source: Source) -> Iterator[Item]:
    """Every trace and every observation as its records."""
    runs = SpanRuns()
    found = csv_rows.rows(source) if csv_rows.header(source.head) else units(source, ENVELOPE)
    for unit in found:
        if isinstance(unit, Unit):
            yield from _items(unit, runs)
        else:
            yield unit


def _items(unit: Unit, runs: SpanRuns) -> Iterator[Item]:
    value = _decoded(unit.value) if isinstance(unit.value, dict) else unit.value
    if isinstance(value, dict) and is_observation(value):
        yield parsed(unit.place, unit.raw, observation_records, value, str(value["traceId"]), runs, unit.flags)
    elif isinstance(value, dict) and _is_trace_like(value):
        yield parsed(unit.place, unit.raw, trace_records, value, unit.flags)
        yield from _nested(unit, value, runs)
    else:
        yield Rejected(unit.place, "unknown_record", "neither a trace nor an observation", unit.raw)


def _is_trace_like(value: dict[str, Any]) -> bool:
    """In a file that is Langfuse's, an id and either a time, a name or observations make a trace."""
    return bool(value.get("id")) and any(key in value for key in ("timestamp", "name", "observations"))


def _nested(unit: Unit, trace: dict[str, Any], runs: SpanRuns) -> Iterator[Item]:
    for observation in sequence(within(trace.get("observations"))):
        if isinstance(observation, str):  # a list of ids: the observations are in the other file
            continue
        if isinstance(observation, dict) and observation.get("id"):
            trace_id = str(observation.get("traceId") or trace["id"])
            yield parsed(unit.place, unit.raw, observation_records, _decoded(observation), trace_id, runs, unit.flags)
        else:
            yield Rejected(unit.place, "missing_id", "an observation needs an id", str(observation)[:2_000])


def _decoded(value: dict[str, Any]) -> dict[str, Any]:
    """The fields that are JSON text inside the JSON, decoded; one level, and one more inside metadata."""
    plain = {key: within(item) if key in _DOUBLY_ENCODED else item for key, item in value.items()}
    metadata = plain.get("metadata")
    if isinstance(metadata, dict):
        plain["metadata"] = {key: within(item) for key, item in metadata.items()}
    return plain


ADAPTER = Adapter(
    name="langfuse",
    version=1,
    title="Langfuse traces and observations (export or API; JSON, JSON lines, CSV)",
    recognised_by="objects or columns `traceId`, `startTime`, `type`, or a trace's `id`, `timestamp`, `userId`, …",
    yields=("runs", "spans", "events", "errors"),
    recognise=recognise,
    read=read,
    record_is="trace or observation",
)
