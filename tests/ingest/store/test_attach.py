"""Generations of a store in files: a file is attached, and let go of."""

from pathlib import Path

import duckdb
import pytest

from ingest.store import Hub, Store, process_hub
from tests.ingest.store.protocol import counts, publish

pytestmark = pytest.mark.file_store


def test_fifty_generations_leave_one_attached_and_no_file_open(
    store: Store,
    hub: Hub,
    con: duckdb.DuckDBPyConnection,
) -> None:
    for n in range(50):
        publish(store, con, n)
        assert counts(store) == (n + 1, n + 1)
    assert len(hub.attached()) == 1
    assert len(open_files(store.path)) == 1


def open_files(path: Path) -> list[str]:
    targets = [str(link.readlink()) for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]
    return [target for target in targets if target.startswith(str(path))]


def test_a_store_that_is_taken_away_reads_as_empty_again(store: Store, con: duckdb.DuckDBPyConnection) -> None:
    publish(store, con)
    assert counts(store) == (1, 1)
    store.path.unlink()
    assert counts(store) == (0, 0)
    assert store._hub.attached() == []


def test_a_process_has_one_hub() -> None:
    assert process_hub() is process_hub()
