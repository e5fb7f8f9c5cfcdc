"""Rows on their way to the staging tables: tuples in memory, columns of Arrow once they are taken.

Nothing here knows DuckDB: a process that only reads files hands its rows on as Arrow.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from operator import itemgetter
from typing import Any

import pyarrow as pa

from ingest import records as kinds
from ingest.rows import CHILD_COLUMNS, ID_COLUMN, SET_COLUMNS, Row, Where

ROWS = 20_000
# So much text of attributes is enough, however few rows it is: files with long texts stay within bounds too.
TEXT = 32 * 1024 * 1024
# What a row has beside its record's own columns.
_BESIDE = ("attributes", "file_id", "part", "line", "unit", "position", "counted")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

Schemas = Mapping[str, pa.Schema]
Tables = dict[str, pa.Table]


def leave_pandas_out() -> None:
    """Making arrays does not import pandas, which takes as long as to read several megabytes.

    For a process that has no use for pandas: to pyarrow it is not installed from here on.
    """
    sys.meta_path.insert(0, _NO_PANDAS)
    try:
        pa.array([None])  # here pyarrow looks for it, once
    finally:
        sys.meta_path.remove(_NO_PANDAS)


class _NoPandas:
    """Finds no pandas, and leaves everything else to others."""

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> None:
        if name == "pandas":
            raise ModuleNotFoundError(name, name=name)


_NO_PANDAS: Any = _NoPandas()


class Batch:
    """The rows of several tables, until they are taken."""

    def __init__(self, schemas: Schemas) -> None:
        self._sheets = {table: _Sheet(table, schema) for table, schema in schemas.items()}
        self._rows = 0
        self._text = 0

    @property
    def is_full(self) -> bool:
        """It is time to take the rows."""
        return self._rows >= ROWS or self._text >= TEXT

    def add(self, row: Row, where: Where) -> None:
        """One row with its place."""
        table, values, event_id, attributes = row
        self._sheets[table].add(values, event_id, attributes, where)
        self._rows += 1
        if attributes:
            self._text += len(attributes)

    def taken(self) -> Tables:
        """The rows so far by table, and no longer here."""
        self._rows = self._text = 0
        return {name: sheet.taken() for name, sheet in self._sheets.items() if sheet.rows}


class _Sheet:
    """The rows of one table."""

    def __init__(self, table: str, schema: pa.Schema) -> None:
        own = [name for name in schema.names if name in _own_columns(table)]
        self._schema = schema
        self._names = (*own, ID_COLUMN.get(table, "event_id"), *_BESIDE)
        self._own: Callable[[dict[str, Any]], tuple[Any, ...]] = itemgetter(*own)
        self.rows: list[tuple[Any, ...]] = []

    def add(self, values: dict[str, Any], event_id: str, attributes: str | None, where: Where) -> None:
        self.rows.append((*self._own(values), event_id, attributes, *where))

    def taken(self) -> pa.Table:
        columns = dict(zip(self._names, zip(*self.rows, strict=True), strict=True))
        self.rows = []
        return pa.table(
            {
                field.name: _array(field, columns[field.name])
                for field in self._schema
                # A column in which nothing stands is left out, and becomes NULL.
                if field.name in columns and _says_something(columns[field.name])
            }
        )


def _own_columns(table: str) -> frozenset[str]:
    """The columns that a record itself has."""
    if table in CHILD_COLUMNS:
        return CHILD_COLUMNS[table]
    model = next(kind for kind in kinds.KINDS if table == kind.TABLE)
    beside = {"event_id", *_BESIDE}
    return frozenset({*model.model_fields, *SET_COLUMNS.get(table, ())} - beside)


def _says_something(column: Sequence[Any]) -> bool:
    return column[0] is not None or column.count(None) < len(column)


def _array(field: pa.Field, column: Iterable[Any]) -> pa.Array:
    if field.name == "flags":
        return pa.array([flags or None for flags in column], field.type)
    if pa.types.is_timestamp(field.type):
        # Several times as fast as from the times themselves.
        since = pa.array([None if time is None else time - _EPOCH for time in column], pa.duration("us"))
        return since.view(field.type)
    return pa.array(column, field.type)
