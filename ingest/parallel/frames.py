"""Staged rows in a file, between two processes: one Arrow stream after another, each named after its table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

import pyarrow as pa

from ingest.batch import Batch, Schemas
from ingest.rows import Row, Where

_TABLE = b"table"


class Frames:
    """A file that takes staged rows; units count from 1, as in a staging of its own."""

    def __init__(self, path: Path, schemas: Schemas) -> None:
        self._file = pa.OSFile(str(path), "wb")
        self._batch = Batch(schemas)
        self.last_unit = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _at: TracebackType | None
    ) -> None:
        self._file.close()

    def next_unit(self) -> int:
        """A number for the next record of the source."""
        self.last_unit += 1
        return self.last_unit

    def add(self, row: Row, where: Where) -> None:
        """One row with its place."""
        self._batch.add(row, where)
        if self._batch.is_full:
            self.flush()

    def flush(self) -> None:
        """Everything added so far is in the file."""
        for table, rows in self._batch.taken().items():
            named = rows.replace_schema_metadata({_TABLE: table})
            with pa.ipc.new_stream(self._file, named.schema) as stream:
                stream.write_table(named)


def tables(path: Path, first_unit: int) -> Iterator[tuple[str, pa.Table]]:
    """The rows in the order in which they were added, their units counted on from `first_unit`."""
    with pa.memory_map(str(path)) as file:
        while file.tell() < file.size():
            rows = pa.ipc.open_stream(file).read_all()
            yield rows.schema.metadata[_TABLE].decode(), _renumbered(rows, first_unit)


def _renumbered(rows: pa.Table, first_unit: int) -> pa.Table:
    import pyarrow.compute as pc  # noqa: PLC0415 - who reads one small file does not wait for it

    at = rows.schema.get_field_index("unit")
    if at < 0:
        return rows
    return rows.set_column(at, rows.schema.field(at), pc.add(rows.column(at), first_unit - 1))
