"""A table of the store as another engine reads it: Parquet files, and what these do not say by themselves."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from ingest.store import Lease
from ingest.store.catalog import quoted


@dataclass(frozen=True)
class Relation:
    """The rows of a table: those of its files without the deleted ones, and those that lie in no file."""

    columns: Mapping[str, str]  # DuckDB's types
    files: tuple[str, ...]
    deleted: pa.Table | None = None  # file_name, row_index; a file is meant by the last part of its path
    beside: tuple[tuple[Any, ...], ...] = ()


@dataclass(frozen=True)
class Place:
    """Where a table lies that a statement names without its place."""

    catalog: str
    schema: str
    table: str
    kind: str  # duckdb, ducklake

    @property
    def name(self) -> str:
        """The table with its place."""
        return f'"{self.catalog}"."{self.schema}"."{self.table}"'


# A lease finds its tables along catalog.schema, the first one first.
_PLACES = """
    WITH path AS (SELECT string_split(current_setting('search_path'), ',') AS steps)
    SELECT tables.database_name, tables.schema_name, databases.type
    FROM duckdb_tables() AS tables
    JOIN duckdb_databases() AS databases ON databases.database_name = tables.database_name
    CROSS JOIN path
    WHERE tables.table_name = $table
      AND list_contains(path.steps, concat_ws('.', tables.database_name, tables.schema_name))
    ORDER BY list_position(path.steps, concat_ws('.', tables.database_name, tables.schema_name))
"""


def place_of(lease: Lease, table: str) -> Place:
    """The place of the table that a statement of this lease reads."""
    found = lease.rows(_PLACES, {"table": table})[0]
    return Place(found["database_name"], found["schema_name"], table, found["type"])


def columns_of(lease: Lease, place: Place, wanted: Collection[str]) -> dict[str, str]:
    """The types of the columns that are wanted; one at least, for a statement may do nothing but count."""
    found = {column["column_name"]: column["column_type"] for column in lease.rows(f"DESCRIBE {place.name}")}
    first = next(iter(found))
    return {name: kind for name, kind in found.items() if name in wanted} or {first: found[first]}


def listed(columns: Mapping[str, str]) -> str:
    """The columns as a SELECT lists them; JSON is text to every engine."""
    return ", ".join(
        f'CAST("{name}" AS VARCHAR) AS "{name}"' if kind == "JSON" else f'"{name}"' for name, kind in columns.items()
    )


def exported(lease: Lease, place: Place, columns: Mapping[str, str], file: Path) -> Relation:
    """A table of a DuckDB file, written as this Parquet file."""
    lease.rows(f"COPY (SELECT {listed(columns)} FROM {place.name}) TO {quoted(file)} (FORMAT parquet)")
    return Relation(columns, (str(file),))
