"""LangSmith runs: a flat list, JSON lines, `{"runs": […]}` or Parquet; the root of a trace is the run.

Token totals are rolled up on parents; each token counts once. A `GraphInterrupt` is a pause for a
person and no failure.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ingest.adapter import Adapter, Item, Place, Rejected, Skipped
from ingest.otel.span_table import column_names, rows
from ingest.source import Head, Source
from ingest.vendor.json_values import Unit, glimpses, units
from ingest.vendor.langsmith_records import is_run, recorded_trace, run_records
from ingest.vendor.parsed import parsed
from ingest.vendor.span_runs import SpanRuns
from ingest.vendor.values import mapping, sequence, within

ENVELOPE = "runs"
# Columns that hold an object or a list, in a table as the JSON of it.
_OBJECTS = frozenset({"inputs", "outputs", "extra", "events", "tags", "feedback_stats", "child_runs"})
_RAW = 2_000


def recognise(head: Head) -> bool:
    """Objects or columns with `run_type` and the keys that place a run in its trace."""
    columns = column_names(head)
    if columns:
        return is_run(dict.fromkeys(columns, ""))
    return any(is_run(value) for value in glimpses(head, ENVELOPE))


def read(source: Source) -> Iterator[Item]:
    """Every run with its trace; last those that do not name it."""
    runs = SpanRuns()
    all_name_it = True
    for found in _runs(source):
        if isinstance(found, Rejected | Skipped):
            yield found
            continue
        unit, run = found
        if trace := recorded_trace(run):
            yield parsed(unit.place, unit.raw, run_records, run, trace, runs, unit.flags)
        else:
            all_name_it = False
    if not all_name_it:
        yield from _without_trace(source, runs)


def _without_trace(source: Source, runs: SpanRuns) -> Iterator[Item]:
    """The runs that do not name their trace, to which parents lead; read again, so that none is held till then."""
    parents = {str(run["id"]): _parent(run) for _, run in _units_with_run(source)}
    for unit, run in _units_with_run(source):
        if not recorded_trace(run):
            yield parsed(unit.place, unit.raw, run_records, run, _root(str(run["id"]), parents), runs, unit.flags)


def _units_with_run(source: Source) -> Iterator[tuple[Unit, dict[str, Any]]]:
    return (found for found in _runs(source) if not isinstance(found, Rejected | Skipped))


def _parent(run: dict[str, Any]) -> str | None:
    return None if run.get("parent_run_id") is None else str(run["parent_run_id"])


def _runs(source: Source) -> Iterator[tuple[Unit, dict[str, Any]] | Rejected | Skipped]:
    for unit in _units(source):
        if not isinstance(unit, Unit):
            yield unit
        elif isinstance(unit.value, dict) and unit.value.get("id") and unit.value.get("run_type"):
            yield from ((unit, run) for run in _with_children(unit.value))
        else:
            yield Rejected(unit.place, "unknown_record", "a LangSmith run has `id` and `run_type`", unit.raw)


def _units(source: Source) -> Iterator[Unit | Rejected | Skipped]:
    if not column_names(source.head):
        yield from units(source, ENVELOPE)
        return
    for number, row in rows(source):
        run = {name: within(cell) if name in _OBJECTS else cell for name, cell in row.items() if cell is not None}
        yield Unit(run, Place(number), str(run)[:_RAW])


def _with_children(run: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The run and everything nested in its `child_runs`, which some clients fill."""
    left = [run]
    while left:
        current = left.pop()
        children = [child for child in sequence(current.get("child_runs")) if mapping(child).get("id")]
        yield {key: item for key, item in current.items() if key != "child_runs"}
        left.extend({"parent_run_id": current["id"], **child} for child in reversed(children))


def _root(run_id: str, parents: dict[str, str | None]) -> str:
    """The topmost run that the file leads to; a parent that is not in the file is taken for it."""
    seen = {run_id}
    while (parent := parents.get(run_id)) and parent not in seen:
        seen.add(parent)
        run_id = parent
    return run_id


ADAPTER = Adapter(
    name="langsmith",
    version=1,
    title="LangSmith runs (API, SDK or export; JSON, JSON lines, Parquet)",
    recognised_by="objects with `run_type` and one of `dotted_order`, `trace_id`, `parent_run_id`",
    yields=("runs", "spans", "events", "errors", "guardrails"),
    recognise=recognise,
    read=read,
    record_is="run",
)
