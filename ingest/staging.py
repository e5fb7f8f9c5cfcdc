"""Records on their way to the store: columns of Arrow in an in-memory copy of the schema.

Parsing needs no lock. Every row remembers the unit (the source's record) it came from, so that what
is stored and what is a duplicate can be counted in units once the store is known.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import duckdb
import pyarrow as pa

from ingest import records as kinds
from ingest.adapter import Parsed
from ingest.derive.prevention import prevention_checked
from ingest.derive.signature import signed
from ingest.records import Record
from ingest.store.catalog import memory_connection
from ingest.store.migrate import migrate

BATCH = 20_000
RECORD_TABLES = (
    "run_records", "spans", "events", "error_events", "recovery_events", "recovery_steps", "guardrail_events",
    "context_sets", "context_items", "context_ops", "diagnoses", "delegations", "waits", "task_owners",
    "handoffs", "replays", "reported_metrics", "catalogue_items",
)  # fmt: skip
# Columns that only the staging tables have: the unit a row came from, and whether its run id was guessed there.
STAGING_ONLY = ("unit", "guessed")
# A child row lives and dies with the row of its parent's key.
CHILDREN = {"recovery_steps": "recovery_events", "context_items": "context_sets"}
KEYS = {kind.TABLE: kind.KEY for kind in kinds.KINDS}
_ARROW = {
    "VARCHAR": pa.string(),
    "JSON": pa.string(),
    "BIGINT": pa.int64(),
    "INTEGER": pa.int32(),
    "DOUBLE": pa.float64(),
    "BOOLEAN": pa.bool_(),
    "VARCHAR[]": pa.list_(pa.string()),
    "TIMESTAMP WITH TIME ZONE": pa.timestamp("us", tz="UTC"),
}
# The column that holds a record's own id, where it is not event_id.
_ID_COLUMN = {"diagnoses": "diagnosis_id"}
# Attributes are added apart: their keys are sorted, and they may be nested deeper than pydantic writes.
_NOT_CONTENT = {"event_id", "flags", "attributes"}


@dataclass(frozen=True)
class Column:
    """A column of a staging table."""

    name: str
    type: pa.DataType


class Staging:
    """The staged records of one ingest, in a connection to which the store is attached later."""

    def __init__(self) -> None:
        self.con = memory_connection()
        migrate(self.con, "memory")
        self._columns = {table: self._prepared(table) for table in RECORD_TABLES}
        self._rows: dict[str, list[dict[str, Any]]] = {table: [] for table in RECORD_TABLES}
        self._staged = 0
        self.last_unit = 0
        # Where each file of this ingest lies; the positions of its rows count within that path.
        self.paths: dict[str, str] = {}

    def _prepared(self, table: str) -> list[Column]:
        self.con.execute(f"ALTER TABLE {table} ADD COLUMN unit BIGINT").fetchall()
        self.con.execute(f"ALTER TABLE {table} ADD COLUMN guessed BOOLEAN").fetchall()
        described = self.con.execute(f"DESCRIBE {table}").fetchall()
        return [Column(row[0], _ARROW[row[1]]) for row in described]

    def columns(self, table: str) -> list[str]:
        """The columns that the store's table has too."""
        return [column.name for column in self._columns[table] if column.name not in STAGING_ONLY]

    def close(self) -> None:
        """Frees the staged records."""
        self.con.close()

    def next_unit(self) -> int:
        """A number for the next record of a source; 0 is kept for rows that the store already has."""
        self.last_unit += 1
        return self.last_unit

    def add(self, table: str, row: dict[str, Any]) -> None:
        """One row; columns it does not name become NULL."""
        self._rows[table].append(row)
        self._staged += 1
        if self._staged >= BATCH:
            self.flush()

    def flush(self) -> None:
        """Everything added so far is in the staging tables."""
        for table, rows in self._rows.items():
            if rows:
                insert(self.con, table, _table(rows, self._columns[table]))
                self._rows[table] = []
        self._staged = 0


def _table(rows: list[dict[str, Any]], columns: list[Column]) -> pa.Table:
    """The rows as columns; a column that no row names is left out, and becomes NULL."""
    named = set().union(*rows)
    arrays = {
        column.name: pa.array([row.get(column.name) for row in rows], column.type)
        for column in columns
        if column.name in named
    }
    return pa.table(arrays)


def insert(con: duckdb.DuckDBPyConnection, table: str, batch: pa.Table) -> None:
    """The rows of the batch are in the table; columns it does not have become NULL."""
    with con.cursor() as cursor:
        cursor.register("batch", batch)
        cursor.execute(f"INSERT INTO {table} BY NAME SELECT * FROM batch").fetchall()
        cursor.unregister("batch")


class SourceStage:
    """Turns the parsed units of one source into staged rows with identity and position."""

    def __init__(self, staging: Staging, file_ids: dict[str | None, str], workload: str | None) -> None:
        self._staging = staging
        self._file_ids = file_ids
        self._workload = workload
        self._seen: Counter[bytes] = Counter()
        self._position = 0
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
            for table, row in rows:
                row.update(where, position=self._position)
                self._staging.add(table, row)
            self._position += 1
            self._note_run(record)

    def _staged(self, parsed: Parsed) -> Iterator[tuple[Record, list[tuple[str, dict[str, Any]]]]]:
        error_id: str | None = None
        for given in parsed.records:
            record, event_id = self._identified(given, error_id)
            if isinstance(record, kinds.ErrorEvent):
                error_id = event_id
            yield record, list(_rows(record, event_id))

    def finish(self) -> None:
        """Every run of the source has a run record, also where its file never described it."""
        for run_id in sorted(self.runs - self._described):
            source, _, native_id = run_id.partition(":")
            implied = kinds.Run(
                run_id=run_id, event_id="implied", source=source, native_id=native_id, workload=self._workload
            )
            for table, row in _rows(implied, "implied"):
                self._staging.add(table, {**row, "file_id": self._file_ids[None], "unit": None})

    def _note_run(self, record: Record) -> None:
        if isinstance(record, kinds.CatalogueItem):
            return
        self.runs.add(record.run_id)
        if isinstance(record, kinds.Run):
            self._described.add(record.run_id)

    def _identified(self, record: Record, error_id: str | None) -> tuple[Record, str]:
        """The record with everything that follows from it alone, and its id, which follows from what was recorded."""
        event_id = record.span_id if isinstance(record, kinds.Span) else record.event_id or self._digest(record)
        if isinstance(record, kinds.ErrorEvent):
            record = signed(record)
        if isinstance(record, kinds.Run | kinds.CatalogueItem) and self._workload:
            record = record.model_copy(update={"workload": self._workload})
        if isinstance(record, kinds.Diagnosis) and record.for_event is None and error_id:
            record = record.model_copy(update={"for_event": error_id})
        if isinstance(record, kinds.Diagnosis):
            record = prevention_checked(record)
        return record, event_id

    def _digest(self, record: Record) -> str:
        """Run, kind, canonical content and how many identical records of this file came before."""
        key = hashlib.sha256(f"{record.TABLE}\x1f{_canonical(record)}".encode()).digest()
        self._seen[key] += 1
        return hashlib.sha256(key + str(self._seen[key]).encode()).hexdigest()[:20]


def _canonical(record: Record) -> str:
    """The content as text that is the same whatever order its keys had; columns that came later do not change it."""
    fields = record.model_dump_json(exclude=_NOT_CONTENT, exclude_none=True)
    if not record.attributes:
        return fields
    try:
        return fields + json.dumps(record.attributes, default=str, sort_keys=True)
    except TypeError:  # keys that cannot be compared, such as text and numbers in one object
        return fields + json.dumps(record.attributes, default=str, skipkeys=True)


def _rows(record: Record, event_id: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The rows of a record: its own, and those of its steps or items."""
    values: dict[str, Any] = {name: value for name, value in record.__dict__.items() if value is not None}
    values.pop("event_id", None)
    values[_ID_COLUMN.get(record.TABLE, "event_id")] = event_id
    values["flags"] = list(record.flags) or None
    values["attributes"] = as_json(record.attributes)
    if isinstance(record, kinds.ContextSet):
        values.update(recorded=True, items=len(record.members))
        yield from _item_rows(record, event_id)
    if isinstance(record, kinds.RecoveryEvent):
        values["artifacts"] = None if record.artifacts is None else list(record.artifacts)
        yield from _step_rows(record, event_id)
    yield record.TABLE, values


def _item_rows(record: kinds.ContextSet, event_id: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for item in record.members:
        yield "context_items", {
            "run_id": record.run_id, "event_id": event_id, "step_id": record.step_id, "set_name": record.set_name,
            "item_id": item.item_id, "revision": item.revision,
        }  # fmt: skip


def _step_rows(record: kinds.RecoveryEvent, event_id: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for step in record.steps:
        yield "recovery_steps", {
            "run_id": record.run_id, "event_id": event_id, "step": step.step, "agent": step.agent,
            "action": step.action, "result": step.result, "attributes": as_json(step.attributes),
        }  # fmt: skip


def as_json(attributes: dict[str, Any]) -> str | None:
    """The attributes as JSON text, None where there are none."""
    if not attributes:
        return None
    try:
        return json.dumps(attributes, ensure_ascii=False, default=str, allow_nan=False)
    except ValueError:
        return json.dumps(_without_nan(attributes), ensure_ascii=False, default=str, allow_nan=False)


def _without_nan(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(item) for item in value]
    return value


def units_between(
    con: duckdb.DuckDBPyConnection, first: int, last: int, tables: Iterable[str], *, also_in: str | None = None
) -> int:
    """How many units of a source still have a row in one of the tables, and in `also_in` where it is given."""
    union = " UNION ".join(f"SELECT unit FROM {table} WHERE unit BETWEEN {first} AND {last}" for table in tables)
    both = f" WHERE unit IN (SELECT unit FROM {also_in})" if also_in else ""
    return int(con.execute(f"SELECT count(*) FROM ({union}){both}").fetchall()[0][0])
