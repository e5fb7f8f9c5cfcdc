"""A file of more records than a lake's only writer can hold at once is stored whole within the memory of an ingest."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from ingest.load import ingest
from ingest.store.lake import LakeStore
from tests.bench import otlp_data
from tests.lake.cluster import MISSING, programs, running

pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(
        find_spec("duckdb_extension_ducklake") is None, reason="needs faultlens[lake]: make install-lake"
    ),
    pytest.mark.skipif(programs() is None, reason=MISSING),
]

# Spans of four portions: two had no room beside the Parquet in the making when they were twice as large.
SPANS = 800_000


def test_a_large_file_goes_into_a_lake_within_the_memory_of_an_ingest(tmp_path: Path) -> None:
    file = tmp_path / "large.jsonl"
    otlp_data.write(file, spans=SPANS)
    with running() as server:
        url = server.lake("large", tmp_path / "files")
        report = ingest([str(file)], url)
        assert report.as_json()["totals"]["stored"] == SPANS
        with LakeStore(url) as store, store.lease() as lease:
            assert lease.rows("SELECT count(*) AS spans FROM spans") == [{"spans": SPANS}]
