"""The step that carries context sets from retrievals to the model calls they feed, over the staged runs."""

from __future__ import annotations

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
from ingest.json_reading import value_of
from ingest.otel.context import item_of
from ingest.otel.span import OtelSpan, SpanEvent

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
_PORTIONS = pa.schema([("run_id", pa.string()), ("portion", pa.int64())])

FedRuns = Sequence[tuple[str, Sequence[Fed]]]


def derive(con: duckdb.DuckDBPyConnection, _rows: Collection[str] = ()) -> None:
    """Sets are derived for the model calls of every staged run; `context_carried` says which steps they came from."""
    con.execute(
        "CREATE OR REPLACE TEMP TABLE context_carried (run_id VARCHAR, step_id VARCHAR, to_step_id VARCHAR)"
    ).fetchall()
    portions = list(_portions(con.execute(_CONCERNED, [sorted(MODEL_KINDS)]).fetchall(), SPANS_AT_ONCE))
    if portions:
        _place(con, portions)
    for number, runs in enumerate(portions):
        known = _known(con, runs)
        fed = [(run_id, fed_calls(spans, known[run_id])) for run_id, spans in _places(con, number)]
        for some in _readable(fed):
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


def _readable(fed: FedRuns) -> Iterator[FedRuns]:
    """The runs of which something can be derived, in portions whose spans' attributes may be in memory together."""
    calls = {run_id: found for run_id, found in fed if found}
    sizes = [
        (run_id, sum({span.span_id: span.size for span in _spans(found)}.values())) for run_id, found in calls.items()
    ]
    for runs in _portions(sizes, BYTES_AT_ONCE):
        yield [(run_id, calls[run_id]) for run_id in runs]


def _spans(fed: Iterable[Fed]) -> Iterator[SpanView]:
    return (span for one in fed for span in one.spans)


def _derive_fed(con: duckdb.DuckDBPyConnection, fed: FedRuns, known: Mapping[str, Known]) -> None:
    wanted = [(run_id, span.span_id) for run_id, calls in fed for span in _spans(calls)]
    _keep(con, "context_wanted", _table(wanted, _WANTED))
    recorded = _recorded(con)
    _insert(con, [(run_id, carried(calls, known[run_id], recorded[run_id])) for run_id, calls in fed])


def _insert(con: duckdb.DuckDBPyConnection, found: Sequence[tuple[str, Carried]]) -> None:
    placed = [(_place_of(run_id, derived), derived) for run_id, one in found for derived in one.sets]
    sets = [(*place, "derived", derived.rule, True, len(derived.items)) for place, derived in placed]
    items = [(*place, item.item_id, item.revision) for place, derived in placed for item in derived.items]
    steps = [(run_id, *step) for run_id, one in found for step in one.steps.items()]
    tables = {
        "context_sets": _table(sets, _SETS), "context_items": _table(items, _ITEMS),
        "context_carried": _table(steps, _STEPS),
    }  # fmt: skip
    for table, batch in tables.items():
        con.register("derived_batch", batch)
        con.execute(f"INSERT INTO {table} BY NAME SELECT * FROM derived_batch").fetchall()
        con.unregister("derived_batch")


def _place_of(run_id: str, derived: DerivedSet) -> tuple[str, str, str, str]:
    """The run, event, step and name of a set, as the columns begin."""
    return run_id, f"derived:context:{derived.set_name}:{derived.step_id}", derived.step_id, derived.set_name


def _table(rows: Sequence[tuple[Any, ...]], schema: pa.Schema) -> pa.Table:
    columns = zip(*rows, strict=True) if rows else [()] * len(schema)
    return pa.Table.from_arrays(
        [pa.array(column, kind) for column, kind in zip(columns, schema.types, strict=True)], schema=schema
    )


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
        members = dict.fromkeys(map(tuple, items or ()))
        found[run_id][step_id][set_name] = KnownSet(tuple(item_of(*member) for member in members), is_recorded)
    return found  # type: ignore[return-value] # a dict of dicts is a mapping of mappings


def _place(con: duckdb.DuckDBPyConnection, portions: Sequence[Sequence[str]]) -> None:
    """`context_places` has the spans of the runs, those of a portion together: all spans are read once for all."""
    numbered = [(run_id, number) for number, runs in enumerate(portions) for run_id in runs]
    _keep(con, "context_portions", _table(numbered, _PORTIONS))
    con.execute(
        """
        CREATE OR REPLACE TEMP TABLE context_places AS
        SELECT portion, run_id, span_id, parent_span_id, coalesce(seq, 0) AS place, lower(coalesce(kind, '')) AS kind,
               name, epoch_us(started_at) AS started_us, epoch_us(ended_at) AS ended_us,
               coalesce(strlen(attributes), 0) AS size
        FROM spans JOIN context_portions USING (run_id) ORDER BY portion, run_id, seq
        """
    ).fetchall()


def _places(con: duckdb.DuckDBPyConnection, portion: int) -> Iterator[tuple[str, list[SpanView]]]:
    """Where the spans of each run of the portion stand."""
    rows = con.execute(
        "SELECT * EXCLUDE portion FROM context_places WHERE portion = ? ORDER BY run_id, place", [portion]
    ).fetchall()
    for run_id, of_run in groupby(rows, key=itemgetter(0)):
        yield run_id, [SpanView(*place) for _, *place in of_run]


def _recorded(con: duckdb.DuckDBPyConnection) -> dict[str, dict[str, OtelSpan]]:
    """What the wanted spans say, by run."""
    rows = con.execute(
        "SELECT run_id, span_id, attributes FROM spans SEMI JOIN context_wanted USING (run_id, span_id)"
    ).fetchall()
    messages = _messages(con)
    found: dict[str, dict[str, OtelSpan]] = defaultdict(dict)
    for run_id, span_id, attributes in rows:
        said = messages.get((run_id, span_id), ())
        found[run_id][span_id] = OtelSpan(
            trace_id=run_id,
            span_id=span_id,
            attributes=value_of(attributes) if attributes else {},
            events=tuple(said),
        )
    return found


def _messages(con: duckdb.DuckDBPyConnection) -> dict[tuple[str, str], list[SpanEvent]]:
    """Messages that were recorded as events of a wanted span."""
    rows = con.execute(
        "SELECT run_id, span_id, name, attributes FROM events"
        " SEMI JOIN context_wanted USING (run_id, span_id) WHERE kind = 'message' ORDER BY run_id, seq"
    ).fetchall()
    found: dict[tuple[str, str], list[SpanEvent]] = defaultdict(list)
    for run_id, span_id, name, attributes in rows:
        found[run_id, span_id].append(SpanEvent(name=name, attributes=value_of(attributes) if attributes else {}))
    return found
