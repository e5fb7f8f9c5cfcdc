"""Runs out of the store for good: their records, what was derived from them, and the bytes in the file.

A removed run stays out when its file is met again. What people wrote about it lies in their own store
and is kept; the caller says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import duckdb

from ingest import rollups
from ingest.merge import derived_tables
from ingest.staging import RECORD_TABLES
from ingest.store.catalog import memory_connection
from ingest.store.errors import FaultlensError
from ingest.store.url import AnyStore


class UnknownRun(FaultlensError):
    """A run that was named is not in the store."""


@dataclass
class Removal:
    """What was removed, or would be: runs, and rows by table."""

    runs: list[str]
    rows: dict[str, int] = field(default_factory=dict)
    reviews_kept: int = 0


def run_ids(store: AnyStore, names: Sequence[str]) -> list[str]:
    """The runs that are meant by run_id or native_id; one that does not exist is an error."""
    found: list[str] = []
    with store.lease() as lease:
        for name in names:
            rows = lease.rows("SELECT run_id FROM runs WHERE run_id = $name OR native_id = $name", {"name": name})
            if not rows:
                raise UnknownRun(f"there is no run '{name}' in this store; faultlens query runs lists them")
            found += [row["run_id"] for row in rows]
    return sorted(set(found))


def older_than(store: AnyStore, age: timedelta, now: datetime | None = None) -> list[str]:
    """The runs whose last known time lies before that age; a run without a time is never among them."""
    before = (now or datetime.now(UTC)) - age
    with store.lease() as lease:
        rows = lease.rows(
            "SELECT run_id FROM runs WHERE coalesce(ended_at, started_at) < $before ORDER BY run_id", {"before": before}
        )
    return [row["run_id"] for row in rows]


def preview(store: AnyStore, runs: list[str]) -> Removal:
    """What `remove` would remove."""
    removal = Removal(runs)
    with store.lease() as lease:
        for table in RECORD_TABLES:
            rows = lease.rows(
                f"SELECT count(*) AS n FROM {table} WHERE run_id IN (SELECT unnest($runs))", {"runs": runs}
            )
            removal.rows[table] = rows[0]["n"]
        kept = lease.rows("SELECT count(*) AS n FROM reviews WHERE run_id IN (SELECT unnest($runs))", {"runs": runs})
        removal.reviews_kept = kept[0]["n"]
    return removal


def remove(store: AnyStore, runs: list[str], reason: str) -> Removal:
    """The runs are gone, also from the bytes of the file; what was rejected in files that held only them goes too."""
    removal = preview(store, runs)
    if not runs:
        return removal
    with memory_connection() as con, store.publication(con) as draft:
        account = rollups.Account(con, draft)
        # While the records are there that say what the runs had added.
        account.note_gone(runs)
        _delete(draft.cursor(), draft.alias, runs, reason)
        account.settle()
        draft.rewrite()
    return removal


def _delete(con: duckdb.DuckDBPyConnection, store: str, runs: list[str], reason: str) -> None:
    chosen = "run_id IN (SELECT unnest($runs))"
    files = con.execute(
        f"SELECT DISTINCT file_id FROM {store}.run_records WHERE {chosen} EXCEPT"
        f" SELECT DISTINCT file_id FROM {store}.run_records WHERE NOT {chosen}",
        {"runs": runs},
    ).fetchall()
    for table in (*RECORD_TABLES, *derived_tables(con, store)):
        con.execute(f"DELETE FROM {store}.{table} WHERE {chosen}", {"runs": runs}).fetchall()
    con.execute(
        f"DELETE FROM {store}.rejections WHERE file_id IN (SELECT unnest($files))", {"files": [row[0] for row in files]}
    ).fetchall()
    con.execute(
        f"INSERT INTO {store}.forgotten_runs SELECT run_id, $reason, now() FROM (SELECT unnest($runs) AS run_id)",
        {"runs": runs, "reason": reason},
    ).fetchall()
