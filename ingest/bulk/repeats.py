"""Three identical records of a file are three: the second and third get ids of their own, in file order."""

from __future__ import annotations

import duckdb

from ingest.identity import DIGITS, FIELD
from ingest.staging import CHILDREN, KEYS

# Where rows name a record of the same unit: its parts, and the diagnosis beside a failure.
_NAMED_IN = {parent: (child, "event_id") for child, parent in CHILDREN.items()}
_NAMED_IN["error_events"] = ("diagnoses", "for_event")
_NTH = f"left(sha256(first_id || chr({ord(FIELD)}) || number), {DIGITS})"


def number_repeats(con: duckdb.DuckDBPyConnection, first_unit: int, last_unit: int) -> None:
    """Of the staged records in these units whose id follows from their content, no two have the same."""
    for table, (_, key) in KEYS.items():
        if key != "span_id":
            _number(con, table, key, f"unit BETWEEN {first_unit} AND {last_unit} AND counted")


def _number(con: duckdb.DuckDBPyConnection, table: str, key: str, among: str) -> None:
    con.execute(
        f"""
        CREATE OR REPLACE TEMP TABLE repeats AS
        WITH again AS (SELECT {key} AS first_id FROM {table} WHERE {among} GROUP BY {key} HAVING count(*) > 1),
        numbered AS (
            SELECT {table}.rowid AS row, unit, first_id,
                   row_number() OVER (PARTITION BY first_id ORDER BY position, {table}.rowid) AS number
            FROM {table} JOIN again ON {key} = first_id WHERE {among}
        )
        SELECT row, unit, first_id, {_NTH} AS id FROM numbered WHERE number > 1
        """
    ).fetchall()
    if not con.execute("SELECT 1 FROM repeats LIMIT 1").fetchall():
        return
    con.execute(f"UPDATE {table} SET {key} = id FROM repeats WHERE {table}.rowid = row").fetchall()
    if table in _NAMED_IN:
        other, column = _NAMED_IN[table]
        con.execute(
            f"UPDATE {other} SET {column} = id FROM repeats WHERE {other}.unit = repeats.unit AND {column} = first_id"
        ).fetchall()
