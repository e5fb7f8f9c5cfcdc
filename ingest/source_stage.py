"""The parsed records of one source on their way into the staging tables: each with its id, its place and its order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ingest import records as kinds
from ingest.adapter import Parsed
from ingest.derive.prevention import prevention_checked
from ingest.derive.signature import signed
from ingest.identity import Identities
from ingest.records import Record
from ingest.rows import rows_of
from ingest.staging import Staging

# A line has room for so many records; what stands on it is told apart by the lower bits.
POSITIONS_A_LINE = 1 << 20


class _Order:
    """Positions that grow with the lines of a source, so that what is read apart by lines comes to the same ones."""

    def __init__(self) -> None:
        self._line = 0
        self._on_line = 0

    def next(self, line: int | None) -> int:
        """The position of the next record, which stands on that line; without a line it follows the last one."""
        if line is not None and line != self._line:
            self._line, self._on_line = line, 0
        position = self._line * POSITIONS_A_LINE + self._on_line
        self._on_line += 1
        return position


class SourceStage:
    """Turns the parsed units of one source into staged rows with identity and position."""

    def __init__(self, staging: Staging, file_ids: dict[str | None, str], workload: str | None) -> None:
        self._staging = staging
        self._file_ids = file_ids
        self._workload = workload
        self._identities = Identities()
        self._order = _Order()
        self._described: set[str] = set()
        self.runs: set[str] = set()
        self.first_unit = staging.last_unit + 1
        self.units = 0

    @property
    def last_unit(self) -> int:
        """The number of the source's last record so far."""
        return self.first_unit + self.units - 1

    def add(self, parsed: Parsed) -> None:
        """The records of one unit."""
        # Everything that can fail comes first: a unit is staged as a whole or not at all.
        staged = list(self._staged(parsed))
        unit = self._staging.next_unit()
        self.units += 1
        where = {
            "file_id": self._file_ids[parsed.place.part], "part": parsed.place.part, "line": parsed.place.line,
            "unit": unit,
        }  # fmt: skip
        for record, rows in staged:
            position = self._order.next(parsed.place.line)
            for table, row in rows:
                row.update(where, position=position)
                self._staging.add(table, row)
            self._note_run(record)

    def _staged(self, parsed: Parsed) -> Iterator[tuple[Record, list[tuple[str, dict[str, Any]]]]]:
        error_id: str | None = None
        for given in parsed.records:
            record, event_id = self._identified(given, error_id)
            if isinstance(record, kinds.ErrorEvent):
                error_id = event_id
            yield record, list(rows_of(record, event_id))

    def finish(self) -> None:
        """Every run of the source has a run record, also where its file never described it."""
        for run_id in sorted(self.runs - self._described):
            source, _, native_id = run_id.partition(":")
            implied = kinds.Run(
                run_id=run_id, event_id="implied", source=source, native_id=native_id, workload=self._workload
            )
            for table, row in rows_of(implied, "implied"):
                self._staging.add(table, {**row, "file_id": self._file_ids[None], "unit": None})

    def _note_run(self, record: Record) -> None:
        if isinstance(record, kinds.CatalogueItem):
            return
        self.runs.add(record.run_id)
        if isinstance(record, kinds.Run):
            self._described.add(record.run_id)

    def _identified(self, record: Record, error_id: str | None) -> tuple[Record, str]:
        """The record with everything that follows from it alone, and its id, which follows from what was recorded."""
        event_id = record.span_id if isinstance(record, kinds.Span) else record.event_id or self._identities.of(record)
        if isinstance(record, kinds.ErrorEvent):
            record = signed(record)
        if isinstance(record, kinds.Run | kinds.CatalogueItem) and self._workload:
            record = record.model_copy(update={"workload": self._workload})
        if isinstance(record, kinds.Diagnosis) and record.for_event is None and error_id:
            record = record.model_copy(update={"for_event": error_id})
        if isinstance(record, kinds.Diagnosis):
            record = prevention_checked(record)
        return record, event_id
