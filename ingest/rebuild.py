"""What was derived when records were loaded, derived once more from the records in the store.

A store remembers of each run which version of the derivation judged it. After an upgrade, or a change of the retry
budgets in faultlens.toml, runs loaded before still stand as they were judged then; this brings them up to date.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from ingest import merge
from ingest.derive.version import version
from ingest.staging import staged_in
from ingest.store.url import AnyStore

# Of the runs that stay as they were only this is written.
_STAMP = "UPDATE runs SET derived_by = $version WHERE derived_by IS DISTINCT FROM $version"


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """How many runs were derived again, and in how many of them the rows of each table changed."""

    version: str
    runs: int = 0
    changed: dict[str, int] = field(default_factory=dict)


def outdated(store: AnyStore) -> int:
    """How many runs were derived by another version than this one."""
    with store.lease() as lease:
        rows = lease.rows(
            "SELECT count(*) AS n FROM runs WHERE derived_by IS DISTINCT FROM $version", {"version": version()}
        )
    return int(rows[0]["n"])


def rebuild(store: AnyStore, *, force: bool = False) -> Rebuilt:
    """Every run that was derived by another version is derived by this one, or every run at all; published once."""
    current = version()
    if not force and not outdated(store):
        return Rebuilt(current)
    with (
        tempfile.TemporaryDirectory(prefix="faultlens-") as scratch,
        staged_in(Path(scratch)) as staging,
        store.publication(staging.con) as draft,
    ):
        changes = merge.derive_again(staging, draft, None if force else current)
        stamped = draft.cursor().execute(_STAMP, {"version": current}).fetchall()[0][0]
        if not (changes.tables.total() or changes.are_for_all or stamped):
            draft.discard()
    return Rebuilt(current, changes.runs, {table: runs for table, runs in sorted(changes.tables.items()) if runs})
