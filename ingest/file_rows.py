"""What a store says of the files themselves: their counts, what was refused in them, and what was left out."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa

from ingest.reading import File


def record_files(store: Any, files: list[File]) -> None:
    """The store says of each file what became of its records, and no longer what it said of a shorter version."""
    now = datetime.now(UTC)
    for file in files:
        for grown in file.grown_from:
            _supersede(store, grown, file.file_id)
    earlier = dict(
        store.execute(
            "SELECT file_id, stored FROM source_files WHERE status = 'loaded' AND list_contains(?, file_id)",
            [[file.file_id for file in files]],
        ).fetchall()
    )
    rows = [row for file in files for row in _file_rows(file, now, earlier.get(file.file_id, 0))]
    _replace_rows(store, "source_files", rows)
    _replace_rows(store, "rejections", [row for file in files for row in file.rejections])
    _replace_rows(store, "skipped_records", [row for file in files for row in file.skips])


def _supersede(store: Any, shorter: str, longer: str) -> None:
    """The shorter version stays known; what was refused or skipped in it is listed once, with the longer one."""
    store.execute(
        "UPDATE source_files SET status = 'superseded', superseded_by = ? WHERE file_id = ?", [longer, shorter]
    ).fetchall()
    for table in ("rejections", "skipped_records"):
        store.execute(f"DELETE FROM {table} WHERE file_id = ?", [shorter]).fetchall()


def _replace_rows(store: Any, table: str, rows: Iterable[tuple[Any, ...]]) -> None:
    """The rows are in the table, in place of those that an earlier reading of the same bytes left."""
    rows = list(rows)
    if not rows:
        return
    names = [row[0] for row in store.execute(f"DESCRIBE {table}").fetchall()]
    ids = sorted({row[0] for row in rows})
    store.execute(f"DELETE FROM {table} WHERE file_id IN (SELECT unnest(?))", [ids]).fetchall()
    columns = {name: list(values) for name, values in zip(names, zip(*rows, strict=True), strict=False)}
    # On the cursor that was given: on a lake its transaction is the publication.
    store.register("rows_of_files", pa.table(columns))
    store.execute(f"INSERT INTO {table} BY NAME SELECT * FROM rows_of_files").fetchall()
    store.unregister("rows_of_files")


def path_of(file: File, part: str | None) -> str:
    """Where the file lies, or one of its companions."""
    return file.report.path if part is None else os.path.normpath(Path(file.report.path).parent / part)


def _file_rows(file: File, now: datetime, stored_earlier: int) -> Iterator[tuple[Any, ...]]:
    """A row for the file with the counts of its bundle, and one for each companion.

    What an earlier reading of the same bytes stored (another format, another writer at the same time) stays stored.
    """
    counts, report = file.report.counts, file.report
    version = file.adapter.version if file.adapter else None
    kept = counts.stored + counts.duplicates
    stored = min(stored_earlier + counts.stored, kept)
    for part, file_id in file.file_ids.items():
        path = path_of(file, part)
        numbers = (
            (counts.records, stored, kept - stored, counts.rejected, counts.skipped)
            if part is None
            else (0, 0, 0, 0, 0)
        )
        belongs_to = None if part is None else file.file_id
        yield (
            file_id, path, report.format, version, file.sizes[part], *numbers, report.status, report.reason, now,
            belongs_to, None,
        )  # fmt: skip
