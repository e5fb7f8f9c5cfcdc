"""Several processes write one lake at once and others read it: nothing is lost or doubled, nobody sees an error."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ingest.load import ingest
from ingest.store import StoreUnusable, memory_connection
from ingest.store.lake import LakeStore
from tests.ingest.loaded import line

ROOT = Path(__file__).parents[2]
WRITERS = Path(__file__).with_name("writers.py")
SHARED_RUNS = 40


def process(*command: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *command],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def write_shared(folder: Path) -> None:
    (folder / "shared.jsonl").write_bytes(
        b"".join(line("error_event", f"shared-{n % SHARED_RUNS}", error_code="S", n=n) for n in range(400))
    )


def said(writer: subprocess.Popen[str]) -> dict[str, int]:
    out, err = writer.communicate(timeout=300)
    assert writer.returncode == 0, err
    answer: dict[str, int] = json.loads(out)
    return answer


def assert_holds_all(lake: LakeStore, written: dict[str, dict[str, int]]) -> None:
    """Every run and every record of every writer once; the file that both had once."""
    runs = sum(answer["runs"] for answer in written.values())
    with lake.lease() as lease:

        def one(sql: str) -> dict[str, Any]:
            (row,) = lease.rows(sql)
            return row

        assert one("SELECT count(*) AS n, count(DISTINCT run_id) AS ids FROM runs") == {
            "n": runs + len(written) + SHARED_RUNS,
            "ids": runs + len(written) + SHARED_RUNS,
        }
        assert one("SELECT count(*) AS n, count(DISTINCT (run_id, event_id)) AS ids FROM error_events") == {
            "n": 2 * runs + 400,
            "ids": 2 * runs + 400,
        }
        for name, answer in written.items():
            assert one(f"SELECT errors, flags FROM runs WHERE native_id = '{name}-grows'")["errors"] == answer["runs"]
        # What each file says of itself adds up to what is there, whoever came first with the file that both had.
        assert sum(answer["stored"] for answer in written.values()) == 3 * runs + 400
        assert one("SELECT count(*) AS n FROM source_files WHERE status = 'loaded'")["n"] == len(written) + 1
        assert one("SELECT sum(errors) AS n FROM runs")["n"] == 2 * runs + 400


def written_by_two(url: str, folder: Path, seconds: float) -> dict[str, dict[str, int]]:
    write_shared(folder)
    writers = {name: process(str(WRITERS), url, str(folder), name, str(seconds)) for name in ("left", "right")}
    return {name: said(writer) for name, writer in writers.items()}


def test_two_processes_that_ingest_for_some_seconds_lose_nothing_and_double_nothing(
    lake: LakeStore, url: str, tmp_path: Path
) -> None:
    written = written_by_two(url, tmp_path, 5)
    assert_holds_all(lake, written)


def test_two_processes_that_meet_the_same_new_file_store_it_once(lake: LakeStore, url: str, tmp_path: Path) -> None:
    write_shared(tmp_path)
    code = "import sys; from ingest.load import ingest; print(ingest([sys.argv[1]], sys.argv[2]).totals.stored)"
    both = [process("-c", code, str(tmp_path / "shared.jsonl"), url) for _ in range(2)]
    outs = [one.communicate(timeout=120) for one in both]
    assert sorted(int(out) for out, _ in outs) == [0, 400], outs
    with lake.lease() as lease:
        assert lease.rows("SELECT count(*) AS n FROM error_events") == [{"n": 400}]


STEPS = ["delete_runs", "insert_staged", "commit"]


@pytest.mark.parametrize("step", STEPS)
def test_an_ingest_that_is_killed_leaves_nothing(lake: LakeStore, url: str, tmp_path: Path, step: str) -> None:
    (tmp_path / "a.jsonl").write_bytes(line("run", "r") + line("error_event", "r", error_code="A"))
    ingest([str(tmp_path / "a.jsonl")], lake)
    with lake.lease() as lease:
        before = lease.generation
    with (tmp_path / "a.jsonl").open("ab") as file:
        file.write(line("error_event", "r", error_code="B"))
    code = (
        "import sys, time; from ingest.store import lake_publish; from ingest.load import ingest\n"
        f"real = lake_publish.LakePublication.{step}\n"
        "def slow(self, *given):\n"
        f"    if {step != 'commit'!r}: real(self, *given)\n"
        "    print('inside', flush=True); time.sleep(60)\n"
        f"lake_publish.LakePublication.{step} = slow\n"
        "ingest([sys.argv[1]], sys.argv[2])\n"
    )
    killed = process("-c", code, str(tmp_path / "a.jsonl"), url)
    assert killed.stdout is not None
    assert killed.stdout.readline() == "inside\n"
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    with lake.lease() as lease:
        assert lease.generation == before
        assert lease.rows("SELECT error_code FROM error_events") == [{"error_code": "A"}]
    # Its lock went with it: nobody waits for the dead.
    assert ingest([str(tmp_path / "a.jsonl")], lake).totals.stored == 1
    with lake.lease() as lease:
        assert lease.rows("SELECT error_code FROM error_events ORDER BY 1") == [
            {"error_code": "A"},
            {"error_code": "B"},
        ]


def test_a_writer_whose_turn_was_lost_stores_nothing(
    lake: LakeStore, con: duckdb.DuckDBPyConnection, cluster: Any
) -> None:
    lake._bring_up_to_date()

    def write() -> None:
        with lake.publication(con) as draft:
            draft.cursor().execute("INSERT INTO runs (run_id) VALUES ('x')")
            cluster.sql(
                "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted"
                " AND classid = 1718182901"
            )

    with pytest.raises(StoreUnusable, match="nothing was stored; try again"):
        write()
    with lake.lease() as lease:
        assert lease.rows("SELECT count(*) AS n FROM runs") == [{"n": 0}]
    with lake.publication(con) as draft:
        draft.cursor().execute("INSERT INTO runs (run_id) VALUES ('x')")
    with lake.lease() as lease:
        assert lease.rows("SELECT count(*) AS n FROM runs") == [{"n": 1}]


def test_readers_see_one_snapshot_each_while_runs_come_and_go(lake: LakeStore, url: str, tmp_path: Path) -> None:
    """Ingests, and a forget that erases the old snapshots, while four threads read."""
    write_shared(tmp_path)
    ingest([str(tmp_path / "shared.jsonl")], lake)
    faults, reads = read_meanwhile(url, lambda: _come_and_go(lake, tmp_path))
    assert faults == []
    assert reads > 20


def _come_and_go(lake: LakeStore, folder: Path) -> None:
    from ingest.removal import remove, run_ids

    for number in range(4):
        path = folder / f"{number}.jsonl"
        path.write_bytes(line("run", f"n-{number}") + line("error_event", f"n-{number}", error_code="E"))
        ingest([str(path)], lake)
        remove(lake, run_ids(lake, [f"shared-{number}"]), "forget")


def read_meanwhile(url: str, work: Callable[[], object], threads: int = 4) -> tuple[list[str], int]:
    """What went wrong with readers of one store, and how often they read, while the work was done."""
    stop, faults, reads = threading.Event(), list[str](), [0] * threads

    def read(number: int, store: LakeStore) -> None:
        while not stop.is_set():
            try:
                with store.lease() as lease:
                    found = [lease.rows(sql)[0]["n"] for sql in (
                        "SELECT coalesce(sum(errors), 0) AS n FROM runs", "SELECT count(*) AS n FROM error_events",
                    )]  # fmt: skip
                    time.sleep(0.01)
                    found.append(lease.rows("SELECT count(*) AS n FROM error_events")[0]["n"])
                    if len(set(found)) > 1:
                        faults.append(f"two snapshots in one lease: {found}")
                reads[number] += 1
            except Exception as error:  # noqa: BLE001 - whatever it is, a reader must never see it
                faults.append("".join(traceback.format_exception(error)))

    with LakeStore(url) as store:
        running = [threading.Thread(target=read, args=(number, store)) for number in range(threads)]
        for thread in running:
            thread.start()
        try:
            work()
        finally:
            stop.set()
            for thread in running:
                thread.join()
    return faults, sum(reads)


def test_a_review_does_not_wait_for_an_ingest_that_takes_long(lake: LakeStore, url: str) -> None:
    lake._bring_up_to_date()
    with (
        memory_connection() as con,
        memory_connection() as other,
        LakeStore(url) as second,
        lake.publication(con) as draft,
    ):
        draft.cursor().execute("INSERT INTO runs (run_id) VALUES ('x')")
        with second.people_publication(other, wait_s=5) as reviews:
            reviews.cursor().execute("INSERT INTO reviews (review_id, body, created_at) VALUES ('1', '{}', now())")
    with lake.lease() as lease:
        assert lease.rows("SELECT (SELECT count(*) FROM runs) AS runs, (SELECT count(*) FROM reviews) AS reviews") == [
            {"runs": 1, "reviews": 1}
        ]
