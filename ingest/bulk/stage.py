"""The staging of a file that is read in two ways at once: set by set, and line by line for what is left.

Units and positions follow from the line, so neither way has to know how far the other one is. An id that follows from
the content is staged as that of the first such record (`counted`); which records say the same is found at the end.
"""

from __future__ import annotations

from collections.abc import Iterator

import duckdb

from ingest.adapter import Parsed, Skipped
from ingest.bulk.format import UNITS_A_LINE, BulkFile, Staged
from ingest.bulk.repeats import number_repeats
from ingest.identity import first_id
from ingest.records import Record
from ingest.source_stage import SourceStage
from ingest.staging import Staging


class BulkStage(SourceStage):
    """Like a SourceStage, and told what was staged beside it."""

    counts_ids = True
    _staging: Staging

    def __init__(self, staging: Staging, file_ids: dict[str | None, str], workload: str | None) -> None:
        super().__init__(staging, file_ids, workload)
        self._line = 0
        self._on_line = 0
        self._last_line = 0
        self._skipped: list[Skipped] = []

    @property
    def con(self) -> duckdb.DuckDBPyConnection:
        """The connection that everything but the windows of the file is staged with."""
        return self._staging.con

    def file(self) -> BulkFile:
        """What a reader needs to know of the file, with a connection of its own."""
        return BulkFile(self._staging.beside(), self._file_ids[None], self._workload, self.first_unit)

    @property
    def last_unit(self) -> int:
        """The highest number that was or could have been given so far."""
        return self._staging.last_unit

    def reserve(self, line: int) -> None:
        """The units of the lines up to this one belong to the file; the next file's come after them."""
        self._last_line = line
        self._staging.last_unit = self.first_unit + (line + 1) * UNITS_A_LINE - 1

    def note(self, staged: Staged) -> None:
        """These units are staged."""
        self.units += staged.units
        self.set_based_units += staged.units
        self.runs.update(staged.runs)
        self._described.update(staged.described)
        self._skipped.extend(staged.skipped)

    def skipped(self) -> Iterator[Skipped]:
        """What was left out on purpose since this was asked last."""
        while self._skipped:
            yield self._skipped.pop()

    def finish(self) -> None:
        """Records that say the same have ids of their own, and every run of the source has a run record."""
        self._staging.flush()
        number_repeats(self._staging.con, self.first_unit, self.last_unit)
        super().finish()

    def _next_unit(self, parsed: Parsed) -> int:
        """The lines come in order; what has no line follows the last one, and what was held back the whole file."""
        place = parsed.place
        if parsed.held_back:
            self._pass_the_last_line()
        elif place.line is not None and (place.line > self._line or place.ordinal is not None):
            self._line, self._on_line = place.line, place.ordinal or 0
        unit = self.first_unit + self._line * UNITS_A_LINE + self._on_line
        self._on_line += 1
        return unit

    def _pass_the_last_line(self) -> None:
        if self._line <= self._last_line:
            self._line, self._on_line = self._last_line + 1, 0
            self._staging.last_unit += UNITS_A_LINE

    def _derived_id(self, record: Record) -> str:
        return first_id(record)
