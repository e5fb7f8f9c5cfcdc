"""Files written, loaded and looked at: what the tests of the ingest room share."""

from __future__ import annotations

import json
from collections.abc import Collection
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ingest.load import ingest
from ingest.report import FileReport, IngestReport
from ingest.staging import RECORD_TABLES
from ingest.store import open_store

# Where a row came from is no part of what it says.
PLACE = {"file_id", "part", "line", "position"}
# When a row was read, which differs between equal stores.
_WHEN_READ = {"ingested_at"}
RUN = b'{"record": "run", "run_id": "r"}\n'


def line(record: str, run_id: Any = "r", **keys: Any) -> bytes:
    """One native line."""
    return json.dumps({"record": record, "run_id": run_id, **keys}).encode() + b"\n"


def error(code: str = "E", **keys: Any) -> bytes:
    return line("error_event", error_code=code, **keys)


@dataclass(frozen=True)
class Loaded:
    """A store and what the last ingest into it reported."""

    store: Path
    report: IngestReport

    @property
    def file(self) -> FileReport:
        (only,) = self.report.files
        return only

    @property
    def counts(self) -> tuple[int, int, int, int, int]:
        """records, stored, duplicates, rejected, skipped over all files."""
        total = self.report.totals
        return total.records, total.stored, total.duplicates, total.rejected, total.skipped

    def rows(self, sql: str, *values: Any) -> list[dict[str, Any]]:
        return rows(self.store, sql, *values)

    def one(self, sql: str) -> dict[str, Any]:
        (only,) = self.rows(sql)
        return only

    def values(self, sql: str) -> list[Any]:
        """The first column."""
        return [next(iter(row.values())) for row in self.rows(sql)]


def rows(store: Path, sql: str, *values: Any) -> list[dict[str, Any]]:
    with closing(open_store(store)) as opened, opened.lease() as lease:
        return lease.rows(sql, list(values))


def loaded(store: Path, *paths: Path | str, **options: Any) -> Loaded:
    report = ingest([str(path) for path in paths], store, **options)
    assert_accounted(report)
    return Loaded(store, report)


def load_bytes(folder: Path, data: bytes, name: str = "trace.jsonl", **options: Any) -> Loaded:
    path = folder / name
    path.write_bytes(data)
    return loaded(folder / "store.duckdb", path, **options)


def assert_accounted(report: IngestReport) -> None:
    for file in report.files:
        counts = file.counts
        assert counts.records == counts.stored + counts.duplicates + counts.rejected + counts.skipped, file


def content(store: Path) -> dict[str, list[str]]:
    """Every record table and the runs, without the place the rows came from: equal for equal stores."""
    with closing(open_store(store)) as opened, opened.lease() as lease:
        tables = {table: lease.rows(f"SELECT * FROM {table}") for table in (*RECORD_TABLES, "runs")}
    return {table: sorted(_without_place(row) for row in found) for table, found in tables.items()}


def everything(store: Path) -> dict[str, list[str]]:
    """Every row of every table, in an order of its own, all columns but the time of reading."""
    with closing(open_store(store)) as opened, opened.lease() as lease:
        names = lease.rows(
            "SELECT DISTINCT table_name AS name FROM duckdb_tables() WHERE NOT internal AND NOT temporary"
            # A lake's catalogue is attached beside it.
            " AND NOT starts_with(table_name, 'schema') AND NOT starts_with(table_name, 'ducklake_')"
        )
        found = {row["name"]: lease.rows(f"SELECT * FROM {row['name']}") for row in names}
    return {name: sorted(as_text(row, _WHEN_READ) for row in rows) for name, rows in found.items()}


def as_text(row: dict[str, Any], but: Collection[str]) -> str:
    """A sum of fractions depends on their order in its last digit."""
    said = {key: f"{value:.12g}" if isinstance(value, float) else value for key, value in row.items() if key not in but}
    return json.dumps(said, default=str, sort_keys=True)


def _without_place(row: dict[str, Any]) -> str:
    return json.dumps({key: value for key, value in row.items() if key not in PLACE}, default=str, sort_keys=True)
