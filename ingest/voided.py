"""What was told of the runs in the workspace and no longer holds, once the store and other records are known.

An id that was guessed, a line that was cut, a run that is only mentioned, a run that somebody removed.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ingest import units
from ingest.staging import Staging
from ingest.tables import KEYS


def rename(staging: Staging, rows: Collection[str]) -> None:
    """What was told of a run without its id is told of the run; a record that had to guess the id says nothing more."""
    con = staging.con
    for table in rows:
        con.execute(
            f"UPDATE {table} SET run_id = new_id, guessed = true FROM renamed WHERE {table}.run_id = renamed.old_id"
        ).fetchall()
    con.execute(
        """
        DELETE FROM run_records WHERE identity = 'derived'
          AND run_id IN (SELECT run_id FROM run_records WHERE identity = 'recorded' AND event_id <> 'implied')
          AND run_id IN (SELECT new_id FROM renamed)
        """
    ).fetchall()


def drop_outgrown(staging: Staging, rows: Collection[str], outgrown: Sequence[str]) -> dict[str, list[str]]:
    """What only the shorter version of a file said, because it was cut there, is gone: the longer one says it whole.

    The runs that lost something, by table.
    """
    cut = {table: _of_table(staging, table, outgrown) for table in rows if table in KEYS and outgrown}
    return {table: runs for table, runs in cut.items() if runs}


def _of_table(staging: Staging, table: str, outgrown: Sequence[str]) -> list[str]:
    key = KEYS[table][1]
    found = staging.con.execute(
        f"""
        DELETE FROM {table} WHERE unit = 0 AND list_contains(?, file_id) AND NOT EXISTS (
            SELECT 1 FROM {table} again
            WHERE again.run_id = {table}.run_id AND again.{key} = {table}.{key} AND again.unit IS DISTINCT FROM 0
              AND (coalesce(list_contains(again.flags, 'incomplete'), false)
                   OR NOT coalesce(list_contains({table}.flags, 'incomplete'), false)))
        RETURNING run_id
        """,
        [list(outgrown)],
    ).fetchall()
    return [run for (run,) in found]


def drop_implied(staging: Staging) -> None:
    """That a file tells of a run says nothing more once the run has a record; what it adds stays."""
    staging.con.execute(
        """
        DELETE FROM run_records WHERE event_id = 'implied' AND workload IS NULL
          AND run_id IN (SELECT run_id FROM run_records WHERE event_id <> 'implied')
        """
    ).fetchall()


def drop_forgotten(staging: Staging, store: str, rows: Collection[str]) -> None:
    """Runs that somebody removed stay out; which units that concerns is kept for the count."""
    forgotten = f"run_id IN (SELECT run_id FROM {store}.forgotten_runs)"
    units.note(staging.con, rows, among=forgotten, is_forgotten=True)
    for table in rows:
        staging.con.execute(f"DELETE FROM {table} WHERE {forgotten}").fetchall()
