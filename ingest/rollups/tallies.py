"""The tallies there are, found by discovery, and how runs change them.

A tally's rows are sums for keys. Where all of it is sums, what a run had added is taken away again. A tally that also
keeps the latest of times is counted anew for the cells (day, workload, source) that a run leaves or stays in, from the
runs that are in them then.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import duckdb

from ingest.rollups.writing import has_rows, noted, put, put_differing
from ingest.store.publish import Publication, has_key_of

CELL = ("day", "workload", "source")
# The cells that runs have left.
LEFT = "noted_cells"
_HEAD = re.compile(r"^-- (keys|sums|latest): (.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Tally:
    """A table of sums for keys; `latest` is a time of which the newest stands."""

    table: str
    keys: tuple[str, ...]
    sums: tuple[str, ...]
    latest: tuple[str, ...]
    sql: str

    @property
    def noted(self) -> str:
        """The temporary table with what runs take from it and bring to it."""
        return f"noted_{self.table}"

    @property
    def columns(self) -> str:
        """Every column, as a statement names them."""
        return ", ".join((*self.keys, *self.sums, *self.latest))

    def of(self, runs: str, records: str = "") -> str:
        """What these runs add, by the records of that catalog or of the connection's own tables."""
        statement = self.sql.replace("records.", f"{records}." if records else "")
        statement = statement.replace("FROM chosen", f"FROM {runs}")
        return f"SELECT {self.columns} FROM ({statement}) AS added"

    def taken_away(self, runs: str, records: str) -> str:
        """What these runs have added, negative."""
        less = [f"-{name} AS {name}" for name in self.sums]
        return f"SELECT {', '.join([*self.keys, *less])} FROM ({self.of(runs, records)}) AS gone"

    def added_up(self, *relations: str) -> str:
        """One row a key, without those of which nothing is left."""
        keys = ", ".join(self.keys)
        sums = [f"CAST(sum({name}) AS BIGINT) AS {name}" for name in self.sums]
        latest = [f"max({name}) AS {name}" for name in self.latest]
        left = " OR ".join(f"sum({name}) <> 0" for name in self.sums)
        parts = " UNION ALL ".join(relations)
        return f"SELECT {', '.join([keys, *sums, *latest])} FROM ({parts}) AS parts GROUP BY {keys} HAVING {left}"


@cache
def tallies() -> tuple[Tally, ...]:
    """Every tally there is, by table."""
    entries = [entry for entry in files("ingest.rollups").iterdir() if entry.name.endswith(".sql")]
    found = [_declared(entry.name.removesuffix(".sql"), entry.read_text(encoding="utf-8")) for entry in entries]
    return tuple(sorted(found, key=lambda tally: tally.table))


def _declared(table: str, text: str) -> Tally:
    head = {name: tuple(part.strip() for part in names.split(",")) for name, names in _HEAD.findall(text)}
    return Tally(table, head["keys"], head["sums"], head.get("latest", ()), text)


def note(
    con: duckdb.DuckDBPyConnection, store: str, tally: Tally, *, is_first: bool, known: bool, staged: bool
) -> None:
    """Noted is what the staged runs add, if any, and what the `chosen` ones have added, if the store has one."""
    changes = [tally.of("chosen")] if staged else []
    if tally.latest:
        left = f"{_CELLS.format(store=store)} WHERE {_IS_CHOSEN if known else 'false'}"
        noted(con, LEFT, f"SELECT {', '.join(CELL)} FROM ({left}) AS cells", is_first=is_first)
    elif known:
        changes.append(tally.taken_away("chosen", store))
    nothing = f"SELECT * FROM ({tally.of('chosen', store)}) AS gone WHERE false"
    noted(con, tally.noted, " UNION ALL ".join(changes) or nothing, is_first=is_first)


def settle(con: duckdb.DuckDBPyConnection, draft: Publication, tally: Tally) -> None:
    """The store's table counts the runs as they are now."""
    within, changes = draft.within(con), f"SELECT {tally.columns} FROM {tally.noted}"
    if tally.latest:
        draft.bring(con, "cells_left", f"SELECT DISTINCT {', '.join(CELL)} FROM {LEFT}")
        _recount_cells(within, draft, tally)
        # What came to such a cell is counted there already.
        changes += f" WHERE NOT {has_key_of(LEFT, tally.noted, CELL)}"
    draft.bring(con, "renewed", tally.added_up(changes))
    if has_rows(within, "renewed"):
        is_renewed = has_key_of("renewed", "kept", tally.keys)
        kept = f"SELECT {tally.columns} FROM {draft.alias}.{tally.table} AS kept WHERE {is_renewed}"
        now = tally.added_up(kept, f"SELECT {tally.columns} FROM renewed")
        put(within, draft, tally.table, tally.columns, now, keys=tally.keys, of="renewed")


def recount(con: duckdb.DuckDBPyConnection, draft: Publication, tally: Tally) -> bool:
    """The store's table counts the runs of the store and nothing else; whether it did not before."""
    counted = tally.of(f"{draft.alias}.runs", draft.alias)
    return put_differing(draft.within(con), draft, tally.table, tally.columns, counted, keys=tally.keys)


_IS_CHOSEN = "run_id IN (SELECT run_id FROM chosen)"
_CELLS = """
SELECT CAST(started_at AS DATE) AS day, coalesce(workload, 'default') AS workload, source, run_id FROM {store}.runs
"""


def _recount_cells(within: duckdb.DuckDBPyConnection, draft: Publication, tally: Tally) -> None:
    """The store's table counts the runs that are in `cells_left` now."""
    if not has_rows(within, "cells_left"):
        return
    there = f"SELECT run_id FROM ({_CELLS.format(store=draft.alias)}) AS cells"
    within.execute(
        f"CREATE OR REPLACE TEMP TABLE staying AS {there} WHERE {has_key_of('cells_left', 'cells', CELL)}"
    ).fetchall()
    now = tally.of("staying", draft.alias)
    put(within, draft, tally.table, tally.columns, now, keys=CELL, of="cells_left")
