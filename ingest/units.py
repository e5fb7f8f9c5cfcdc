"""What became of the units of an ingest, counted over all its portions: stored, known before, or of a forgotten run."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import duckdb

from ingest.source_stage import SourceStage
from ingest.tables import CHILDREN, bring


@dataclass(frozen=True, slots=True)
class Outcome:
    """How many units of a source have a row in the store now, and how many only had rows of forgotten runs."""

    stored: int = 0
    forgotten: int = 0


def begin(con: duckdb.DuckDBPyConnection) -> None:
    """No unit is noted yet."""
    con.execute("CREATE OR REPLACE TEMP TABLE seen_units (unit BIGINT, is_forgotten BOOLEAN)").fetchall()


def note(con: duckdb.DuckDBPyConnection, tables: Collection[str], *, among: str = "true", is_forgotten: bool) -> None:
    """The units that have rows in these tables are noted; 0 marks what the store had before."""
    # The rows of steps and items live and die with their record's.
    own = [table for table in tables if table not in CHILDREN]
    arms = " UNION ALL ".join(f"SELECT unit FROM {table} WHERE unit > 0 AND {among}" for table in own)
    if arms:
        con.execute(f"INSERT INTO seen_units SELECT DISTINCT unit, {is_forgotten} FROM ({arms})").fetchall()


def take_over(con: duckdb.DuckDBPyConnection, other: duckdb.DuckDBPyConnection) -> None:
    """What the other connection noted is noted here."""
    bring(other, con, "INSERT INTO seen_units", "SELECT * FROM seen_units")


def outcomes(con: duckdb.DuckDBPyConnection, stages: Collection[SourceStage]) -> Mapping[int, Outcome]:
    """What became of the sources, by their first unit. A unit with a row of another run is stored all the same."""
    counted = [stage for stage in stages if stage.units]
    if not counted:
        return {}
    rows = con.execute(
        """
        WITH units AS (SELECT unit, bool_and(is_forgotten) AS is_forgotten FROM seen_units GROUP BY unit),
        sources AS (SELECT unnest($firsts) AS first)
        SELECT first, count(*) FILTER (NOT is_forgotten), count(*) FILTER (is_forgotten)
        FROM units ASOF JOIN sources ON unit >= first GROUP BY first
        """,
        {"firsts": [stage.first_unit for stage in counted]},
    ).fetchall()
    return {first: Outcome(stored, forgotten) for first, stored, forgotten in rows}
