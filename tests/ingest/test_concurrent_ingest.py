"""Several ingests and several readers at once, each really done."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from ingest.store import open_store
from tests.ingest.loaded import line, loaded, rows

# The same of a lake: tests/lake/test_concurrent.py.
pytestmark = pytest.mark.file_store

ROOT = Path(__file__).parents[2]
WRITER = Path(__file__).with_name("writer.py")


def writing(store: Path, name: str, count: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(WRITER), str(store), name, str(count)],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def both_write(store: Path, count: int) -> None:
    processes = [writing(store, name, count) for name in ("left", "right")]
    said = [process.communicate() for process in processes]
    assert [(process.returncode, out) for process, (out, _) in zip(processes, said, strict=True)] == [
        (0, "done\n")
    ] * 2, said


def assert_holds_all(store: Path, count: int) -> None:
    assert rows(store, "SELECT count(*) AS n, count(DISTINCT run_id) AS ids, sum(errors) AS errors FROM runs") == [
        {"n": count, "ids": count, "errors": count}
    ]
    assert rows(store, "SELECT count(*) AS n, sum(stored) AS stored FROM source_files WHERE status = 'loaded'") == [
        {"n": count, "stored": 2 * count}
    ]
    left_over = {path.name for path in store.parent.iterdir() if not path.name.endswith(".jsonl")}
    assert left_over == {store.name, f"{store.name}.lock"}


def test_two_processes_of_10_ingests_each_lose_nothing(tmp_path: Path) -> None:
    both_write(tmp_path / "s.duckdb", 10)
    assert_holds_all(tmp_path / "s.duckdb", 20)


@pytest.mark.soak
def test_two_processes_of_60_ingests_each_make_120_publishes(tmp_path: Path) -> None:
    both_write(tmp_path / "s.duckdb", 60)
    assert_holds_all(tmp_path / "s.duckdb", 120)


def read_while_written(store: Path, count: int) -> tuple[int, list[str]]:
    """How many leases six threads took while a process ingested, and what went wrong with them."""
    stop, faults, leases = threading.Event(), list[str](), [0] * 6

    def read(number: int) -> None:
        with closing(open_store(store)) as opened:
            while not stop.is_set():
                try:
                    with opened.lease() as lease:
                        # Three questions of one lease: runs, what each says of its errors, the errors themselves.
                        found = [lease.rows(sql)[0]["n"] for sql in (
                            "SELECT count(*) AS n FROM runs", "SELECT coalesce(sum(errors), 0) AS n FROM runs",
                            "SELECT count(*) AS n FROM error_events",
                        )]  # fmt: skip
                        if len(set(found)) > 1:
                            faults.append(f"two generations in one lease: {found}")
                    leases[number] += 1
                except Exception as error:  # noqa: BLE001 - whatever it is, a reader must never see it
                    faults.append(repr(error))

    threads = [threading.Thread(target=read, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    process = writing(store, "w", count)
    out, err = process.communicate()
    stop.set()
    for thread in threads:
        thread.join()
    assert (process.returncode, out) == (0, "done\n"), err
    return sum(leases), faults


def test_six_readers_during_10_publishes_see_one_generation_each(tmp_path: Path) -> None:
    leases, faults = read_while_written(tmp_path / "s.duckdb", 10)
    assert faults == []
    assert leases > 10
    assert_holds_all(tmp_path / "s.duckdb", 10)


@pytest.mark.soak
def test_six_readers_during_70_publishes_see_one_generation_each(tmp_path: Path) -> None:
    leases, faults = read_while_written(tmp_path / "s.duckdb", 70)
    assert faults == []
    assert leases > 70
    assert_holds_all(tmp_path / "s.duckdb", 70)


def test_two_processes_that_meet_the_same_file_store_it_once(tmp_path: Path) -> None:
    store, file = tmp_path / "s.duckdb", tmp_path / "same.jsonl"
    file.write_bytes(b"".join(line("error_event", f"run-{n % 50}", n=n) for n in range(5_000)))
    code = "import sys; from ingest.load import ingest; print(ingest([sys.argv[1]], sys.argv[2]).totals.stored)"
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(file), str(store)], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    stored = [int(process.communicate()[0]) for process in processes]
    assert sorted(stored) == [0, 5_000]
    assert rows(store, "SELECT count(*) AS n FROM error_events") == [{"n": 5_000}]


def test_an_ingest_leaves_nothing_attached_to_the_process(tmp_path: Path) -> None:
    """Else every ingest of a long-lived process holds one more replaced file open."""

    def attached() -> int:
        with closing(open_store(tmp_path / "other.duckdb")) as opened, opened.lease() as lease:
            found = lease.rows("SELECT count(*) AS n FROM duckdb_databases() WHERE path IS NOT NULL")
            return int(found[0]["n"])

    before = attached()
    for number in range(3):
        (tmp_path / f"{number}.jsonl").write_bytes(line("run", number))
        loaded(tmp_path / "s.duckdb", tmp_path / f"{number}.jsonl")
    assert attached() == before
