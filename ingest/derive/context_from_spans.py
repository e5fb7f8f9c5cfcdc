"""The step that carries context sets from retrievals to the model calls they feed, over the staged runs."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import duckdb
import pyarrow as pa

from ingest.derive.conditions import Condition
from ingest.derive.context_carry import (
    FEEDING_KINDS,
    GATE_KINDS,
    MODEL_KINDS,
    TOOL_KINDS,
    DerivedSet,
    Known,
    KnownSet,
    SpanView,
    carried,
)
from ingest.otel.span import OtelSpan, SpanEvent
from ingest.records import ContextItem

STEP = "42_context_from_spans"
WHEN = (Condition("context_sets"), Condition("context_items"))
FILLS = ("context_sets", "context_items")
RUNS_AT_ONCE = 200
_READ_KINDS = sorted(FEEDING_KINDS | GATE_KINDS | MODEL_KINDS | TOOL_KINDS)
_SETS = pa.schema(
    [(name, pa.string()) for name in ("run_id", "event_id", "step_id", "set_name", "basis", "rule")]
    + [("recorded", pa.bool_()), ("items", pa.int64())]
)
_ITEMS = pa.schema([(n, pa.string()) for n in ("run_id", "event_id", "step_id", "set_name", "item_id", "revision")])


def derive(con: duckdb.DuckDBPyConnection, _rows: Collection[str] = ()) -> None:
    """Sets are derived for the model calls of every staged run; `context_carried` says which steps they came from."""
    con.execute(
        "CREATE OR REPLACE TEMP TABLE context_carried (run_id VARCHAR, step_id VARCHAR, to_step_id VARCHAR)"
    ).fetchall()
    runs = [row[0] for row in con.execute(_CONCERNED, [sorted(MODEL_KINDS)]).fetchall()]
    for start in range(0, len(runs), RUNS_AT_ONCE):
        _derive_runs(con, runs[start : start + RUNS_AT_ONCE])


_CONCERNED = """
    SELECT DISTINCT s.run_id
    FROM context_sets s JOIN spans ON spans.run_id = s.run_id AND spans.span_id = s.step_id
    WHERE s.set_name IN ('retrieved', 'eligible', 'composed')
      AND EXISTS (SELECT 1 FROM spans m WHERE m.run_id = s.run_id AND list_contains(?, lower(m.kind)))
    ORDER BY 1
"""


def _derive_runs(con: duckdb.DuckDBPyConnection, runs: Sequence[str]) -> None:
    known = _known(con, runs)
    sets: list[dict[str, Any]] = []
    items: list[dict[str, Any]] = []
    steps: list[tuple[str, str, str]] = []
    for run_id, spans in _spans(con, runs):
        found = carried(spans, known[run_id])
        steps += [(run_id, step, call) for step, call in found.steps.items()]
        for derived in found.sets:
            row, members = _rows(run_id, derived)
            sets.append(row)
            items += members
    _insert(con, "context_sets", pa.Table.from_pylist(sets, _SETS))
    _insert(con, "context_items", pa.Table.from_pylist(items, _ITEMS))
    if steps:
        con.executemany("INSERT INTO context_carried VALUES (?, ?, ?)", steps)


def _rows(run_id: str, derived: DerivedSet) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    place = {
        "run_id": run_id,
        "event_id": f"derived:context:{derived.set_name}:{derived.step_id}",
        "step_id": derived.step_id,
        "set_name": derived.set_name,
    }
    members = [{**place, "item_id": item.item_id, "revision": item.revision} for item in derived.items]
    return {**place, "basis": "derived", "rule": derived.rule, "recorded": True, "items": len(members)}, members


def _insert(con: duckdb.DuckDBPyConnection, table: str, batch: pa.Table) -> None:
    con.register("derived_batch", batch)
    con.execute(f"INSERT INTO {table} BY NAME SELECT * FROM derived_batch").fetchall()
    con.unregister("derived_batch")


def _known(con: duckdb.DuckDBPyConnection, runs: Sequence[str]) -> dict[str, Known]:
    """The sets that the steps of the runs already have, the recorded one where both are there."""
    rows = con.execute(
        """
        SELECT s.run_id, s.step_id, s.set_name, bool_or(s.basis IS DISTINCT FROM 'derived') AS is_recorded,
               list([i.item_id, i.revision] ORDER BY s.seq, i.rowid) FILTER (i.item_id IS NOT NULL) AS items
        FROM context_sets s LEFT JOIN context_items i ON i.run_id = s.run_id AND i.event_id = s.event_id
        WHERE s.run_id IN (SELECT unnest(?))
        GROUP BY s.run_id, s.step_id, s.set_name, s.basis
        ORDER BY is_recorded
        """,
        [list(runs)],
    ).fetchall()
    found: dict[str, dict[str, dict[str, KnownSet]]] = defaultdict(lambda: defaultdict(dict))
    for run_id, step_id, set_name, is_recorded, items in rows:
        members = dict.fromkeys(ContextItem(item_id=item, revision=revision) for item, revision in items or ())
        found[run_id][step_id][set_name] = KnownSet(tuple(members), is_recorded)
    return found  # type: ignore[return-value] # a dict of dicts is a mapping of mappings


def _spans(con: duckdb.DuckDBPyConnection, runs: Sequence[str]) -> Iterator[tuple[str, list[SpanView]]]:
    """The spans of each run; attributes only of the kinds that are read."""
    rows = con.execute(
        """
        SELECT run_id, span_id, parent_span_id, seq, lower(coalesce(kind, '')), name, started_at, ended_at,
               CASE WHEN list_contains($kinds, lower(kind)) OR contains(lower(name), 'filter') THEN attributes END
        FROM spans WHERE run_id IN (SELECT unnest($runs)) ORDER BY run_id, seq
        """,
        {"runs": list(runs), "kinds": _READ_KINDS},
    ).fetchall()
    messages = _messages(con, runs)
    grouped: dict[str, list[SpanView]] = defaultdict(list)
    for run_id, span_id, parent_id, seq, kind, name, started_at, ended_at, attributes in rows:
        otel = OtelSpan(
            trace_id=run_id,
            span_id=span_id,
            name=name,
            attributes=json.loads(attributes) if attributes else {},
            events=tuple(messages.get((run_id, span_id), ())),
        )
        grouped[run_id].append(SpanView(span_id, parent_id, seq or 0, kind, started_at, ended_at, otel))
    yield from grouped.items()


def _messages(con: duckdb.DuckDBPyConnection, runs: Sequence[str]) -> dict[tuple[str, str], list[SpanEvent]]:
    """Messages that were recorded as events of their span."""
    rows = con.execute(
        "SELECT run_id, span_id, name, attributes FROM events"
        " WHERE kind = 'message' AND run_id IN (SELECT unnest(?)) ORDER BY run_id, seq",
        [list(runs)],
    ).fetchall()
    found: dict[tuple[str, str], list[SpanEvent]] = defaultdict(list)
    for run_id, span_id, name, attributes in rows:
        found[run_id, span_id].append(SpanEvent(name=name, attributes=json.loads(attributes) if attributes else {}))
    return found
