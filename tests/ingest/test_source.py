"""How much text a file holds decides how it is read: an archive holds about ten times its own size."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import pytest

from ingest.adapters.faultlens import ADAPTER
from ingest.bulk.reading import format_for
from ingest.source import GZIP_MAGIC, PARQUET_MAGIC, ZIP_MAGIC, ZSTD_MAGIC, Source, is_packed, text_size


@pytest.mark.parametrize("magic", [GZIP_MAGIC, ZSTD_MAGIC, ZIP_MAGIC, PARQUET_MAGIC])
def test_an_archive_counts_ten_times(tmp_path: Path, magic: bytes) -> None:
    path = tmp_path / "packed"
    path.write_bytes(magic.ljust(400_000, b"\x00"))
    assert is_packed(path)
    assert text_size(path) == 4_000_000


@pytest.mark.parametrize("data", [b"", b"P", b'{"record": "run"}\n' * 40_000])
def test_text_counts_as_it_is(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "plain"
    path.write_bytes(data)
    assert not is_packed(path)
    assert text_size(path) == len(data)


def test_what_is_not_there_counts_nothing(tmp_path: Path) -> None:
    assert text_size(tmp_path / "nowhere") == 0


@pytest.mark.parametrize(("records", "is_in_sets"), [(60_000, True), (2_000, False)])
def test_an_archive_of_much_text_is_read_in_sets(tmp_path: Path, records: int, *, is_in_sets: bool) -> None:
    chance = random.Random(3)  # noqa: S311 - data, no secret
    lines = (f'{{"record": "span", "run_id": "r1", "span_id": "{chance.getrandbits(64):x}"}}\n' for _ in range(records))
    path = tmp_path / "spans.jsonl.gz"
    path.write_bytes(gzip.compress("".join(lines).encode()))
    assert path.stat().st_size < 3_000_000
    assert (format_for(ADAPTER, Source(path, path.name, path.name)) is not None) is is_in_sets
