"""A small schema of two tables that are always written together, and a hub for each test."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from ingest.store import Hub, Migrations, Store, memory_connection, migrations_in
from ingest.store.lake import LakeStore
from tests import store_kind
from tests.ingest.store.writer import ROOT, Writer, opened

WRITER = Path(__file__).with_name("writer.py")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "migrations"
    folder.mkdir()
    (folder / "0001_two_tables.sql").write_text(
        "CREATE TABLE first_half (writer VARCHAR, n INTEGER);\nCREATE TABLE second_half (writer VARCHAR, n INTEGER);",
    )
    return folder


@pytest.fixture
def schema(folder: Path) -> Migrations:
    return migrations_in(folder)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "faultlens.duckdb"


@pytest.fixture
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with memory_connection() as con:
        yield con


@pytest.fixture
def hub() -> Iterator[Hub]:
    hub = Hub()
    yield hub
    hub.close()


@pytest.fixture
def url(path: Path) -> str:
    """What names the store: the path, or a lake with nothing in it."""
    return store_kind.bare(path)


@pytest.fixture
def store(url: str, schema: Migrations, hub: Hub) -> Store | LakeStore:
    return opened(url, schema, hub)


@pytest.fixture
def writer(url: str, folder: Path) -> Iterator[Writer]:
    """Start a writing process: `writer("name", publications)`, or `writer("name", 1, "hang")`."""
    started: list[subprocess.Popen[str]] = []

    def start(name: str, publications: int, mode: str = "run") -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, str(WRITER), url, str(folder), name, str(publications), mode],
            cwd=ROOT,
            env={"PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()
