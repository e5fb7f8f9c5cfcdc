"""OpenAI Agents SDK: the lines of `Trace.export()` and `Span.export()`, children before their parents.

A trace line says neither status nor times; what the spans at the top say decides the outcome.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ingest.adapter import Adapter, Item, Rejected
from ingest.source import Head, Source
from ingest.vendor.json_values import Unit, glimpses, units
from ingest.vendor.openai_agents_records import Agents, span_records, trace_records
from ingest.vendor.parsed import parsed
from ingest.vendor.span_runs import SpanRuns
from ingest.vendor.values import mapping

ENVELOPE = "data"


def recognise(head: Head) -> bool:
    """Objects that call themselves `trace` or `trace.span`."""
    return any(_is_trace(value) or _is_span(value) for value in glimpses(head, ENVELOPE))


def _is_trace(value: dict[str, Any]) -> bool:
    return value.get("object") == "trace" and "id" in value and "workflow_name" in value


def _is_span(value: dict[str, Any]) -> bool:
    return value.get("object") == "trace.span" and all(key in value for key in ("id", "trace_id", "span_data"))


def read(source: Source) -> Iterator[Item]:
    """Every trace and span; the agent of a span is the nearest agent span above it."""
    agents, runs = _agents(source), SpanRuns()
    for unit in units(source, ENVELOPE):
        if not isinstance(unit, Unit):
            yield unit
        elif isinstance(unit.value, dict) and _is_trace(unit.value):
            yield parsed(unit.place, unit.raw, trace_records, unit.value, unit.flags)
        elif isinstance(unit.value, dict) and _is_span(unit.value):
            yield parsed(unit.place, unit.raw, span_records, unit.value, agents, runs, unit.flags)
        else:
            yield Rejected(unit.place, "unknown_record", "`object` is neither trace nor trace.span", unit.raw)


def _agents(source: Source) -> Agents:
    """Who works in which span, known before the spans are read: children come first."""
    agents = Agents()
    for unit in units(source, ENVELOPE):
        if isinstance(unit, Unit) and isinstance(unit.value, dict) and _is_span(unit.value):
            agents.note(unit.value, mapping(unit.value.get("span_data")))
    return agents


ADAPTER = Adapter(
    name="openai_agents",
    version=1,
    title="OpenAI Agents SDK trace lines",
    recognised_by='objects with `"object": "trace"` or `"trace.span"`',
    yields=("runs", "spans", "errors", "guardrails", "handoffs"),
    recognise=recognise,
    read=read,
)
