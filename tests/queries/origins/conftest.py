"""The stories of sample_traces/origins in a store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.load import ingest
from ingest.store import Lease, open_store

STORIES = Path(__file__).parents[3] / "sample_traces" / "origins"


@pytest.fixture(scope="module")
def stories_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("stories") / "stories.duckdb"
    report = ingest([str(STORIES)], path)
    assert all(file.counts.rejected == 0 for file in report.files)
    return path


@pytest.fixture
def stories(stories_path: Path) -> Iterator[Lease]:
    with open_store(stories_path).lease() as lease:
        yield lease
