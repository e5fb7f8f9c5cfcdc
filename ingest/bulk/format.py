"""What a bulk format is: the regular lines of a window into the staging tables by SQL, the others handed back.

A module of this package that defines `BULK` is found by `ingest.bulk.reading`. It names the adapter whose rows it must
equal; the adapter knows nothing of it. A line is regular where the SQL is certain to come to the adapter's rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

import duckdb
import pyarrow as pa

from ingest.adapter import Item, Skipped
from ingest.json_text import Line
from ingest.source import Head

# The relation that holds the lines of the window at hand: line BIGINT, offset_bytes BIGINT, text VARCHAR.
# A text has its line end, which is blank space to a JSON reader.
LINES = "bulk_lines"
# A line has room for so many units, as it has for so many records: see `ingest.source_stage`.
UNITS_A_LINE = 1 << 20
# A table of these may have a column `before`: the text is a part of the line, and so many units of it come before.
IRREGULAR = pa.schema(
    [("line", pa.int64()), ("offset_bytes", pa.int64()), ("text", pa.string()), ("reason", pa.string())]
)


@dataclass(frozen=True, slots=True)
class BulkFile:
    """The file that is read, and a connection to the staging tables."""

    con: duckdb.DuckDBPyConnection
    file_id: str
    workload: str | None
    first_unit: int

    def unit(self, line: str = "line", ordinal: str = "0") -> str:
        """SQL: the unit of the how-many-th record of the source (from 0) on a line. The record path counts alike."""
        return f"({self.first_unit} + {line}::BIGINT * {UNITS_A_LINE} + {ordinal})"


@dataclass(frozen=True, slots=True)
class Staged:
    """What became of a window: how many units are staged, of which runs, and the lines that were left alone."""

    units: int
    runs: Iterable[str] = ()
    described: Iterable[str] = ()
    skipped: Iterable[Skipped] = ()
    irregular: pa.Table = field(default_factory=IRREGULAR.empty_table)


class BulkReader(Protocol):
    """Reads windows of one file, on one connection; others of the same file may go to another reader."""

    def stage(self, lines: pa.Table) -> Staged:
        """The regular ones of these lines, which `LINES` has too, are in the staging tables.

        Any duckdb.Error leaves the window to the record path.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class BulkFormat:
    """A line format read set by set.

    `items` is the record path for the lines that are left: it is handed them in order, lazily, and may keep state.
    `suits` looks at a file that the adapter has claimed: not every layout of a format is lines. `prepare` is given a
    connection that shares its functions with those of all readers.
    """

    adapter: str
    begin: Callable[[BulkFile], BulkReader]
    items: Callable[[Iterable[Line]], Iterator[Item]]
    suits: Callable[[Head], bool] = lambda _head: True
    prepare: Callable[[duckdb.DuckDBPyConnection], None] = lambda _con: None
