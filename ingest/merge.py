"""Staged records into the store: duplicates, derivation, and the affected runs replaced as wholes.

A run is always derived from all of its records, the stored ones included; so a run that came in three
pieces is the same as one that came at once, whatever the order. A run that turns out to be as it was is left alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from ingest import affected, rollups, units, voided
from ingest.affected import Affected, Portion
from ingest.derive import findings, steps
from ingest.derive.conditions import filled
from ingest.duplicates import drop_doubled, drop_orphans
from ingest.merge_hands import Hand, in_order
from ingest.mutations import mark_changed
from ingest.records import CATALOGUE
from ingest.staging import HANDS, Staging
from ingest.store.publish import Publication
from ingest.tables import DECLARED, KEYS, OF_RUNS, RECORD_TABLES, WITHOUT_RUN, derived_tables

__all__ = ["Changes", "as_identified", "derive_again", "derived_tables", "merge", "prepare", "replace"]

_CATALOGUE_ITEMS = "catalogue_items"
# Not what follows from records: which version derived it, and in which store it lies.
_BESIDE = ("derived_by",)
# So many rows are looked at together to tell whether they come in the order of their runs.
_A_STRETCH = 20_480


@dataclass
class Changes:
    """How many runs were looked at, in how many the rows of a table changed, and whether something beside them did."""

    runs: int = 0
    tables: Counter[str] = field(default_factory=Counter)
    are_for_all: bool = False


def merge(staging: Staging, draft: Publication, outgrown: Sequence[str] = ()) -> None:
    """The store has what is staged; `units.outcomes` can tell what became of it.

    `outgrown` are the shorter versions of files that have grown: every record of theirs is read again.
    """
    staging.put_together()
    found = affected.find(staging, draft.alias, outgrown)
    units.begin(staging.con)
    is_news_for_all = _merge_catalogue(staging, draft, found, outgrown)

    def put(hand: Hand, portion: Portion) -> None:
        with affected.taken(hand.staging, draft.alias, found, portion) as runs:
            if prepare(hand.staging, draft.alias, runs, outgrown, is_news_for_all=is_news_for_all):
                _replace(hand, draft, is_known=bool(runs.known))

    portions = affected.portions(staging, draft.alias, found, HANDS if draft.takes_hands else 1)
    _settle(staging, draft, in_order(staging, draft, portions, put))


def derive_again(staging: Staging, draft: Publication, derived_by: str | None) -> Changes:
    """What follows from the records of the runs follows from them once more; which rows that changed.

    All runs, or those that were derived by another version than that.
    """
    staging.put_together()
    found, changes = affected.choose(staging, draft.alias, derived_by), Changes()
    _merge_catalogue(staging, draft, found, ())
    for portion in affected.portions(staging, draft.alias, found):
        with affected.taken(staging, draft.alias, found, portion) as runs:
            _fetch(staging, draft.alias)
            steps.run(staging.con, staging.workspace.filled(RECORD_TABLES))
            changes.runs += runs.known
            if _keep_changed(staging, draft.alias, changes):
                _write(staging, draft, None, is_known=True)
    changes.are_for_all = _declare_rules(staging, draft)
    # They may have been kept by another version, or not at all.
    changes.are_for_all |= rollups.rebuild(staging.con, draft)
    return changes


def as_identified(staging: Staging, runs: set[str]) -> set[str]:
    """The runs under the ids that they have in the store."""
    renamed = dict(staging.con.execute("SELECT old_id, new_id FROM renamed").fetchall())
    return {renamed.get(run, run) for run in runs}


def prepare(
    staging: Staging, store: str, found: Affected, outgrown: Sequence[str] = (), *, is_news_for_all: bool = False
) -> bool:
    """The workspace has every record of the runs in `replaced` once, `unit` 0 marking what the store had.

    False where the store says all that already. Runs of which it does are no longer in `replaced`.
    """
    con = staging.con
    if found.known:
        _fetch(staging, store)
    rows = staging.workspace.filled()
    if found.is_renamed:
        voided.rename(staging, rows)
    cut = voided.drop_outgrown(staging, rows, outgrown)
    voided.drop_implied(staging)
    if found.is_forgotten:
        voided.drop_forgotten(staging, store, rows)
    if found.known:
        mark_changed(con, store)
    drop_orphans(con, drop_doubled(con, rows) | cut.keys())
    units.note(con, rows, is_forgotten=False)
    if found.are_new or is_news_for_all or found.is_renamed or found.is_forgotten:
        return bool(rows)
    return _keep_news(staging, rows, [run for runs in cut.values() for run in runs])


def replace(staging: Staging, draft: Publication, *, is_known: bool = True) -> None:
    """The runs of `replaced` in the store are those of the workspace, with everything that follows from them.

    `is_known` where the store may have one of them.
    """
    hand = Hand(staging, rollups.Account(staging.con, draft))
    _replace(hand, draft, is_known=is_known)
    _settle(staging, draft, hand.account)


def _replace(hand: Hand, draft: Publication, *, is_known: bool) -> None:
    steps.run(hand.staging.con, hand.staging.workspace.filled(RECORD_TABLES))
    _write(hand.staging, draft, hand, is_known=is_known)


def _write(staging: Staging, draft: Publication, hand: Hand | None, *, is_known: bool) -> None:
    """The store has the rows of the workspace; what that is for the roll-ups is noted by the hand, if there is one."""
    con, space = staging.con, staging.workspace
    tables = tuple(table for table in (*OF_RUNS, *space.derived) if table != DECLARED)
    stale = filled(con, tables, draft.alias) if is_known else ()
    # One commit instead of one a statement. After a failure the draft is thrown away as a whole.
    con.begin()
    if hand:
        hand.account.note_replaced(known=is_known)
    for table in tables:
        if table in stale:
            draft.delete_runs(con, table)
    for table, count in space.counts(tables).items():
        _insert(staging, draft, table, count)
    if hand:
        hand.wait()
    con.commit()


def _settle(staging: Staging, draft: Publication, account: rollups.Account) -> None:
    """What follows from all runs that were replaced follows, if there was one."""
    if account.has_notes:
        staging.con.begin()
        account.settle()
        staging.con.commit()
        _declare_rules(staging, draft)


def _keep_changed(staging: Staging, store: str, changes: Changes) -> bool:
    """Only runs with a row that the store has not, or the reverse, are still there; whether there is one."""
    con, space = staging.con, staging.workspace
    con.execute("CREATE OR REPLACE TEMP TABLE news (run_id VARCHAR)").fetchall()
    for table in (*OF_RUNS, *space.derived):
        if table != DECLARED:
            columns = ", ".join(name for name in staging.columns(table) if name not in _BESIDE)
            now = f"SELECT {columns} FROM {table}"
            before = f"SELECT {columns} FROM {store}.{table} WHERE run_id IN (SELECT run_id FROM replaced)"
            differing = f"({now} EXCEPT ALL {before}) UNION ALL ({before} EXCEPT ALL {now})"
            changed = con.execute(f"INSERT INTO news SELECT DISTINCT run_id FROM ({differing})").fetchall()
            changes.tables[table] += changed[0][0]
    return _keep(staging, (*space.filled(), *space.filled(space.derived)))


def _insert(staging: Staging, draft: Publication, table: str, count: int) -> None:
    order = None if count == 1 or (count > _A_STRETCH and _comes_in_order(staging, table)) else _order(table)
    draft.insert_staged(staging.con, table, ", ".join(staging.columns(table)), order)


def _order(table: str) -> str:
    """What stands together in the store: the records of a run."""
    if table not in RECORD_TABLES:
        return "run_id"
    return f"run_id, seq, {KEYS[table][1]}" if table in KEYS else "run_id, event_id"


def _comes_in_order(staging: Staging, table: str) -> bool:
    """Every stretch of rows has later runs than the one before: near enough, for what is read by the stretch."""
    found = staging.con.execute(
        f"""
        SELECT bool_and(low >= before) FROM (
            SELECT min(run_id) AS low, lag(max(run_id)) OVER (ORDER BY stretch) AS before
            FROM (SELECT run_id, rowid // {_A_STRETCH} AS stretch FROM {table}) GROUP BY stretch)
        """
    ).fetchall()
    return bool(found[0][0])


def _fetch(staging: Staging, store: str) -> None:
    """What the store has of the runs is there too."""
    for table in filled(staging.con, OF_RUNS, store):
        columns = ", ".join(staging.columns(table))
        staging.con.execute(
            f"INSERT INTO {table} ({columns}, unit) SELECT {columns}, 0 FROM {store}.{table}"
            " WHERE run_id IN (SELECT run_id FROM replaced)"
        ).fetchall()


def _keep_news(staging: Staging, rows: Collection[str], cut: Sequence[str]) -> bool:
    """Only runs of which something is new, changed or gone are still there; whether there is one."""
    con = staging.con
    arms = [f"SELECT run_id FROM {table} WHERE unit IS DISTINCT FROM 0" for table in rows]
    arms += ["SELECT run_id FROM mutated", "SELECT unnest(?)"]
    con.execute(f"CREATE OR REPLACE TEMP TABLE news AS {' UNION '.join(arms)}", [list(cut)]).fetchall()
    return _keep(staging, rows)


def _keep(staging: Staging, tables: Collection[str]) -> bool:
    """Only the runs in `news` are left; whether there is one."""
    con = staging.con
    gone = con.execute("DELETE FROM replaced WHERE run_id NOT IN (SELECT run_id FROM news)").fetchall()[0][0]
    for table in tables if gone else ():
        con.execute(f"DELETE FROM {table} WHERE run_id NOT IN (SELECT run_id FROM replaced)").fetchall()
    return bool(con.execute("SELECT 1 FROM replaced LIMIT 1").fetchall())


def _merge_catalogue(staging: Staging, draft: Publication, found: Affected, outgrown: Sequence[str]) -> bool:
    """The workspace has the whole catalogue, and so has the store; whether something of it is new."""
    con, columns = staging.con, ", ".join(staging.columns(_CATALOGUE_ITEMS))
    staging.take_catalogue()
    con.execute(
        f"INSERT INTO {_CATALOGUE_ITEMS} ({columns}, unit) SELECT {columns}, 0 FROM {draft.alias}.{_CATALOGUE_ITEMS}"
    ).fetchall()
    if not found.brings_catalogue:
        return False
    voided.drop_outgrown(staging, WITHOUT_RUN, outgrown)
    drop_doubled(con, WITHOUT_RUN)
    units.note(con, WITHOUT_RUN, is_forgotten=False)
    is_new = con.execute(f"SELECT bool_or(unit IS DISTINCT FROM 0) FROM {_CATALOGUE_ITEMS}").fetchall()[0][0]
    if is_new:
        _replace_for_all(staging, draft, _CATALOGUE_ITEMS)
    return bool(is_new)


def _declare_rules(staging: Staging, draft: Publication) -> bool:
    """The store says which rules judge; whether it said something else before."""
    if findings.is_declared(staging.con, draft.alias):
        return False
    findings.declare(staging.con)
    _replace_for_all(staging, draft, DECLARED)
    return True


def _replace_for_all(staging: Staging, draft: Publication, table: str) -> None:
    """What belongs to no run of its own stands under the catalogue's mark."""
    staging.con.execute(f"CREATE OR REPLACE TEMP TABLE replaced AS SELECT '{CATALOGUE}' AS run_id").fetchall()
    draft.delete_runs(staging.con, table)
    _insert(staging, draft, table, 2)
