"""What can be wrong with a shared store is one line, exit 3, and never shows the password."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from ingest.store import StoreTooNew, StoreUnusable
from ingest.store.lake import LakeStore
from tests.cli.command import faultlens
from tests.ingest.loaded import line
from tests.lake.cluster import Cluster, running

SECRET = "hunter2-the-password"


def refusal(url: str, use: Callable[[LakeStore], object] = lambda store: store.lease().close()) -> StoreUnusable:
    with LakeStore(url) as store, pytest.raises(StoreUnusable) as refused:
        use(store)
    assert refused.value.exit_code == 3
    assert "\n" not in str(refused.value)
    assert SECRET not in str(refused.value)
    assert SECRET not in repr(refused.getrepr(style="long"))
    return refused.value


def made(url: str) -> str:
    with LakeStore(url) as store:
        store._bring_up_to_date()
    return url


def bring_up_to_date(store: LakeStore) -> None:
    store._bring_up_to_date()


def test_postgresql_that_does_not_run_is_named(tmp_path: Path) -> None:
    url = f"ducklake:postgres:dbname=x host={tmp_path} user=u password={SECRET}"
    assert re.search(r"No such file or directory: check that PostgreSQL runs there", str(refusal(url)))
    assert re.search("check that PostgreSQL runs there", str(refusal(url, bring_up_to_date)))
    refused = refusal(f"ducklake:postgres://u:{SECRET}@127.0.0.1:9/x")
    assert "Connection refused: check that PostgreSQL runs" in str(refused)
    assert "u:***@127.0.0.1:9/x" in str(refused)


def test_a_wrong_password_is_named(cluster: Cluster) -> None:
    cluster.sql("DROP ROLE IF EXISTS guarded; CREATE ROLE guarded LOGIN PASSWORD 'another'")
    cluster.drop("guarded_lake")
    cluster.create("guarded_lake")
    url = f"{cluster.url('guarded_lake', user='guarded')} password={SECRET}"
    assert 'password authentication failed for user "guarded": check user and password' in str(refusal(url))
    assert "no password supplied: check user and password" in str(refusal(cluster.url("guarded_lake", user="guarded")))


def test_a_database_or_a_user_that_does_not_exist_is_named(cluster: Cluster) -> None:
    assert 'database "nowhere" does not exist: create it first' in str(refusal(cluster.url("nowhere")))
    assert 'role "nobody-here" does not exist: check user=' in str(refusal(cluster.url("postgres", user="nobody-here")))


def test_a_lake_is_made_only_where_its_files_may_lie(cluster: Cluster) -> None:
    cluster.create("no_place")
    with LakeStore(cluster.url("no_place")) as store, store.lease() as lease:
        assert lease.rows("SELECT count(*) AS n FROM runs") == [{"n": 0}]
    refused = refusal(cluster.url("no_place"), bring_up_to_date)
    assert "FAULTLENS_DATA_PATH" in str(refused)
    assert "s3://bucket/folder" in str(refused)
    cluster.drop("no_place")


def test_whoever_comes_later_need_not_say_where_the_files_are_and_may_not_say_otherwise(
    url: str, tmp_path: Path
) -> None:
    made(url)
    elsewhere = re.sub("data_path='[^']*'", "", url)
    with LakeStore(elsewhere) as store:
        bring_up_to_date(store)
        with store.lease() as lease:
            assert lease.as_of is not None
    refused = refusal(f"{elsewhere} data_path='{tmp_path / 'elsewhere'}'", bring_up_to_date)
    assert "leave data_path out" in str(refused)


def test_a_lake_of_a_newer_ducklake_is_named(cluster: Cluster, url: str) -> None:
    made(url)
    database = url.split("dbname=")[1].split(maxsplit=1)[0]
    cluster.sql("UPDATE ducklake_metadata SET value = '9.0' WHERE key = 'version'", database)
    refused = refusal(url)
    assert isinstance(refused, StoreTooNew)
    assert "catalog version is 9.0" in str(refused)
    assert "upgrade faultlens" in str(refused)


def test_a_user_who_may_only_read_reads_and_is_told_when_it_writes(cluster: Cluster, url: str) -> None:
    made(url)
    database = url.split("dbname=")[1].split(maxsplit=1)[0]
    cluster.sql("DROP ROLE IF EXISTS reader; CREATE ROLE reader LOGIN; GRANT pg_read_all_data TO reader")
    with LakeStore(cluster.url(database, user="reader")) as store, store.lease() as lease:
        assert lease.rows("SELECT count(*) AS n FROM runs") == [{"n": 0}]

    def write(store: LakeStore) -> None:
        from ingest.store import memory_connection

        with memory_connection() as con, store.publication(con) as draft:
            draft.cursor().execute("INSERT INTO runs (run_id) VALUES ('x')")

    assert "ask for the right to write" in str(refusal(cluster.url(database, user="reader"), write))


def test_a_postgresql_that_is_started_anew_is_read_again(tmp_path: Path) -> None:
    with running() as server, LakeStore(server.lake("x", tmp_path / "files")) as store:
        store._bring_up_to_date()
        with store.lease() as lease:
            assert lease.rows("SELECT count(*) AS n FROM runs") == [{"n": 0}]
        server.stop("fast")
        with pytest.raises(StoreUnusable, match="check that PostgreSQL runs"):
            store.lease()
        server.start()
        with store.lease() as lease:
            assert lease.rows("SELECT count(*) AS n FROM runs") == [{"n": 0}]


def test_the_command_says_it_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(line("run", "r"))
    url = f"ducklake:postgres:dbname=x host={tmp_path} password={SECRET}"
    for command in (
        ["ingest", "a.jsonl"],
        ["query", "runs"],
        ["check"],
        ["forget", "r"],
        ["serve"],
        ["copy", "--to", "b.duckdb"],
    ):
        done = faultlens(*command, "--store", url, folder=tmp_path)
        assert done.code == 3, done
        assert "check that PostgreSQL runs there" in done.refusal
        assert SECRET not in done.err
