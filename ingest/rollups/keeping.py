"""The roll-ups of a store, while its runs come, change and go."""

from __future__ import annotations

from collections.abc import Sequence

import duckdb

from ingest.rollups import signatures, tallies
from ingest.store.publish import Publication
from ingest.tables import bring


class Account:
    """What a publication takes from the roll-ups and brings to them, noted run by run and settled once.

    A lake shows its reader the store as it was before: sums that were written portion by portion would each start from
    there, and only the last one would stay.
    """

    def __init__(self, con: duckdb.DuckDBPyConnection, draft: Publication) -> None:
        """Nothing is noted yet."""
        self._con = con
        self._draft = draft
        self.has_notes = False

    def note_replaced(self, *, known: bool) -> None:
        """The staged runs come in the place of what the store has of those in `replaced`.

        Called before the store's own rows are touched. `known`: the store has one of these runs.
        """
        self._con.execute("CREATE OR REPLACE TEMP TABLE chosen AS SELECT run_id FROM replaced").fetchall()
        self._note(known=known, staged=True)

    def note_gone(self, runs: Sequence[str]) -> None:
        """These runs go; called before they are removed."""
        chosen = "CREATE OR REPLACE TEMP TABLE chosen AS SELECT unnest($runs) AS run_id"
        self._con.execute(chosen, {"runs": list(runs)}).fetchall()
        self._note(known=True, staged=False)

    def take_over(self, other: Account) -> None:
        """What the other one has noted, over a connection of its own, is noted here."""
        for table in lasting() if other.has_notes else ():
            how = f"INSERT INTO {table}" if self.has_notes else f"CREATE OR REPLACE TEMP TABLE {table} AS"
            bring(other._con, self._con, how, f"SELECT * FROM {table}")
        self.has_notes |= other.has_notes

    def settle(self) -> None:
        """The roll-ups count the store as it is now; called when all rows are written."""
        if not self.has_notes:
            return
        for tally in tallies.tallies():
            tallies.settle(self._con, self._draft, tally)
        signatures.settle(self._con, self._draft)
        self.has_notes = False

    def _note(self, *, known: bool, staged: bool) -> None:
        is_first, self.has_notes = not self.has_notes, True
        for tally in tallies.tallies():
            tallies.note(self._con, self._draft.alias, tally, is_first=is_first, known=known, staged=staged)
        signatures.note(self._con, self._draft.alias, is_first=is_first, known=known, staged=staged)


def lasting() -> tuple[str, ...]:
    """The temporary tables with what is noted: they outlive a portion of the runs."""
    return (signatures.NOTED, tallies.LEFT, *(tally.noted for tally in tallies.tallies()))


def rebuild(con: duckdb.DuckDBPyConnection, draft: Publication) -> bool:
    """The roll-ups follow from the records of the store, whatever they were; whether one of them had to change."""
    told = [tallies.recount(con, draft, tally) for tally in tallies.tallies()]
    return any([*told, signatures.rebuild(con, draft)])
