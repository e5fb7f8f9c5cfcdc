"""What a load derives, for stores that a test writes row by row."""

from __future__ import annotations

from importlib.resources import files

import duckdb

from ingest import rollups
from ingest.store.publish import Publication

# Those that look at derived tables and records alone, and so can follow rows that nobody staged.
_STEPS = (
    "70_runs_in_no_rate", "75_recovery_attempts", "80_origin_facts", "85_hints", "86_retry_facts", "87_breakers",
    "88_effects",
)  # fmt: skip


def settle(con: duckdb.DuckDBPyConnection, draft: Publication) -> None:
    """Everything that follows from the rows of the draft is in it."""
    cursor = draft.cursor()
    folder = files("ingest.derive") / "steps"
    for name in _STEPS:
        cursor.execute((folder / f"{name}.sql").read_text(encoding="utf-8")).fetchall()
    rollups.rebuild(con, draft)
