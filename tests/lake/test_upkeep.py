"""What a lake needs now and then: few small files, and nothing left of what was removed for good."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import duckdb
import pytest

from ingest.load import ingest
from ingest.removal import remove, run_ids
from ingest.store import lake_upkeep, memory_connection
from ingest.store.lake import LakeStore
from ingest.store.lake_lock import Writing
from ingest.store.lake_upkeep import SNAPSHOTS_BETWEEN
from tests.cli.command import faultlens
from tests.ingest.loaded import line
from tests.lake.cluster import Cluster

SECRET = "the-planted-name-of-a-person"


def database(url: str) -> str:
    return url.split("dbname=")[1].split(maxsplit=1)[0]


def parquet_with(folder: Path, text: str) -> Iterator[str]:
    """The data files that hold the text; they are compressed, so their values are read."""
    with memory_connection() as con:
        for path in sorted(folder.rglob("*.parquet")):
            (count,) = con.execute(
                f"SELECT count(*) FROM (SELECT columns(*)::VARCHAR FROM read_parquet('{path}')) AS t"
                " WHERE t::VARCHAR LIKE ?",
                [f"%{text}%"],
            ).fetchall()[0]
            if count:
                yield path.relative_to(folder).as_posix()


def postgres_files_with(cluster: Cluster, name: str, text: str) -> list[str]:
    """The files of the database's tables that hold the text, after everything was written to disk."""
    cluster.sql("CHECKPOINT", name)
    (oid,) = cluster.sql(f"SELECT oid FROM pg_database WHERE datname = '{name}'")
    found = subprocess.run(
        ["grep", "-rla", text, str(cluster.folder / "data" / "base" / oid)], capture_output=True, check=False, text=True
    )
    return found.stdout.splitlines()


# What else the table holds: nothing, rows in the same file, rows in a file of their own.
BESIDES = ["nothing", "same", "other"]


@pytest.mark.parametrize("beside", BESIDES)
def test_a_forgotten_run_leaves_no_byte_in_files_or_catalogue(
    cluster: Cluster, lake: LakeStore, url: str, tmp_path: Path, beside: str
) -> None:
    files = Path(url.split("data_path='")[1][:-1])
    (tmp_path / "a.jsonl").write_bytes(
        line("run", "gone") + line("error_event", "gone", error_code="E", details=SECRET) + line("run", "stays")
    )
    kept = line("error_event", "stays", error_code="E", details="kept")
    with (tmp_path / ("a.jsonl" if beside == "same" else "b.jsonl")).open("ab") as file:
        file.write(kept if beside != "nothing" else line("run", "stays"))
    ingest([str(tmp_path / "a.jsonl")], lake)
    if beside != "same":
        ingest([str(tmp_path / "b.jsonl")], lake)
    assert list(parquet_with(files, SECRET))
    assert postgres_files_with(cluster, database(url), SECRET)
    remove(lake, run_ids(lake, ["gone"]), "forget")
    assert list(parquet_with(files, SECRET)) == []
    assert postgres_files_with(cluster, database(url), SECRET) == []
    with lake.lease() as lease:
        assert lease.rows("SELECT native_id FROM runs") == [{"native_id": "stays"}]
        details = [] if beside == "nothing" else [{"details": "kept"}]
        assert lease.rows("SELECT details FROM error_events WHERE details >= 'a' ORDER BY 1") == details
    assert ingest([str(tmp_path / "a.jsonl")], lake).totals.stored == 0


def test_an_erasure_waits_for_whoever_reads_what_it_erases(
    lake: LakeStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lake_upkeep, "READERS_WAIT_S", 0.3)
    (tmp_path / "a.jsonl").write_bytes(line("run", "gone") + line("run", "stays"))
    ingest([str(tmp_path / "a.jsonl")], lake)
    waited: list[bool] = []
    real = Writing.wait_for_readers

    def noted(self: Writing, before: int, wait_s: float) -> bool:
        waited.append(real(self, before, wait_s))
        return waited[-1]

    monkeypatch.setattr(Writing, "wait_for_readers", noted)
    with lake.lease() as lease:
        assert len(lease.rows("SELECT run_id FROM runs")) == 2
        remove(lake, run_ids(lake, ["gone"]), "forget")
    assert waited == [False]
    (tmp_path / "b.jsonl").write_bytes(line("run", "more"))
    ingest([str(tmp_path / "b.jsonl")], lake)
    remove(lake, run_ids(lake, ["more"]), "forget")
    assert waited == [False, True]


def test_many_small_publications_leave_few_files(
    lake: LakeStore, con: duckdb.DuckDBPyConnection, cluster: Cluster, url: str
) -> None:
    for number in range(2 * SNAPSHOTS_BETWEEN):
        with lake.publication(con) as draft:
            draft.cursor().execute("INSERT INTO runs (run_id) VALUES (?)", [str(number)])
    (live,) = cluster.sql(
        "SELECT count(*) FROM ducklake_data_file JOIN ducklake_table USING (table_id)"
        " WHERE table_name = 'runs' AND ducklake_data_file.end_snapshot IS NULL",
        database(url),
    )
    assert int(live) <= SNAPSHOTS_BETWEEN
    with lake.lease() as lease:
        assert lease.rows("SELECT count(*) AS n, count(DISTINCT run_id) AS ids FROM runs") == [
            {"n": 2 * SNAPSHOTS_BETWEEN, "ids": 2 * SNAPSHOTS_BETWEEN}
        ]


def test_a_zero_byte_in_a_text_is_kept(lake: LakeStore, tmp_path: Path) -> None:
    """PostgreSQL knows none: such a text must not come to lie in the catalogue."""
    (tmp_path / "a.jsonl").write_bytes(line("error_event", "r", error_code="E", details="before\x00after"))
    assert ingest([str(tmp_path / "a.jsonl")], lake).totals.stored == 1
    with lake.lease() as lease:
        assert lease.rows("SELECT details FROM error_events") == [{"details": "before\x00after"}]


def test_prune_leaves_one_snapshot_and_no_file_of_an_older_one(
    cluster: Cluster, lake: LakeStore, url: str, tmp_path: Path
) -> None:
    files = Path(url.split("data_path='")[1][:-1])
    for number, started in enumerate(("2020-01-01T00:00:00Z", "2020-02-01T00:00:00Z", "2100-01-01T00:00:00Z")):
        path = tmp_path / f"{number}.jsonl"
        run = line("run", f"r{number}", status="failed", started_at=started)
        told = {"error_code": "E", "location": "a.py", "state_hash": "1", "details": f"{SECRET} {number}"}
        path.write_bytes(run + line("error_event", f"r{number}", **told))
        ingest([str(path)], lake)
    foreseen = faultlens("prune", "--older-than", "90d", "--dry-run", "--store", url, folder=tmp_path)
    assert foreseen.code == 0, foreseen.err
    assert len(list(parquet_with(files, SECRET))) == 3
    done = faultlens("prune", "--older-than", "90d", "--store", url, folder=tmp_path)
    assert done.code == 0, done.err
    with lake.lease() as lease:
        assert lease.rows("SELECT native_id FROM runs") == [{"native_id": "r2"}]
        assert lease.rows("SELECT sum(occurrences)::BIGINT AS n FROM signature_totals") == [{"n": 1}]
    assert cluster.sql("SELECT count(*) FROM ducklake_snapshot", database(url)) == ["1"]
    listed = cluster.sql("SELECT count(*) FROM ducklake_data_file WHERE end_snapshot IS NULL", database(url))
    deletes = cluster.sql("SELECT count(*) FROM ducklake_delete_file WHERE end_snapshot IS NULL", database(url))
    assert len(list(files.rglob("*.parquet"))) == int(listed[0])
    assert deletes == ["0"]
    assert [path for number in (0, 1) for path in parquet_with(files, f"{SECRET} {number}")] == []
    assert postgres_files_with(cluster, database(url), f"{SECRET} 0") == []


def test_upkeep_expires_what_nobody_has_read_for_long(
    cluster: Cluster, lake: LakeStore, url: str, con: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = Path(url.split("data_path='")[1][:-1])
    monkeypatch.setattr(lake_upkeep, "_KEPT_FOR", timedelta(0))
    monkeypatch.setattr(lake_upkeep, "SNAPSHOTS_BETWEEN", 4)
    for number in range(9):
        with lake.publication(con) as draft:
            draft.cursor().execute("DELETE FROM runs").fetchall()
            draft.cursor().execute("INSERT INTO runs (run_id) VALUES (?)", [str(number)]).fetchall()
    assert int(cluster.sql("SELECT count(*) FROM ducklake_snapshot", database(url))[0]) <= 6
    known = cluster.sql("SELECT count(*) FROM ducklake_data_file", database(url))
    deleted = cluster.sql("SELECT count(*) FROM ducklake_delete_file", database(url))
    waiting = cluster.sql("SELECT count(*) FROM ducklake_files_scheduled_for_deletion", database(url))
    assert len(list(files.rglob("*.parquet"))) == sum(int(n) for (n,) in (known, deleted, waiting))
    with lake.lease() as lease:
        assert lease.rows("SELECT run_id FROM runs") == [{"run_id": "8"}]
