"""The tallies there are, found by discovery, and how runs change them.

A tally's rows are sums for keys. Where all of it is sums, what a run had added is taken away again. A tally that also
keeps the latest of times is counted anew for the cells (day, workload, source) that a run leaves, from the runs that
stay in them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import duckdb

from ingest.store.publish import Publication, has_key_of

CELL = ("day", "workload", "source")
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


def add(con: duckdb.DuckDBPyConnection, draft: Publication, tally: Tally) -> None:
    """The store's table counts the staged runs too, of which the store has none yet."""
    con.execute(f"CREATE OR REPLACE TEMP TABLE renewed AS {tally.of('chosen')}").fetchall()
    kept = _stored(draft, tally, tally.keys)
    _put(con, draft, tally, tally.keys, tally.added_up(kept, f"SELECT {tally.columns} FROM renewed"))


def change(con: duckdb.DuckDBPyConnection, draft: Publication, tally: Tally, *, staged: bool) -> None:
    """The store's table counts the staged runs, if any, instead of what the store has of the `chosen` ones."""
    added = [tally.of("chosen")] if staged else []
    if tally.latest:
        _touch_cells(con, draft, staged=staged)
        _put(con, draft, tally, CELL, tally.added_up(tally.of("staying", draft.alias), *added))
        return
    gone = tally.taken_away("chosen", draft.alias)
    con.execute(f"CREATE OR REPLACE TEMP TABLE renewed AS {' UNION ALL '.join([gone, *added])}").fetchall()
    kept = _stored(draft, tally, tally.keys)
    _put(con, draft, tally, tally.keys, tally.added_up(kept, f"SELECT {tally.columns} FROM renewed"))


def recount(con: duckdb.DuckDBPyConnection, draft: Publication, tally: Tally) -> None:
    """The store's table counts the `chosen` runs of the store and nothing else."""
    keys = ", ".join(tally.keys)
    con.execute(f"CREATE OR REPLACE TEMP TABLE renewed AS SELECT {keys} FROM {draft.alias}.{tally.table}").fetchall()
    _put(con, draft, tally, tally.keys, tally.of("chosen", draft.alias))


def _stored(draft: Publication, tally: Tally, keys: tuple[str, ...]) -> str:
    """The rows of the store's table that are renewed."""
    table = tally.table
    return f"SELECT {tally.columns} FROM {draft.alias}.{table} AS {table} WHERE {has_key_of('renewed', table, keys)}"


def _put(
    con: duckdb.DuckDBPyConnection, draft: Publication, tally: Tally, keys: tuple[str, ...], statement: str
) -> None:
    """The statement's rows are in the store's table, in the place of those that are renewed."""
    con.execute(f"CREATE OR REPLACE TEMP TABLE {tally.table} AS {statement}").fetchall()
    draft.delete_renewed(con, tally.table, keys)
    draft.insert_staged(con, tally.table, tally.columns, ", ".join(tally.keys))


_CELLS = """
SELECT CAST(started_at AS DATE) AS day, coalesce(workload, 'default') AS workload, source, run_id FROM {records}runs
"""


def _touch_cells(con: duckdb.DuckDBPyConnection, draft: Publication, *, staged: bool) -> None:
    """`renewed` are the cells that the chosen runs leave or enter, `staying` the other runs in them."""
    stored = _CELLS.format(records=f"{draft.alias}.")
    both = f"{stored} UNION ALL {_CELLS.format(records='')}" if staged else stored
    con.execute(
        f"CREATE OR REPLACE TEMP TABLE renewed AS SELECT DISTINCT {', '.join(CELL)} FROM ({both}) AS cells"
        " WHERE run_id IN (SELECT run_id FROM chosen)"
    ).fetchall()
    con.execute(
        f"CREATE OR REPLACE TEMP TABLE staying AS SELECT run_id FROM ({stored}) AS cells"
        f" WHERE run_id NOT IN (SELECT run_id FROM chosen) AND {has_key_of('renewed', 'cells', CELL)}"
    ).fetchall()
