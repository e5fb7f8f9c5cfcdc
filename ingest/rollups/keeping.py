"""The roll-ups of a store, while its runs come, change and go."""

from __future__ import annotations

from collections.abc import Sequence

import duckdb

from ingest.rollups import signatures
from ingest.rollups.tallies import add, change, recount, tallies
from ingest.store.publish import Publication


def renew(con: duckdb.DuckDBPyConnection, draft: Publication, *, known: bool = True) -> None:
    """The roll-ups count the staged runs, in the place of what the store has of those in `replaced`.

    Called before the store's own rows are touched. `known`: the store has one of these runs.
    """
    con.execute("CREATE OR REPLACE TEMP TABLE chosen AS SELECT run_id FROM replaced").fetchall()
    for tally in tallies():
        if known:
            change(con, draft, tally, staged=True)
        else:
            add(con, draft, tally)
    signatures.renew(con, draft, known=known, staged=True)


def forget(con: duckdb.DuckDBPyConnection, draft: Publication, runs: Sequence[str]) -> None:
    """The roll-ups no longer count these runs; called before they are removed."""
    chosen = "CREATE OR REPLACE TEMP TABLE chosen AS SELECT unnest($runs) AS run_id"
    con.execute(chosen, {"runs": list(runs)}).fetchall()
    for tally in tallies():
        change(con, draft, tally, staged=False)
    signatures.renew(con, draft, known=True, staged=False)


def rebuild(con: duckdb.DuckDBPyConnection, draft: Publication) -> None:
    """The roll-ups follow from the records of the store, whatever they were."""
    con.execute(f"CREATE OR REPLACE TEMP TABLE chosen AS SELECT run_id FROM {draft.alias}.runs").fetchall()
    for tally in tallies():
        recount(con, draft, tally)
    signatures.rebuild(con, draft)
