"""Rows of a roll-up in the place of others, over the connection that sees what the publication has written so far."""

from __future__ import annotations

from collections.abc import Sequence

import duckdb

from ingest.store.publish import Publication, has_key_of


def noted(con: duckdb.DuckDBPyConnection, table: str, statement: str, *, is_first: bool) -> None:
    """The temporary table has the statement's rows, besides those that it had unless these are the first."""
    how = f"CREATE OR REPLACE TEMP TABLE {table} AS" if is_first else f"INSERT INTO {table}"
    con.execute(f"{how} {statement}").fetchall()


def has_rows(within: duckdb.DuckDBPyConnection, table: str) -> bool:
    """There is a row in it."""
    return bool(within.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchall())


def put(
    within: duckdb.DuckDBPyConnection, draft: Publication, table: str, columns: str, statement: str,
    *, keys: Sequence[str], of: str,
) -> None:  # fmt: skip
    """The statement's rows are in the store's table, in the place of those with a key of that other relation."""
    within.execute(f"CREATE OR REPLACE TEMP TABLE settled AS {statement}").fetchall()
    within.execute(f"DELETE FROM {draft.alias}.{table} WHERE {has_key_of(of, table, keys)}").fetchall()
    within.execute(
        f"INSERT INTO {draft.alias}.{table} ({columns}) SELECT {columns} FROM settled ORDER BY {', '.join(keys)}"
    ).fetchall()


def put_differing(
    within: duckdb.DuckDBPyConnection, draft: Publication, table: str, columns: str, statement: str,
    *, keys: Sequence[str],
) -> bool:  # fmt: skip
    """The store's table has the statement's rows and no other; whether one had to be written or removed."""
    within.execute(f"CREATE OR REPLACE TEMP TABLE counted AS SELECT {columns} FROM ({statement}) AS told").fetchall()
    now, before = f"SELECT {columns} FROM counted", f"SELECT {columns} FROM {draft.alias}.{table}"
    differing = f"({now} EXCEPT ALL {before}) UNION ALL ({before} EXCEPT ALL {now})"
    renewed = f"SELECT DISTINCT {', '.join(keys)} FROM ({differing}) AS differing"
    within.execute(f"CREATE OR REPLACE TEMP TABLE renewed AS {renewed}").fetchall()
    if not has_rows(within, "renewed"):
        return False
    whole = f"{now} WHERE {has_key_of('renewed', 'counted', keys)}"
    put(within, draft, table, columns, whole, keys=keys, of="renewed")
    return True
