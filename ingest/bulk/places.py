"""Signatures in SQL, equal to those of `ingest.derive.signature`.

A location is normalised by that module itself, but once for all lines of a place: what stands behind the last colon is
taken off first, which it would do as well.
"""

from __future__ import annotations

import duckdb
import pyarrow as pa

from ingest.bulk.json_columns import one_of
from ingest.derive.signature import CODE, EXECUTE_PHASES, normalised_location

PLACES = "bulk_places"
_MOST = 200_000
_SCHEMA = pa.schema([("spot", pa.string()), ("place", pa.string())])
# SQL over the columns of an error.
SPOT = r"regexp_replace(location, '([A-Za-z0-9_)]):[0-9]{1,9}$', '\1')"
_PHASE = "upper(phase)"
STAGE = (
    f"CASE WHEN coalesce({_PHASE} NOT IN {one_of(sorted(EXECUTE_PHASES))}, true) THEN nullif({_PHASE}, '')"
    " WHEN step_index IS NULL THEN 'EXECUTE' ELSE 'EXECUTE/' || step_index END"
)
_CODE = f"CASE WHEN error_code <> '' THEN error_code WHEN regexp_full_match(type, '{CODE.pattern}') THEN type END"


def normalise(con: duckdb.DuckDBPyConnection, locations: str) -> None:
    """`PLACES` has the place of every `location` of the relation."""
    con.execute(f"CREATE TEMP TABLE IF NOT EXISTS {PLACES} (spot VARCHAR, place VARCHAR)").fetchall()
    if con.execute(f"SELECT count(*) > {_MOST} FROM {PLACES}").fetchall()[0][0]:
        con.execute(f"DELETE FROM {PLACES}").fetchall()
    new = con.execute(
        f"SELECT DISTINCT {SPOT} AS spot FROM ({locations})"
        f" WHERE location <> '' AND spot NOT IN (SELECT spot FROM {PLACES})"
    ).fetchall()
    if new:
        spots = [spot for (spot,) in new]
        con.register("bulk_spots", pa.table({"spot": spots, "place": list(map(normalised_location, spots))}, _SCHEMA))
        con.execute(f"INSERT INTO {PLACES} SELECT * FROM bulk_spots").fetchall()
        con.unregister("bulk_spots")


def signed(errors: str) -> str:
    """SQL: the errors with `own_signature` and `own_partial`: as recorded, else from the parts."""
    parts = "coalesce(stage, '') || chr(31) || code || chr(31) || coalesce(place, '') || chr(31) || coalesce(state, '')"
    others = "(stage IS NOT NULL)::INTEGER + (place IS NOT NULL)::INTEGER + (state IS NOT NULL)::INTEGER"
    enough = f"code IS NOT NULL AND {others} > 0"
    return f"""
        SELECT *,
               CASE WHEN signature IS NOT NULL THEN signature
                    WHEN {enough} THEN left(sha256({parts}), 16) END AS own_signature,
               CASE WHEN signature IS NOT NULL THEN signature_partial WHEN {enough} THEN {others} < 3 END AS own_partial
        FROM (SELECT errors.*, nullif({PLACES}.place, '') AS place, {STAGE} AS stage, nullif({_CODE}, '') AS code,
                     nullif(state_hash, '') AS state
              FROM ({errors}) AS errors LEFT JOIN {PLACES} ON {SPOT} = spot)
    """
