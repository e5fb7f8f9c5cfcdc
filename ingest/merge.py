"""Staged records into the store: identity, duplicates, derivation, and the affected runs replaced as wholes.

A run is always derived from all of its records, the stored ones included; so a run that came in three
pieces is the same as one that came at once, whatever the order.
"""

from __future__ import annotations

from collections.abc import Sequence

import duckdb
import pyarrow as pa

from ingest.derive import steps
from ingest.mutations import mark_changed
from ingest.records import CATALOGUE
from ingest.staging import CHILDREN, KEYS, RECORD_TABLES, Staging, insert

# Has a run and is neither a record nor derived from them.
KEPT_ASIDE = ("forgotten_runs",)
# Every run has a run record; these records belong to none.
WITHOUT_RUN_RECORD = ("catalogue_items",)
_PATHS = pa.schema([("file_id", pa.string()), ("path", pa.string())])
# A run, span or wait with an end replaces its unfinished version; the reverse is a duplicate.
_FINISHED_FIRST = {
    "run_records": "(coalesce(status, 'running') = 'running'), ",
    "spans": "(ended_at IS NULL AND coalesce(status, 'open') NOT IN ('ok', 'error', 'not_reached')), ",
    "waits": "(until IS NULL), ",
}

# Of several versions that came at once, the order of the lines must not decide.
_NEWEST_FIRST = "unit IS DISTINCT FROM 0, recorded_seq DESC NULLS LAST, ended_at DESC NULLS LAST, started_at, "


def prepare(staging: Staging, store: str, outgrown: Sequence[str] = ()) -> None:
    """The staging tables hold every record of every affected run once; `unit` 0 marks what the store had.

    `outgrown` are the shorter versions of files that have grown: every record of theirs is read again.
    """
    con = staging.con
    _locate_files(staging, store)
    _absorb_unidentified(con, store)
    _affect_runs_of(con, store, outgrown)
    _fetch_affected(staging, store)
    _drop_outgrown(con, outgrown)
    _drop_superseded_identities(con)
    _drop_implied(con)
    _drop_forgotten(con, store)
    mark_changed(con, store)
    for table in KEYS:
        _keep_one(con, table)
    for child, parent in CHILDREN.items():
        _keep_children(con, child, parent)


def as_identified(staging: Staging, runs: set[str]) -> set[str]:
    """The runs under the ids that they have in the store."""
    renamed = dict(staging.con.execute("SELECT old_id, new_id FROM renamed").fetchall())
    return {renamed.get(run, run) for run in runs}


def replace(staging: Staging, store: str) -> None:
    """The affected runs in the store are the staged ones."""
    con = staging.con
    steps.run(con)
    known = _holds_affected(con, store)
    # One commit instead of one a statement. After a failure the draft is thrown away as a whole.
    con.begin()
    for table in (*RECORD_TABLES, *derived_tables(con)):
        if known or table in WITHOUT_RUN_RECORD:
            con.execute(f"DELETE FROM {store}.{table} WHERE run_id IN (SELECT run_id FROM replaced)").fetchall()
        if con.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchall():
            columns = ", ".join(staging.columns(table) if table in RECORD_TABLES else _columns(con, table))
            con.execute(
                f"INSERT INTO {store}.{table} ({columns}) SELECT {columns} FROM {table} ORDER BY {_order(table)}"
            ).fetchall()
    con.commit()


def _holds_affected(con: duckdb.DuckDBPyConnection, store: str) -> bool:
    """The store has one of the affected runs; where all are new, which is the common case, much can be left undone."""
    found = con.execute(
        f"SELECT 1 FROM {store}.run_records WHERE run_id IN (SELECT run_id FROM replaced) LIMIT 1"
    ).fetchall()
    return bool(found)


def has_news(staging: Staging) -> bool:
    """Something staged is not yet in the store."""
    tables = [table for table in RECORD_TABLES if table != "run_records"]
    union = " UNION ALL ".join(f"SELECT unit FROM {table}" for table in tables)
    rows = staging.con.execute(
        f"SELECT (SELECT count(*) FROM ({union}) WHERE unit IS DISTINCT FROM 0)"
        " + (SELECT count(*) FROM run_records WHERE unit IS DISTINCT FROM 0)"
        " + (SELECT count(*) FROM mutated)"
    ).fetchall()
    return bool(rows[0][0])


def derived_tables(con: duckdb.DuckDBPyConnection, catalog: str = "memory") -> list[str]:
    """The tables that the derivation steps fill, a run at a time: whatever has a run and is no record."""
    rows = con.execute(
        "SELECT DISTINCT table_name FROM duckdb_columns() WHERE database_name = ? AND schema_name = 'main'"
        " AND column_name = 'run_id' AND NOT internal"
        # A view follows from the tables: nothing is written to it.
        " AND table_name NOT IN (SELECT view_name FROM duckdb_views() WHERE database_name = ?) ORDER BY table_name",
        [catalog, catalog],
    ).fetchall()
    return [name for (name,) in rows if name not in (*RECORD_TABLES, *KEPT_ASIDE)]


def _columns(con: duckdb.DuckDBPyConnection, table: str) -> list[str]:
    return [row[0] for row in con.execute(f"DESCRIBE {table}").fetchall()]


def _order(table: str) -> str:
    if table not in RECORD_TABLES:
        return "run_id"
    if table in CHILDREN:
        return "run_id, event_id"
    return f"run_id, seq, {KEYS[table][1]}"


def _locate_files(staging: Staging, store: str) -> None:
    """`file_paths`: where every file lies. The versions of a growing file share a path, and the count of positions."""
    con = staging.con
    con.execute(f"CREATE OR REPLACE TABLE file_paths AS SELECT file_id, path FROM {store}.source_files").fetchall()
    new = pa.table({"file_id": list(staging.paths), "path": list(staging.paths.values())}, _PATHS)
    con.execute("DELETE FROM file_paths WHERE list_contains(?, file_id)", [list(staging.paths)]).fetchall()
    insert(con, "file_paths", new)


def _absorb_unidentified(con: duckdb.DuckDBPyConnection, store: str) -> None:
    """A run exported without its id is the run with the same events that has one, in either order of loading."""
    con.execute(
        f"""
        CREATE OR REPLACE TEMP TABLE renamed AS
        WITH candidates AS (
            SELECT run_id, identity, event_digest, 1 AS here FROM run_records WHERE event_digest IS NOT NULL
            UNION ALL
            SELECT run_id, identity, event_digest, 0 FROM {store}.run_records WHERE event_digest IS NOT NULL
        ),
        identified AS (
            SELECT event_digest, min(run_id) AS run_id FROM candidates WHERE identity = 'recorded' GROUP BY event_digest
        )
        SELECT DISTINCT candidates.run_id AS old_id, identified.run_id AS new_id
        FROM candidates JOIN identified USING (event_digest)
        WHERE candidates.identity = 'derived'
          AND event_digest IN (SELECT event_digest FROM run_records)
        """
    ).fetchall()
    con.execute(
        f"""
        CREATE OR REPLACE TEMP TABLE replaced AS
        SELECT DISTINCT run_id FROM run_records
        UNION SELECT old_id FROM renamed WHERE old_id IN (SELECT run_id FROM {store}.run_records)
        UNION SELECT new_id FROM renamed
        UNION SELECT '{CATALOGUE}'
        -- What a catalogue says is current changes the steps that consumed something.
        UNION SELECT run_id FROM {store}.context_sets
              WHERE set_name = 'consumed' AND EXISTS (SELECT 1 FROM catalogue_items)
        """
    ).fetchall()


def _affect_runs_of(con: duckdb.DuckDBPyConnection, store: str, outgrown: Sequence[str]) -> None:
    for table in KEYS if outgrown else ():
        con.execute(
            f"INSERT INTO replaced SELECT run_id FROM {store}.{table} WHERE list_contains(?, file_id)"
            " EXCEPT SELECT run_id FROM replaced",
            [list(outgrown)],
        ).fetchall()


def _drop_outgrown(con: duckdb.DuckDBPyConnection, outgrown: Sequence[str]) -> None:
    """What only the shorter version of a file said, because it was cut there, is gone: the longer one says it whole."""
    for table, (_, key) in KEYS.items() if outgrown else ():
        con.execute(
            f"""
            DELETE FROM {table} WHERE unit = 0 AND list_contains(?, file_id) AND NOT EXISTS (
                SELECT 1 FROM {table} again
                WHERE again.run_id = {table}.run_id AND again.{key} = {table}.{key} AND again.unit IS DISTINCT FROM 0
                  AND (coalesce(list_contains(again.flags, 'incomplete'), false)
                       OR NOT coalesce(list_contains({table}.flags, 'incomplete'), false)))
            """,
            [list(outgrown)],
        ).fetchall()


def _fetch_affected(staging: Staging, store: str) -> None:
    con = staging.con
    known = _holds_affected(con, store)
    for table in RECORD_TABLES if known else WITHOUT_RUN_RECORD:
        columns = ", ".join(staging.columns(table))
        con.execute(
            f"INSERT INTO {table} ({columns}, unit) SELECT {columns}, 0 FROM {store}.{table}"
            " WHERE run_id IN (SELECT run_id FROM replaced)"
        ).fetchall()
    if con.execute("SELECT count(*) FROM renamed").fetchall()[0][0]:
        for table in RECORD_TABLES:
            con.execute(
                f"UPDATE {table} SET run_id = new_id, guessed = true FROM renamed WHERE {table}.run_id = renamed.old_id"
            ).fetchall()


def _drop_superseded_identities(con: duckdb.DuckDBPyConnection) -> None:
    """A run record that had to guess the id says nothing once the run has one."""
    con.execute(
        """
        DELETE FROM run_records WHERE identity = 'derived'
          AND run_id IN (SELECT run_id FROM run_records WHERE identity = 'recorded' AND event_id <> 'implied')
          AND run_id IN (SELECT new_id FROM renamed)
        """
    ).fetchall()


def _drop_implied(con: duckdb.DuckDBPyConnection) -> None:
    """That a file tells of a run says nothing more once the run has a record; what it adds stays."""
    con.execute(
        """
        DELETE FROM run_records WHERE event_id = 'implied' AND workload IS NULL
          AND run_id IN (SELECT run_id FROM run_records WHERE event_id <> 'implied')
        """
    ).fetchall()


def _drop_forgotten(con: duckdb.DuckDBPyConnection, store: str) -> None:
    """Runs that somebody removed stay out; which units that concerns is kept for the count."""
    con.execute(
        f"CREATE OR REPLACE TEMP TABLE forgotten AS SELECT DISTINCT run_id FROM {store}.forgotten_runs"
        " WHERE run_id IN (SELECT run_id FROM run_records)"
    ).fetchall()
    units = " UNION ".join(
        f"SELECT unit FROM {table} WHERE run_id IN (SELECT run_id FROM forgotten)" for table in RECORD_TABLES
    )
    con.execute(f"CREATE OR REPLACE TEMP TABLE forgotten_units AS SELECT unit FROM ({units}) WHERE unit > 0").fetchall()
    if con.execute("SELECT count(*) FROM forgotten").fetchall()[0][0]:
        for table in RECORD_TABLES:
            con.execute(f"DELETE FROM {table} WHERE run_id IN (SELECT run_id FROM forgotten)").fetchall()


def _keep_one(con: duckdb.DuckDBPyConnection, table: str) -> None:
    """One row a key: the finished one, else the one that knew its run, else the one the store had, else the first."""
    key = ", ".join(KEYS[table])
    finished = _FINISHED_FIRST.get(table, "")
    newest = _NEWEST_FIRST if table == "spans" else ""
    con.execute(
        f"""
        DELETE FROM {table} WHERE rowid NOT IN (
            SELECT rowid FROM {table} QUALIFY row_number() OVER (
                PARTITION BY {key} ORDER BY {finished}guessed NULLS FIRST, {newest}unit NULLS LAST, rowid
            ) = 1)
        """
    ).fetchall()


def _keep_children(con: duckdb.DuckDBPyConnection, child: str, parent: str) -> None:
    con.execute(
        f"""
        DELETE FROM {child} WHERE NOT EXISTS (
            SELECT 1 FROM {parent} p
            WHERE p.run_id = {child}.run_id AND p.event_id = {child}.event_id AND p.unit = {child}.unit)
        """
    ).fetchall()
