"""The step that carries context sets from retrievals to the model calls they feed, over the staged runs."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

import duckdb
import pyarrow as pa

from ingest.derive.conditions import Condition
from ingest.derive.context_carry import (
    MODEL_KINDS,
    Carried,
    DerivedSet,
    Fed,
    Known,
    KnownSet,
    SpanView,
    carried,
    fed_calls,
)
from ingest.otel.span import OtelSpan, SpanEvent
from ingest.records import ContextItem

STEP = "42_context_from_spans"
WHEN = (Condition("context_sets"), Condition("context_items"))
FILLS = ("context_sets", "context_items")
# So many spans are looked at together: each look reads the places of all of them.
SPANS_AT_ONCE = 20_000
# So much text of attributes: what is not read is not fetched.
BYTES_AT_ONCE = 16_000_000
_SETS = pa.schema(
    [(name, pa.string()) for name in ("run_id", "event_id", "step_id", "set_name", "basis", "rule")]
    + [("recorded", pa.bool_()), ("items", pa.int64())]
)
_ITEMS = pa.schema([(n, pa.string()) for n in ("run_id", "event_id", "step_id", "set_name", "item_id", "revision")])
_STEPS = pa.schema([(name, pa.string()) for name in ("run_id", "step_id", "to_step_id")])
_WANTED = pa.schema([("run_id", pa.string()), ("span_id", pa.string())])

FedRuns = Sequence[tuple[str, Sequence[Fed]]]


def derive(con: duckdb.DuckDBPyConnection, _rows: Collection[str] = ()) -> None:
    """Sets are derived for the model calls of every staged run; `context_carried` says which steps they came from."""
    con.execute(
        "CREATE OR REPLACE TEMP TABLE context_carried (run_id VARCHAR, step_id VARCHAR, to_step_id VARCHAR)"
    ).fetchall()
    concerned = con.execute(_CONCERNED, [sorted(MODEL_KINDS)]).fetchall()
    for runs in _portions(concerned, SPANS_AT_ONCE):
        known = _known(con, runs)
        fed = [(run_id, fed_calls(spans, known[run_id])) for run_id, spans in _places(con, runs)]
        for some in _readable(con, fed):
            _derive_fed(con, some, known)


_CONCERNED = """
    SELECT run_id, count(*) FROM spans
    WHERE run_id IN (
        SELECT s.run_id FROM context_sets s JOIN spans ON spans.run_id = s.run_id AND spans.span_id = s.step_id
        WHERE s.set_name IN ('retrieved', 'eligible', 'composed'))
    GROUP BY run_id HAVING bool_or(list_contains(?, lower(kind)))
    ORDER BY run_id
"""


def _portions(sized: Iterable[tuple[str, int]], most: int) -> Iterator[list[str]]:
    """The keys in portions that are as large together; one that is larger stands alone."""
    portion: list[str] = []
    held = 0
    for key, size in sized:
        if portion and held + size > most:
            yield portion
            portion, held = [], 0
        portion.append(key)
        held += size
    if portion:
        yield portion


def _readable(con: duckdb.DuckDBPyConnection, fed: FedRuns) -> Iterator[FedRuns]:
    """The runs in portions whose spans' attributes may be in memory together; those spans are in `context_wanted`."""
    calls = dict(fed)
    wanted = [(run_id, span.span_id) for run_id, found in fed for one in found for span in one.spans]
    if not wanted:
        return
    columns = [pa.array(column, pa.string()) for column in zip(*wanted, strict=True)]
    _keep(con, "context_wanted", pa.Table.from_arrays(columns, schema=_WANTED))
    sizes = con.execute(
        "SELECT run_id, coalesce(sum(strlen(attributes)), 0)::BIGINT FROM spans SEMI JOIN context_wanted"
        " USING (run_id, span_id) GROUP BY run_id ORDER BY run_id"
    ).fetchall()
    for runs in _portions(sizes, BYTES_AT_ONCE):
        yield [(run_id, calls[run_id]) for run_id in runs]


def _derive_fed(con: duckdb.DuckDBPyConnection, fed: FedRuns, known: Mapping[str, Known]) -> None:
    recorded = _recorded(con, [run_id for run_id, _ in fed])
    found = [(run_id, carried(calls, known[run_id], recorded[run_id])) for run_id, calls in fed]
    _insert(con, found)


def _rows(run_id: str, derived: DerivedSet) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    place = {
        "run_id": run_id,
        "event_id": f"derived:context:{derived.set_name}:{derived.step_id}",
        "step_id": derived.step_id,
        "set_name": derived.set_name,
    }
    members = [{**place, "item_id": item.item_id, "revision": item.revision} for item in derived.items]
    return {**place, "basis": "derived", "rule": derived.rule, "recorded": True, "items": len(members)}, members


def _insert(con: duckdb.DuckDBPyConnection, found: Sequence[tuple[str, Carried]]) -> None:
    rows = [_rows(run_id, derived) for run_id, one in found for derived in one.sets]
    steps = [(run_id, *step) for run_id, one in found for step in one.steps.items()]
    tables = {
        "context_sets": pa.Table.from_pylist([row for row, _ in rows], _SETS),
        "context_items": pa.Table.from_pylist([member for _, members in rows for member in members], _ITEMS),
        "context_carried": pa.Table.from_pylist([dict(zip(_STEPS.names, step, strict=True)) for step in steps], _STEPS),
    }
    for table, batch in tables.items():
        con.register("derived_batch", batch)
        con.execute(f"INSERT INTO {table} BY NAME SELECT * FROM derived_batch").fetchall()
        con.unregister("derived_batch")


def _keep(con: duckdb.DuckDBPyConnection, table: str, batch: pa.Table) -> None:
    con.register("derived_batch", batch)
    con.execute(f"CREATE OR REPLACE TEMP TABLE {table} AS SELECT * FROM derived_batch").fetchall()
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


def _places(con: duckdb.DuckDBPyConnection, runs: Sequence[str]) -> Iterator[tuple[str, list[SpanView]]]:
    """Where the spans of each run stand."""
    rows = con.execute(
        """
        SELECT run_id, span_id, parent_span_id, coalesce(seq, 0), lower(coalesce(kind, '')), name,
               epoch_us(started_at), epoch_us(ended_at)
        FROM spans WHERE run_id IN (SELECT unnest(?)) ORDER BY run_id, seq
        """,
        [list(runs)],
    ).fetchall()
    for run_id, of_run in groupby(rows, key=itemgetter(0)):
        yield run_id, [SpanView(*place) for _, *place in of_run]


def _recorded(con: duckdb.DuckDBPyConnection, runs: Sequence[str]) -> dict[str, dict[str, OtelSpan]]:
    """What the wanted spans of the runs say."""
    rows = con.execute(
        "SELECT run_id, span_id, attributes FROM spans SEMI JOIN context_wanted USING (run_id, span_id)"
        " WHERE run_id IN (SELECT unnest(?))",
        [list(runs)],
    ).fetchall()
    messages = _messages(con, runs)
    found: dict[str, dict[str, OtelSpan]] = defaultdict(dict)
    for run_id, span_id, attributes in rows:
        said = messages.get((run_id, span_id), ())
        found[run_id][span_id] = OtelSpan(
            trace_id=run_id,
            span_id=span_id,
            attributes=json.loads(attributes) if attributes else {},
            events=tuple(said),
        )
    return found


def _messages(con: duckdb.DuckDBPyConnection, runs: Sequence[str]) -> dict[tuple[str, str], list[SpanEvent]]:
    """Messages that were recorded as events of their span."""
    rows = con.execute(
        "SELECT run_id, span_id, name, attributes FROM events"
        " SEMI JOIN context_wanted USING (run_id, span_id)"
        " WHERE kind = 'message' AND run_id IN (SELECT unnest(?)) ORDER BY run_id, seq",
        [list(runs)],
    ).fetchall()
    found: dict[tuple[str, str], list[SpanEvent]] = defaultdict(list)
    for run_id, span_id, name, attributes in rows:
        found[run_id, span_id].append(SpanEvent(name=name, attributes=json.loads(attributes) if attributes else {}))
    return found
