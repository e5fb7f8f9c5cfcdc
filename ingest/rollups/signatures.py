"""Every signature told whole: how often, since when, and after how long a quiet it came back."""

from __future__ import annotations

import duckdb

from ingest.store.publish import Publication

TABLES = ("signature_totals", "signature_returns")
_TOUCHED = """
CREATE OR REPLACE TEMP TABLE renewed AS
SELECT DISTINCT signature FROM ({errors}) AS touched WHERE signature IS NOT NULL
"""
_ERRORS = """
SELECT e.signature, coalesce(e.signature_partial, false) AS partial,
       coalesce(e.error_code, e.agent_error_code, e.failure_class) AS error_code, e.type, e.location, e.phase, e.run_id,
       e.event_id, coalesce(r.workload, 'default') AS workload,
       CASE WHEN r.clock = 'wall' THEN coalesce(e.occurred_at, r.started_at) ELSE r.started_at END AS seen_at
FROM {records}error_events e JOIN {records}runs r ON r.run_id = e.run_id
WHERE {which}
"""
_OF_REPLACED = "e.run_id IN (SELECT run_id FROM chosen)"
_OF_OTHERS = "e.signature IN (SELECT signature FROM renewed) AND e.run_id NOT IN (SELECT run_id FROM chosen)"
_OF_ALL = "e.signature IS NOT NULL"
_TOTALS = """
CREATE OR REPLACE TEMP TABLE signature_totals AS
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
CREATE OR REPLACE TEMP TABLE signature_returns AS
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
_COLUMNS = {
    "signature_totals": "signature, partial, error_code, type, location, phase, occurrences, collapsed, runs,"
    " workloads, first_seen, last_seen, example_run, example_event",
    "signature_returns": "signature, quiet_us, returned_at",
}


def renew(con: duckdb.DuckDBPyConnection, draft: Publication, *, known: bool, staged: bool) -> None:
    """The signatures of the chosen runs are told from all failures that will be in the store."""
    stored = f"{draft.alias}."
    touched = [f"SELECT signature FROM error_events e WHERE {_OF_REPLACED}"] if staged else []
    if known:
        touched.append(f"SELECT signature FROM {stored}error_events e WHERE {_OF_REPLACED}")
    con.execute(_TOUCHED.format(errors=" UNION ALL ".join(touched))).fetchall()
    if not con.execute("SELECT 1 FROM renewed LIMIT 1").fetchall():
        return
    parts = [_ERRORS.format(records=stored, which=_OF_OTHERS)]
    if staged:
        parts.append(_ERRORS.format(records="", which=_OF_REPLACED + " AND e.signature IS NOT NULL"))
    _tell(con, draft, " UNION ALL ".join(parts))


def rebuild(con: duckdb.DuckDBPyConnection, draft: Publication) -> None:
    """Every signature is told anew from the store."""
    stored = f"{draft.alias}."
    con.execute(
        f"CREATE OR REPLACE TEMP TABLE renewed AS SELECT signature FROM {stored}signature_totals"
        f" UNION SELECT signature FROM {stored}signature_returns"
    ).fetchall()
    _tell(con, draft, _ERRORS.format(records=stored, which=_OF_ALL))


def _tell(con: duckdb.DuckDBPyConnection, draft: Publication, errors: str) -> None:
    con.execute(f"CREATE OR REPLACE TEMP TABLE signature_errors AS {errors}").fetchall()
    con.execute(_TOTALS).fetchall()
    con.execute(_RETURNS).fetchall()
    for table in TABLES:
        draft.delete_renewed(con, table, ["signature"])
        draft.insert_staged(con, table, _COLUMNS[table], "signature")
