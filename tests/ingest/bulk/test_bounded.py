"""A file of more records than may be in memory: what is held at once follows from the limits, not from the file."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO
from unittest.mock import patch

import pytest

from ingest import affected, merge, staging, storing
from ingest.affected import Affected
from ingest.bulk import reading
from ingest.bulk.windows import Window, windows
from ingest.staging import RECORD_TABLES, NoRoom, Staging
from tests.bench import data, otlp_data
from tests.ingest.bulk.both import bulk_from
from tests.ingest.loaded import RUN, content, load_bytes, loaded

LIMIT_MB = 90
WINDOW_BYTES = 4 << 20
ROWS_AT_ONCE = 100_000
# The rows of the largest run, which is never split.
LARGEST_RUN = 1_000
# One a hand, one read ahead, and one whose lines the record path still looks at.
WINDOWS_AT_ONCE = staging.HANDS + 2


class Held:
    """The most windows, rows of a portion, and memory of DuckDB that were there at one time."""

    def __init__(self) -> None:
        self.windows = self.rows = self.memory = self.put_aside = 0
        self._read: list[weakref.ref[object]] = []

    def windows_of(self, stream: BinaryIO) -> Iterator[Window]:
        for window in windows(stream, WINDOW_BYTES):
            self._read.append(weakref.ref(window.lines))
            self.windows = max(self.windows, sum(read() is not None for read in self._read))
            yield window

    def look(self, of: Staging) -> None:
        rows = sum(of.workspace.counts(RECORD_TABLES).values()) if not of.is_in_memory else 0
        self.rows = max(self.rows, rows)
        asked = "SELECT sum(memory_usage_bytes), sum(temporary_storage_bytes) FROM duckdb_memory()"
        memory, put_aside = of.con.execute(asked).fetchall()[0]
        self.memory, self.put_aside = max(self.memory, memory), max(self.put_aside, put_aside)


def bounded(file: Path, store: Path) -> Held:
    """The file is in the store, read within the limits."""
    held, prepare = Held(), merge.prepare

    def prepared(of: Staging, name: str, found: Affected, *rest: object, **more: object) -> bool:
        held.look(of)
        return prepare(of, name, found, *rest, **more)  # type: ignore[arg-type]

    with (
        bulk_from(0),
        patch.object(storing, "IN_MEMORY_BYTES", 0),
        patch.object(staging, "MEMORY_LIMIT", f"{LIMIT_MB}MB"),
        patch.object(staging, "ROWS_AT_ONCE", 5_000),
        patch.object(affected, "ROWS_AT_ONCE", ROWS_AT_ONCE),
        patch.object(reading, "windows", held.windows_of),
        patch.object(merge, "prepare", prepared),
    ):
        loaded(store, file)
    return held


# What a lake writes is Parquet, and one row group of that in the making needs most of this little.
@pytest.mark.file_store
@pytest.mark.parametrize("form", [pytest.param("native", marks=pytest.mark.soak), "otlp"])
def test_what_is_held_follows_from_the_limits(form: str, tmp_path: Path) -> None:
    file = tmp_path / "large.jsonl"
    if form == "native":
        data.write(file, events=100_000, runs=2_000)
    else:
        otlp_data.write(file, spans=40_000)
    held = bounded(file, tmp_path / "bounded.duckdb")
    assert held.put_aside > 0
    assert held.memory <= LIMIT_MB * 1_000_000 * 1.05
    assert held.windows <= WINDOWS_AT_ONCE
    assert 0 < held.rows <= ROWS_AT_ONCE + LARGEST_RUN
    loaded(tmp_path / "at-once.duckdb", file)
    assert content(tmp_path / "bounded.duckdb") == content(tmp_path / "at-once.duckdb")


def test_where_the_memory_does_not_do_one_line_says_so_and_the_store_stays(tmp_path: Path) -> None:
    file, store = tmp_path / "large.jsonl", load_bytes(tmp_path, RUN).store
    before = content(store)
    data.write(file, events=20_000, runs=400)
    with (
        patch.object(storing, "IN_MEMORY_BYTES", 0),
        patch.object(staging, "MEMORY_LIMIT", "6MB"),
        pytest.raises(NoRoom, match="the store is unchanged; free memory") as refused,
    ):
        loaded(store, file)
    assert "\n" not in str(refused.value)
    assert refused.value.exit_code == 3
    assert content(store) == before
