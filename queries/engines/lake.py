"""A table of the shared store as other engines read it: the lake's own files, as one snapshot has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from ingest.store import FaultlensError, Lease
from queries.engines.relation import Place, Relation, listed

# The positions in files that are in the table no more, whatever says so: a delete file, or the catalogue itself.
_DELETED = """
    WITH files AS (SELECT unnest($files) AS file, unnest($rows) AS rows),
    positions AS (SELECT file, unnest(range(rows)) AS row_index FROM files)
    SELECT parse_filename(file) AS file_name, row_index
    FROM positions
    WHERE NOT EXISTS (
        SELECT 1 FROM {table} AS stored WHERE stored.filename = file AND stored.file_row_number = row_index
    )
    ORDER BY file_name, row_index
"""


class NotReadable(FaultlensError):
    """A table of the lake lies in files that another engine cannot read."""


def lake_relation(lease: Lease, place: Place, columns: Mapping[str, str]) -> Relation:
    """The table's files with the positions deleted in them, and the rows that the catalogue holds itself."""
    files = _files(lease, place)
    # A row says in which file it lies; one that the catalogue holds names a file that is not listed.
    stored = _counts(lease, f"SELECT filename AS file, count(*) AS rows FROM {place.name} GROUP BY filename")
    physical = _rows_of(lease, files)
    shortened = {file: physical[file] for file in files if 0 < stored.get(file, 0) < physical[file]}
    return Relation(
        columns,
        tuple(file for file in files if file in stored),
        _deleted(lease, place, shortened) if shortened else None,
        _beside(lease, place, columns, files) if stored.keys() - set(files) else (),
    )


def _files(lease: Lease, place: Place) -> list[str]:
    found = lease.rows(
        "SELECT data_file, data_file_encryption_key IS NOT NULL AS is_encrypted"
        f" FROM ducklake_list_files('{place.catalog}', '{place.table}', schema => '{place.schema}')"
    )
    if any(file["is_encrypted"] for file in found):
        raise NotReadable(f"the lake's files of {place.table} are encrypted: only --engine duckdb reads them")
    return [file["data_file"] for file in found]


def _rows_of(lease: Lease, files: list[str]) -> dict[str, int]:
    """How many rows each file holds, the deleted ones among them."""
    sql = "SELECT file_name AS file, num_rows AS rows FROM parquet_file_metadata($files)"
    return _counts(lease, sql, {"files": files}) if files else {}


def _counts(lease: Lease, sql: str, parameters: Mapping[str, Any] | None = None) -> dict[str, int]:
    return {counted["file"]: counted["rows"] for counted in lease.rows(sql, parameters)}


def _deleted(lease: Lease, place: Place, shortened: Mapping[str, int]) -> pa.Table:
    if len({file.rpartition("/")[2] for file in shortened}) < len(shortened):
        raise NotReadable(f"two files of {place.table} have the same name: only --engine duckdb tells them apart")
    given = {"files": list(shortened), "rows": list(shortened.values())}
    found = lease.rows(_DELETED.format(table=place.name), given)
    return pa.Table.from_pylist(found, pa.schema({"file_name": pa.string(), "row_index": pa.int64()}))


def _beside(lease: Lease, place: Place, columns: Mapping[str, str], files: list[str]) -> tuple[tuple[Any, ...], ...]:
    sql = f"SELECT {listed(columns)} FROM {place.name} WHERE NOT list_contains($files, filename)"
    return tuple(tuple(row.values()) for row in lease.rows(sql, {"files": files}))
