"""Of several versions of a record one stays. Where no key is there twice, as most often, only that is looked at."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import duckdb

from ingest.tables import CHILDREN, KEYS

# A run, span or wait with an end replaces its unfinished version; the reverse is a duplicate.
_FINISHED_FIRST = {
    "run_records": "(coalesce(status, 'running') = 'running'), ",
    "spans": "(ended_at IS NULL AND coalesce(status, 'open') NOT IN ('ok', 'error', 'not_reached')), ",
    "waits": "(until IS NULL), ",
}
# Of several versions that came at once, the order of the lines must not decide.
_NEWEST_FIRST = "unit IS DISTINCT FROM 0, recorded_seq DESC NULLS LAST, ended_at DESC NULLS LAST, started_at, "


def drop_doubled(con: duckdb.DuckDBPyConnection, tables: Collection[str]) -> set[str]:
    """One row a key; the tables that lost rows."""
    doubled = _with_doubled_keys(con, [table for table in tables if table in KEYS])
    for table in doubled:
        _keep_one(con, table)
    return doubled


def drop_orphans(con: duckdb.DuckDBPyConnection, shortened: Iterable[str]) -> None:
    """The rows of steps and items whose record is gone are gone too."""
    for child, parent in CHILDREN.items():
        if parent in shortened:
            _keep_children(con, child, parent)


def _with_doubled_keys(con: duckdb.DuckDBPyConnection, tables: Collection[str]) -> set[str]:
    # Equal digests of different keys only cost a second look.
    arms = [
        f"SELECT '{table}' FROM {table} HAVING count(*) > count(DISTINCT hash({', '.join(KEYS[table])}))"
        for table in tables
    ]
    return {table for (table,) in con.execute(" UNION ALL ".join(arms)).fetchall()} if arms else set()


def _keep_one(con: duckdb.DuckDBPyConnection, table: str) -> None:
    """One row a key: the finished one, else the one that knew its run, else the one the store had, else the first."""
    key = ", ".join(KEYS[table])
    finished = _FINISHED_FIRST.get(table, "")
    newest = _NEWEST_FIRST if table == "spans" else ""
    con.execute(
        f"""
        DELETE FROM {table} WHERE rowid IN (
            SELECT row FROM (
                SELECT rowid AS row, row_number() OVER (
                    PARTITION BY {key} ORDER BY {finished}guessed NULLS FIRST, {newest}unit NULLS LAST, rowid) AS number
                FROM {table}
                WHERE hash({key}) IN (SELECT hash({key}) FROM {table} GROUP BY 1 HAVING count(*) > 1)
            ) WHERE number > 1)
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
