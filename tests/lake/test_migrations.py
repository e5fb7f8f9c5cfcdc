"""A lake of an older version is brought up to date by whoever opens it, with everything that it holds."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

import pytest

from ingest.store import StoreUnusable, main_migrations, memory_connection, people_migrations
from ingest.store.lake import LakeStore
from ingest.store.migrate import Migration, newest
from tests.lake.test_concurrent import process

VERSIONS = [step.version for step in main_migrations()]
COLUMNS = """
SELECT table_name, column_name, data_type FROM duckdb_columns()
WHERE database_name = split_part(current_setting('search_path'), '.', 1) AND NOT internal ORDER BY ALL
"""
OPEN = """
import sys
from ingest.store import open_store
with open_store(sys.argv[1]) as store, store.lease() as lease:
    print(lease.rows("SELECT count(*) AS n FROM runs")[0]["n"])
"""


def older(url: str, version: int) -> None:
    """The lake has the schema of that version, with a run in it and a review of it."""
    steps = main_migrations()[:version]
    with LakeStore(url, migrations=steps, people=people_migrations()[:1]) as store, memory_connection() as con:
        with store.publication(con) as draft:
            draft.cursor().execute("INSERT INTO runs (run_id, status) VALUES ('r', 'failed')").fetchall()
        with store.people_publication(con) as draft:
            draft.cursor().execute(
                "INSERT INTO reviews (review_id, run_id, body, created_at) VALUES ('1', 'r', '{}', now())"
            ).fetchall()


def versions(store: LakeStore) -> list[int]:
    """Which steps the lake has seen, of its records."""
    with store.lease() as lease:
        return [row["version"] for row in lease.rows("SELECT version FROM schema_version ORDER BY ALL")]


@pytest.mark.parametrize("version", [1, 5, VERSIONS[-2]])
def test_whoever_reads_it_finds_the_newest_schema_and_what_was_there(new_url: Callable[[], str], version: int) -> None:
    url, fresh = new_url(), new_url()
    older(url, version)
    with LakeStore(url) as store, LakeStore(fresh) as made:
        made._bring_up_to_date()
        with store.lease() as lease, made.lease() as as_new:
            assert lease.rows(COLUMNS) == as_new.rows(COLUMNS) != []
            assert lease.rows("SELECT run_id, status FROM runs") == [{"run_id": "r", "status": "failed"}]
            assert lease.rows("SELECT run_id FROM reviews") == [{"run_id": "r"}]
        assert versions(store) == VERSIONS


def test_two_processes_that_open_it_at_once_bring_it_up_to_date_once(url: str) -> None:
    older(url, VERSIONS[-2])
    both: list[subprocess.Popen[str]] = [process("-c", OPEN, url) for _ in range(2)]
    told = [one.communicate(timeout=120) for one in both]
    assert [out for out, _ in told] == ["1\n", "1\n"], told
    with LakeStore(url) as store:
        assert versions(store) == VERSIONS
        assert VERSIONS[-1] == newest(main_migrations())


def test_a_step_that_fails_is_one_line_about_the_store_and_leaves_it_as_it_was(url: str) -> None:
    older(url, VERSIONS[-1])
    broken = Migration(VERSIONS[-1] + 1, "broken", "CREATE TABLE half (n INTEGER); SELECT n FROM nowhere")
    with (
        LakeStore(f"{url} password=hunter2", migrations=(*main_migrations(), broken)) as store,
        pytest.raises(StoreUnusable, match=f"{broken.version:04d}_broken failed") as refused,
    ):
        store.lease().close()
    assert str(refused.value).startswith("store ducklake:postgres:")
    assert "hunter2" not in str(refused.value)
    assert refused.value.__cause__ is None
    with LakeStore(url) as store, store.lease() as lease:
        assert lease.rows("SELECT run_id FROM runs") == [{"run_id": "r"}]
        assert "half" not in {row["table_name"] for row in lease.rows(COLUMNS)}
