"""Every signature told whole: how often, since when, and after how long a quiet it came back."""

from __future__ import annotations

import duckdb

from ingest.rollups.writing import has_rows, noted, put, put_differing
from ingest.store.publish import Publication

_KEYS = ("signature",)
# The temporary table with the signatures of runs that come, change or go.
NOTED = "noted_signatures"
_ERRORS = """
SELECT e.signature, coalesce(e.signature_partial, false) AS partial,
       coalesce(e.error_code, e.agent_error_code, e.failure_class) AS error_code, e.type, e.location, e.phase, e.run_id,
       e.event_id, coalesce(r.workload, 'default') AS workload,
       CASE WHEN r.clock = 'wall' THEN coalesce(e.occurred_at, r.started_at) ELSE r.started_at END AS seen_at
FROM {store}.error_events e JOIN {store}.runs r ON r.run_id = e.run_id
WHERE {which}
"""
_TOTALS = """
SELECT * EXCLUDE (example), example.run_id AS example_run, example.event_id AS example_event
FROM (
    SELECT signature, bool_or(partial) AS partial, min(error_code) AS error_code, min(type) AS type,
           min(location) AS location,
           min(phase) AS phase, count(*) AS occurrences,
           -- Equal full signatures of a run are one attempt; a partial one is only possibly the same failure.
           count(DISTINCT CASE WHEN partial THEN run_id || chr(31) || event_id ELSE run_id END) AS collapsed,
           count(DISTINCT run_id) AS runs, list_sort(list(DISTINCT workload)) AS workloads,
           min(seen_at) AS first_seen, max(seen_at) AS last_seen,
           max(struct_pack(
               at := coalesce(seen_at, TIMESTAMPTZ '1970-01-01 00:00:00Z'), run_id := run_id, event_id := event_id
           )) AS example
    FROM signature_errors
    GROUP BY signature
) AS told
"""
# Of two returns the later one counts, unless the earlier one came after a longer quiet.
_RETURNS = """
WITH spaced AS (
    SELECT signature, seen_at,
           epoch_us(seen_at) - epoch_us(lag(seen_at) OVER (PARTITION BY signature ORDER BY seen_at)) AS quiet_us
    FROM (SELECT DISTINCT signature, seen_at FROM signature_errors WHERE seen_at IS NOT NULL) AS moments
),
later AS (
    SELECT signature, seen_at, quiet_us, max(quiet_us) OVER (
        PARTITION BY signature ORDER BY seen_at ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS longest_later
    FROM spaced
)
SELECT signature, quiet_us, seen_at AS returned_at
FROM later
WHERE quiet_us > coalesce(longest_later, 0)
"""
_OF_TOTALS = (
    "signature, partial, error_code, type, location, phase, occurrences, collapsed, runs, workloads, first_seen,"
    " last_seen, example_run, example_event"
)
_TOLD = {
    "signature_totals": (_OF_TOTALS, _TOTALS),
    "signature_returns": ("signature, quiet_us, returned_at", _RETURNS),
}


def note(con: duckdb.DuckDBPyConnection, store: str, *, is_first: bool, known: bool, staged: bool) -> None:
    """Noted are the signatures of the staged runs, if any, and of the `chosen` ones where the store has one of them."""
    tables = ["error_events"] if staged else []
    if known:
        tables.append(f"{store}.error_events")
    arms = " UNION ".join(
        f"SELECT signature FROM {table} WHERE signature IS NOT NULL AND run_id IN (SELECT run_id FROM chosen)"
        for table in tables
    )
    noted(con, NOTED, f"SELECT DISTINCT signature FROM ({arms}) AS touched", is_first=is_first)


def settle(con: duckdb.DuckDBPyConnection, draft: Publication) -> None:
    """The signatures that were noted are told from all failures that are in the store now."""
    within = draft.within(con)
    draft.bring(con, "renewed", f"SELECT DISTINCT signature FROM {NOTED}")
    if not has_rows(within, "renewed"):
        return
    _find(within, draft, "e.signature IN (SELECT signature FROM renewed)")
    for table, (columns, told) in _TOLD.items():
        put(within, draft, table, columns, told, keys=_KEYS, of="renewed")


def rebuild(con: duckdb.DuckDBPyConnection, draft: Publication) -> bool:
    """Every signature is told from the store; whether one was told otherwise before."""
    within = draft.within(con)
    _find(within, draft, "e.signature IS NOT NULL")
    changed = [
        put_differing(within, draft, table, columns, told, keys=_KEYS) for table, (columns, told) in _TOLD.items()
    ]
    return any(changed)


def _find(within: duckdb.DuckDBPyConnection, draft: Publication, which: str) -> None:
    errors = _ERRORS.format(store=draft.alias, which=which)
    within.execute(f"CREATE OR REPLACE TEMP TABLE signature_errors AS {errors}").fetchall()
