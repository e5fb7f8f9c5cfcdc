"""An empty store and a full one, each open for reading."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.store import Lease, memory_connection, open_store
from tests.queries.full_store import write


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("empty") / "empty.duckdb"
    with memory_connection() as con, open_store(path).publication(con):
        pass
    return path


@pytest.fixture(scope="session")
def full_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("full") / "full.duckdb"
    write(path)
    return path


@pytest.fixture
def empty_lease(empty_store: Path) -> Iterator[Lease]:
    with open_store(empty_store) as store, store.lease() as lease:
        yield lease


@pytest.fixture
def full_lease(full_store: Path) -> Iterator[Lease]:
    with open_store(full_store) as store, store.lease() as lease:
        yield lease
