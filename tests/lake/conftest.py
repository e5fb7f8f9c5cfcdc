"""A lake for each test, of a PostgreSQL that all of them share."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import duckdb
import pytest

from ingest.store import memory_connection
from ingest.store.lake import LakeStore
from tests import store_kind
from tests.lake.cluster import MISSING, Cluster, programs

HERE = Path(__file__).parent
_numbers = itertools.count(1)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Without the extra there is nothing to test here; without PostgreSQL neither, unless it may not be missing."""
    extra = find_spec("duckdb_extension_ducklake") is not None
    postgres = programs() is not None or os.environ.get("CI") == "true"
    reason = "needs faultlens[lake]: make test-lake" if not extra else None if postgres else MISSING
    for item in items:
        if reason and HERE in item.path.parents:
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def cluster() -> Cluster:
    return store_kind.cluster()


@pytest.fixture
def new_url(cluster: Cluster, tmp_path: Path) -> Iterator[Callable[[], str]]:
    """The URLs of lakes that have nothing in them yet; each has its files below the test's folder."""
    made: list[str] = []

    def new() -> str:
        made.append(f"t{os.getpid()}_{next(_numbers)}")
        return cluster.lake(made[-1], tmp_path / f"{made[-1]}.files")

    yield new
    for database in made:
        cluster.drop(database)


@pytest.fixture
def url(new_url: Callable[[], str]) -> str:
    return new_url()


@pytest.fixture
def lake(url: str) -> Iterator[LakeStore]:
    with LakeStore(url) as store:
        yield store


@pytest.fixture
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with memory_connection() as con:
        yield con
