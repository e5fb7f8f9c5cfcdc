"""The regular lines of a kind as rows of the staging tables: one statement for most kinds."""

from __future__ import annotations

from collections.abc import Mapping

from ingest.bulk import content
from ingest.bulk.format import BulkFile
from ingest.bulk.json_columns import literal
from ingest.bulk.native_kinds import Kind
from ingest.records import CatalogueItem, Run
from ingest.rows import ID_COLUMN
from ingest.source_stage import POSITIONS_A_LINE

# SQL: the id is that of the first record with this content.
COUNTED = "CASE WHEN coalesce(event_id, '') = '' THEN true END"


def event_id(kind: Kind, **more: str) -> str:
    """SQL over a typed line: the recorded id, else the one that follows from the content."""
    besides = "besides.sorted" if kind.has_attributes else None
    return f"coalesce(nullif(event_id, ''), {content.digest(kind.model, kind.identities(**more), besides)})"


class Rows:
    """Writes the rows of one file."""

    def __init__(self, file: BulkFile) -> None:
        self._con = file.con
        self._file = file
        self._columns: dict[str, set[str]] = {}

    def run(self, sql: str) -> list[tuple[object, ...]]:
        """The rows that a statement gives."""
        found: list[tuple[object, ...]] = self._con.execute(sql).fetchall()
        return found

    def insert(self, table: str, values: Mapping[str, str], source: str, ordinal: str = "0") -> int:
        """The rows are in the table, as far as it has the columns; how many there are.

        `ordinal` is the how-many-th record (from 0) of its line a row belongs to.
        """
        where = {
            "line": "line", "position": f"line * {POSITIONS_A_LINE} + {ordinal}", "unit": self._file.unit(),
            "file_id": literal(self._file.file_id),
        }  # fmt: skip
        there = self._there(table)
        chosen = ", ".join(f'{value} AS "{name}"' for name, value in {**values, **where}.items() if name in there)
        ((count,),) = self.run(f"INSERT INTO {table} BY NAME SELECT {chosen} {source}")
        return int(str(count))

    def record(self, kind: Kind, source: str, ordinal: str = "0", **more: str) -> int:
        """Records of the kind, their columns and id as typed; `more` are columns besides."""
        values = {name: f'"{name}"' for name in ("run_id", "flags", *kind.columns, *kind.made) if name != "event_id"}
        if kind.has_attributes:
            values["attributes"] = "besides.kept"
        if kind.name != "span":
            values |= {ID_COLUMN.get(kind.model.TABLE, "event_id"): event_id(kind), "counted": COUNTED}
        if issubclass(kind.model, Run | CatalogueItem) and self._file.workload:
            values["workload"] = literal(self._file.workload)
        return self.insert(kind.model.TABLE, {**values, **more}, source, ordinal)

    def _there(self, table: str) -> set[str]:
        if table not in self._columns:
            self._columns[table] = {str(row[0]) for row in self.run(f"DESCRIBE {table}")}
        return self._columns[table]
