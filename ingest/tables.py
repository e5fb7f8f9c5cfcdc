"""The tables of the store by what they hold: records, the parts of records, what follows from them."""

from __future__ import annotations

import duckdb

from ingest import records as kinds

RECORD_TABLES = (
    "run_records", "spans", "events", "error_events", "recovery_events", "recovery_steps", "guardrail_events",
    "context_sets", "context_items", "context_ops", "diagnoses", "delegations", "waits", "task_owners",
    "handoffs", "replays", "reported_metrics", "catalogue_items",
)  # fmt: skip
# A child row lives and dies with the row of its parent's key.
CHILDREN = {"recovery_steps": "recovery_events", "context_items": "context_sets"}
KEYS = {kind.TABLE: kind.KEY for kind in kinds.KINDS}
# Columns that only the staging tables have: the unit a row came from, whether its run id was guessed there, and whether
# its id is that of the first record with this content, for `ingest.bulk.repeats` to count.
STAGING_ONLY = {"unit": "BIGINT", "guessed": "BOOLEAN", "counted": "BOOLEAN"}
# Every run has a run record; these records belong to none.
WITHOUT_RUN = ("catalogue_items",)
OF_RUNS = tuple(table for table in RECORD_TABLES if table not in WITHOUT_RUN)
# Bears the catalogue's own mark too, and says which rules there are.
DECLARED = "conformance_rules"
# Has a run and is neither a record nor derived from them.
_KEPT_ASIDE = ("forgotten_runs",)


def derived_tables(con: duckdb.DuckDBPyConnection, catalog: str = "memory") -> list[str]:
    """The tables that the derivation steps fill, a run at a time: whatever has a run and is no record."""
    rows = con.execute(
        "SELECT DISTINCT table_name FROM duckdb_columns() WHERE database_name = ? AND schema_name = 'main'"
        " AND column_name = 'run_id' AND NOT internal"
        # A view follows from the tables: nothing is written to it.
        " AND table_name NOT IN (SELECT view_name FROM duckdb_views() WHERE database_name = ?) ORDER BY table_name",
        [catalog, catalog],
    ).fetchall()
    return [name for (name,) in rows if name not in (*RECORD_TABLES, *_KEPT_ASIDE)]


def columns_of_all(con: duckdb.DuckDBPyConnection) -> dict[str, dict[str, str]]:
    """Of every table of the connection the columns with their types."""
    found: dict[str, dict[str, str]] = {}
    rows = con.execute(
        "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE database_name = 'memory'"
        " AND schema_name = 'main' AND NOT internal ORDER BY table_name, column_index"
    ).fetchall()
    for table, name, kind in rows:
        found.setdefault(table, {})[name] = kind
    return found


def bring(con: duckdb.DuckDBPyConnection, other: duckdb.DuckDBPyConnection, how: str, rows: str) -> None:
    """What the statement gives on the connection went into a table of another one, `how` being the head of the SQL."""
    other.register("brought", con.sql(rows).to_arrow_table())
    other.execute(f"{how} SELECT * FROM brought").fetchall()  # noqa: S608 - our own SQL
    other.unregister("brought")
