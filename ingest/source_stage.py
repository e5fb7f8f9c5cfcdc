"""The parsed records of one source on their way into the staging tables: each with its id, its place and its order."""

from __future__ import annotations

from typing import ClassVar, Protocol

from ingest import records as kinds
from ingest.adapter import Parsed, Place
from ingest.derive.prevention import prevention_checked
from ingest.derive.signature import signature_columns
from ingest.identity import Identities
from ingest.records import Record
from ingest.rows import Row, Where, rows_of

# A line has room for so many records; what stands on it is told apart by the lower bits. Where its units have ordinals,
# each of them has room of its own.
POSITIONS_A_LINE = 1 << 32
POSITIONS_A_UNIT = 1 << 8
# Kinds of which nothing more follows from a record alone.
_PLAIN = frozenset(kinds.KINDS) - {kinds.ErrorEvent, kinds.Diagnosis, kinds.Run, kinds.CatalogueItem}


class _Order:
    """Positions that grow with the lines of a source, so that what is read apart by lines comes to the same ones."""

    def __init__(self) -> None:
        self._place: tuple[int, int | None] = (0, None)
        self._next = 0

    def next(self, place: Place, record: Record) -> int:
        """The position of the next record, which stands at that place; without a line it follows the last one."""
        if place.line is not None and (place.line, place.ordinal) != self._place:
            self._place = (place.line, place.ordinal)
            self._next = place.line * POSITIONS_A_LINE + (place.ordinal or 0) * POSITIONS_A_UNIT
        position = self._next
        # What is said of a run is said once a file: whether it was said before must not move what follows.
        if place.ordinal is None or not isinstance(record, kinds.Run):
            self._next += 1
        return position


class Sink(Protocol):
    """Where staged rows go: the staging tables, or a batch on its way there."""

    last_unit: int

    def next_unit(self) -> int:
        """A number for the next record of a source."""

    def add(self, row: Row, where: Where) -> None:
        """One row with its place."""


class SourceStage:
    """Turns the parsed units of one source into staged rows with identity and position."""

    # An id that follows from the content is that of the first such record, and counted later: see `ingest.bulk`.
    counts_ids: ClassVar[bool | None] = None

    def __init__(self, staging: Sink, file_ids: dict[str | None, str], workload: str | None) -> None:
        self._staging = staging
        self._file_ids = file_ids
        self._workload = workload
        self._identities = Identities()
        self._order = _Order()
        self._described: set[str] = set()
        self.runs: set[str] = set()
        self.first_unit = staging.last_unit + 1
        self.units = 0
        # Of these, the ones that were never records: see `ingest.bulk`.
        self.set_based_units = 0

    @property
    def last_unit(self) -> int:
        """The number of the source's last record so far."""
        return self.first_unit + self.units - 1

    def add(self, parsed: Parsed) -> None:
        """The records of one unit."""
        place = parsed.place
        # Everything that can fail comes first: a unit is staged as a whole or not at all.
        staged = self._staged(parsed)
        where = (self._file_ids[place.part], place.part, place.line, self._next_unit(parsed))
        self.units += 1
        add, next_position = self._staging.add, self._order.next
        for record, rows, counted in staged:
            at = (*where, next_position(place, record), counted)
            for row in rows:
                add(row, at)
            self._note_run(record)

    def _next_unit(self, _parsed: Parsed) -> int:
        return self._staging.next_unit()

    def _derived_id(self, record: Record) -> str:
        return self._identities.of(record)

    def _staged(self, parsed: Parsed) -> list[tuple[Record, list[Row], bool | None]]:
        """Every record with its rows, and whether its id is one that is still to be counted."""
        error_id: str | None = None
        staged = []
        for record in parsed.records:
            # To ask a model's class whether something else is one of its own is many times as slow.
            kind = type(record)
            own_id = record.span_id if type(record) is kinds.Span else record.event_id
            event_id = own_id or self._derived_id(record)
            rows = rows_of(record, event_id) if kind in _PLAIN else self._rows(record, event_id, error_id)
            staged.append((record, rows, None if own_id else self.counts_ids))
            if kind is kinds.ErrorEvent:
                error_id = event_id
        return staged

    def _rows(self, record: Record, event_id: str, error_id: str | None) -> list[Row]:
        """The rows of the record with everything that follows from it alone."""
        if isinstance(record, kinds.ErrorEvent):
            return rows_of(record, event_id, signature_columns(record))
        if isinstance(record, kinds.Diagnosis):
            diagnosed = {"for_event": error_id} if record.for_event is None and error_id else {}
            return rows_of(prevention_checked(record), event_id, diagnosed)
        if isinstance(record, kinds.Run | kinds.CatalogueItem) and self._workload:
            return rows_of(record, event_id, {"workload": self._workload})
        return rows_of(record, event_id)

    def finish(self) -> None:
        """Every run of the source has a run record, also where its file never described it."""
        for run_id in sorted(self.runs - self._described):
            source, _, native_id = run_id.partition(":")
            implied = kinds.Run(
                run_id=run_id, event_id="implied", source=source, native_id=native_id, workload=self._workload
            )
            for row in rows_of(implied, "implied"):
                self._staging.add(row, (self._file_ids[None], None, None, None, None, None))
        # A big file has runs by the hundred thousand, and what comes now needs the memory.
        self._described = set()

    def _note_run(self, record: Record) -> None:
        kind = type(record)
        if kind is kinds.CatalogueItem:
            return
        self.runs.add(record.run_id)
        if kind is kinds.Run:
            self._described.add(record.run_id)
