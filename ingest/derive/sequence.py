"""`seq`: one numbering over all kinds of a run, the same whatever the order of the lines was.

A run whose records carry an order is numbered by it; else by time, records without one following the record before them
in their file; else by position. Where every record carries the order, what is equal in it is told apart by kind and
content, never by place; where some do not, by place.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import duckdb

STEP = "10_sequence"


@dataclass(frozen=True, slots=True)
class _Kind:
    """A table whose rows are numbered: `rank` and then the ties tell apart what has the same order."""

    table: str
    rank: int
    key: str = "event_id"
    happened: str = "occurred_at"
    recorded_seq: str = "recorded_seq"
    step: str = "NULL"
    tie_number: str = "NULL"
    tie_text: str = "NULL"


_KINDS = (
    _Kind(
        "spans", 1, "span_id", "started_at", step="step_index", tie_number="-epoch_us(ended_at)",
        # A step that was never reached comes after everything that happened.
        recorded_seq="coalesce(recorded_seq, CASE WHEN status = 'not_reached' THEN 9223372036854775807 END)",
    ),
    _Kind("context_sets", 2, tie_text="step_id"),
    _Kind("events", 3, step="step_index", tie_text="kind"),
    _Kind("delegations", 4, step="hop_count", tie_text="task_id"),
    _Kind("task_owners", 4, happened="coalesce(occurred_at, since)", tie_text="task_id"),
    _Kind("waits", 4, happened="coalesce(occurred_at, since)", tie_text="waiter"),
    _Kind("guardrail_events", 5, step="step_index", tie_text="level"),
    _Kind("error_events", 6, step="step_index", tie_text="level"),
    _Kind("diagnoses", 7, "diagnosis_id", tie_text="for_event"),
    _Kind("recovery_events", 8, tie_text="chain"),
    _Kind("context_ops", 9, step="trigger_no", tie_text="op"),
    _Kind("handoffs", 10, step="bounce", tie_text="from_agent"),
    _Kind("replays", 11, tie_text="dimension"),
    _Kind("reported_metrics", 12, tie_text="chain"),
)  # fmt: skip

_MODES = """
CREATE OR REPLACE TEMP TABLE run_order AS
SELECT run_id,
       CASE WHEN bool_and(recorded_seq IS NOT NULL) THEN 'seq'
            WHEN bool_or(happened IS NOT NULL) THEN 'time'
            WHEN bool_or(recorded_seq IS NOT NULL) THEN 'seq'
            ELSE 'position' END AS mode,
       NOT (bool_and(recorded_seq IS NOT NULL) OR bool_and(happened IS NOT NULL)) AS needs_position
FROM ({entries}) GROUP BY run_id
"""
# What every record of the run says needs no look at its neighbours.
_BY_WHAT_IS_SAID = """
SELECT kind, entry, row_number() OVER (
    PARTITION BY run_id
    ORDER BY CASE mode WHEN 'seq' THEN recorded_seq END NULLS FIRST,
             CASE mode WHEN 'time' THEN happened END NULLS FIRST,
             recorded_seq NULLS FIRST, happened, {ties}) AS seq
FROM ({entries}) JOIN run_order USING (run_id) WHERE NOT needs_position
"""
_BY_PLACE_TOO = """
SELECT kind, entry, row_number() OVER (
    PARTITION BY run_id
    ORDER BY seq_key NULLS FIRST, time_key NULLS FIRST, path NULLS FIRST, position NULLS FIRST,
             recorded_seq NULLS FIRST, happened, {ties}) AS seq
FROM (
    SELECT *,
           CASE mode WHEN 'seq' THEN coalesce(recorded_seq, last_value(recorded_seq IGNORE NULLS) OVER before) END
               AS seq_key,
           CASE mode WHEN 'time' THEN coalesce(happened, last_value(happened IGNORE NULLS) OVER before) END AS time_key
    FROM (
        -- A companion's records are counted along with those of the file that it belongs to.
        SELECT * REPLACE (
            CASE WHEN part IS NULL THEN path
                 ELSE coalesce(min(path) FILTER (part IS NULL) OVER (PARTITION BY run_id), path) END AS path)
        FROM (SELECT * FROM ({entries}) JOIN run_order USING (run_id) WHERE needs_position)
        LEFT JOIN file_paths USING (file_id)
    )
    WINDOW before AS (
        PARTITION BY run_id, path ORDER BY position ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
)
"""
_TIES = "rank, step NULLS FIRST, tie_number NULLS FIRST, tie_text NULLS FIRST, key"


def derive(con: duckdb.DuckDBPyConnection, rows: Collection[str]) -> None:
    """Every row of the staged runs has its number."""
    kinds = [(number, kind) for number, kind in enumerate(_KINDS) if kind.table in rows]
    if not kinds:
        return
    entries = " UNION ALL ".join(_entries(number, kind) for number, kind in kinds)
    con.execute(_MODES.format(entries=entries)).fetchall()
    numbered = " UNION ALL ".join(way.format(entries=entries, ties=_TIES) for way in _ways(con))
    if not numbered:
        return
    con.execute(f"CREATE OR REPLACE TEMP TABLE numbered AS {numbered}").fetchall()
    for number, kind in kinds:
        con.execute(
            f"UPDATE {kind.table} SET seq = n.seq FROM numbered n"
            f" WHERE n.kind = {number} AND n.entry = {kind.table}.rowid"
        ).fetchall()
    con.execute("DROP TABLE numbered; DROP TABLE run_order").fetchall()


def _entries(number: int, kind: _Kind) -> str:
    return f"""
        SELECT {number}::UTINYINT AS kind, rowid AS entry, run_id, {kind.key} AS key,
               {kind.recorded_seq} AS recorded_seq, {kind.happened} AS happened, position, file_id, part,
               {kind.rank}::UTINYINT AS rank, {kind.step}::BIGINT AS step, {kind.tie_number}::BIGINT AS tie_number,
               {kind.tie_text}::VARCHAR AS tie_text
        FROM {kind.table}"""


def _ways(con: duckdb.DuckDBPyConnection) -> list[str]:
    """How the staged runs are numbered: most often all in one way, and the other costs a second look at everything."""
    asked = "SELECT bool_or(NOT needs_position), bool_or(needs_position) FROM run_order"
    said, placed = con.execute(asked).fetchall()[0]
    return [way for way, is_needed in ((_BY_WHAT_IS_SAID, said), (_BY_PLACE_TOO, placed)) if is_needed]
