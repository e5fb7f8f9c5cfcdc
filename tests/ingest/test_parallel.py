"""Several files read side by side: store and report are those of one process, whatever happens to the others."""

from __future__ import annotations

import shutil
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from ingest.discover import Found, Unread
from ingest.load import ingest
from ingest.parallel import processes
from ingest.parallel.messages import Told
from ingest.reading import File
from ingest.source import Source
from ingest.staging import Staging
from tests.ingest.loaded import everything

SAMPLES = Path(__file__).parents[2] / "sample_traces"
FOLDERS = ("claude_code", "codex", "faultlens", "nexus_blocks", "jaeger", "mlflow", "langfuse", "run_dash", "inspect")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Samples of many formats, a copy of one under another name, and files that are refused or hardly readable."""
    folder = tmp_path / "traces"
    for name in FOLDERS:
        shutil.copytree(SAMPLES / name, folder / name, ignore=shutil.ignore_patterns("*.md", "*.tsv"))
    shutil.copy(SAMPLES / "codex" / "failures.jsonl", folder / "again.jsonl")
    (folder / "cut.jsonl").write_bytes((SAMPLES / "claude_code" / "retries.jsonl").read_bytes()[:3_000])
    (folder / "damaged.jsonl.gz").write_bytes(b"\x1f\x8b\x08\x00no archive")
    (folder / "empty.jsonl").write_bytes(b"")
    (folder / "nobody's.bin").write_bytes(bytes(range(256)))
    return folder


@pytest.fixture
def side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two processes, however small the files are."""
    monkeypatch.setattr(processes, "SMALLEST_BYTES", 0)
    monkeypatch.setattr(processes, "_cores", lambda: 2)


def told(paths: list[str], store: Path) -> dict[str, Any]:
    report = ingest(paths, store).as_json()
    return {key: report[key] for key in ("files", "totals")}


def in_one_process(folder: Path, store: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    with monkeypatch.context() as patch:
        patch.setattr(processes, "processes_for", lambda _candidates: 0)
        return told([str(folder)], store)


def test_two_processes_make_the_store_and_the_report_of_one(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, side_by_side: None
) -> None:
    alone = in_one_process(folder, tmp_path / "one.duckdb", monkeypatch)
    stage, elsewhere = Told.stage, list[str]()

    def note(one: Told, file: File, staging: Staging) -> None:
        elsewhere.append(file.report.path)
        stage(one, file, staging)

    monkeypatch.setattr(Told, "stage", note)
    together = told([str(folder)], tmp_path / "two.duckdb")
    assert together == alone
    assert len(elsewhere) > 20
    assert everything(tmp_path / "two.duckdb") == everything(tmp_path / "one.duckdb")
    again = told([str(folder)], tmp_path / "two.duckdb")
    assert {file["status"] for file in again["files"]} == {"unchanged", "ignored"}
    assert again["totals"]["stored"] == 0


def test_a_process_that_dies_costs_nothing_but_time(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, side_by_side: None
) -> None:
    alone = in_one_process(folder, tmp_path / "one.duckdb", monkeypatch)
    hand_out = processes.Readers._give
    given: list[int] = []

    def give(readers: processes.Readers, process: Any, number: int, found: Found) -> None:
        hand_out(readers, process, number, found)
        given.append(number)
        if len(given) in {2, 5}:
            process.popen.kill()

    monkeypatch.setattr(processes.Readers, "_give", give)
    assert told([str(folder)], tmp_path / "two.duckdb") == alone
    assert everything(tmp_path / "two.duckdb") == everything(tmp_path / "one.duckdb")


def test_without_a_second_process_the_files_are_read_here(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, side_by_side: None
) -> None:
    alone = in_one_process(folder, tmp_path / "one.duckdb", monkeypatch)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no-python"))
    assert told([str(folder)], tmp_path / "two.duckdb") == alone


def test_for_files_that_are_known_no_process_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, side_by_side: None
) -> None:
    folder, store = tmp_path / "traces", tmp_path / "store.duckdb"
    shutil.copytree(SAMPLES / "codex", folder, ignore=shutil.ignore_patterns("*.md", "*.tsv"))
    start, started = processes._started, list[int]()

    def count() -> Any:
        started.append(1)
        return start()

    monkeypatch.setattr(processes, "_started", count)
    told([str(folder)], store)
    assert started == [1, 1]
    assert {file["status"] for file in told([str(folder)], store)["files"]} == {"unchanged"}
    assert started == [1, 1]


def found(folder: Path, *sizes: int) -> list[Found | Unread]:
    candidates: list[Found | Unread] = [Unread("nowhere")]
    for number, size in enumerate(sizes):
        path = folder / f"{number}.jsonl"
        with path.open("wb") as file:
            file.truncate(size)
        candidates.append(Found(Source(path, path.name, path.name), named=False))
    return candidates


MB = 1_000_000


@pytest.mark.parametrize(
    ("sizes", "cores", "expected"),
    [
        ((), 2, 0),
        ((900 * MB,), 2, 0),
        ((1 * MB, 2 * MB, 3 * MB), 2, 0),
        ((900 * MB, 1 * MB), 2, 0),
        ((20 * MB, 20 * MB), 2, 2),
        ((20 * MB, 20 * MB), 1, 0),
        ((20 * MB, 20 * MB), 16, 2),
        ((20 * MB,) * 20, 4, 4),
        ((20 * MB,) * 20, 64, 8),
    ],
)
def test_processes_are_started_where_they_are_worth_it(
    tmp_path: Path, sizes: tuple[int, ...], cores: int, expected: int
) -> None:
    assert processes.processes_for(found(tmp_path, *sizes), cores) == expected


def test_outside_the_main_thread_no_process_is_started(tmp_path: Path) -> None:
    answers: list[int] = []
    candidates = found(tmp_path, 20 * MB, 20 * MB)
    thread = threading.Thread(target=lambda: answers.append(processes.processes_for(candidates, 2)))
    thread.start()
    thread.join()
    assert answers == [0]
