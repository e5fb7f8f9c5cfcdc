"""`faultlens ingest`: counts that add up, and exit codes that a script can rely on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests import store_kind
from tests.cli.command import ROOT, faultlens
from tests.ingest.loaded import RUN, error, line, rows

GARBAGE = b"the agent stopped here\n"


def reported(text: bytes) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(text)
    keys = {"path", "format", "status", "reason", "runs", "records", "stored", "duplicates", "rejected", "skipped"}
    for file in report["files"]:
        assert keys <= set(file)
        assert file["records"] == file["stored"] + file["duplicates"] + file["rejected"] + file["skipped"]
    for name in ("records", "stored", "duplicates", "rejected", "skipped"):
        assert report["totals"][name] == sum(file[name] for file in report["files"])
    return report


# what is ingested, options → exit code, statuses
EXITS: list[tuple[str, dict[str, bytes], list[str], int, list[str]]] = [
    ("all well", {"a.jsonl": RUN + error()}, ["a.jsonl"], 0, ["loaded"]),
    ("a rejected record", {"a.jsonl": RUN + GARBAGE}, ["a.jsonl"], 1, ["loaded"]),
    ("as many as allowed", {"a.jsonl": RUN + GARBAGE}, ["a.jsonl", "--max-rejects", "1"], 0, ["loaded"]),
    ("one more than allowed", {"a.jsonl": RUN + GARBAGE * 2}, ["a.jsonl", "--max-rejects", "1"], 1, ["loaded"]),
    ("an incomplete last line", {"a.jsonl": RUN + error()[:-9]}, ["a.jsonl"], 0, ["loaded"]),
    ("a named unknown file", {"a.jsonl": RUN, "b.txt": GARBAGE}, ["a.jsonl", "b.txt"], 1, ["loaded", "refused"]),
    ("an unknown file in a folder", {"x/a.jsonl": RUN, "x/b.txt": GARBAGE}, ["x"], 0, ["loaded", "ignored"]),
    ("one missing path", {"a.jsonl": RUN}, ["a.jsonl", "nowhere"], 1, ["loaded", "refused"]),
    ("a glob", {"x/a.jsonl": RUN, "x/b.jsonl": error()}, ["x/*.jsonl"], 0, ["loaded", "loaded"]),
    ("a format that is named", {"a.txt": GARBAGE}, ["a.txt", "--format", "faultlens"], 1, ["loaded"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("files", "call", "code", "statuses"), [case[1:] for case in EXITS], ids=[case[0] for case in EXITS]
)
def test_exit_codes(tmp_path: Path, files: dict[str, bytes], call: list[str], code: int, statuses: list[str]) -> None:
    for name, data in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    done = faultlens("ingest", "--json", *call, folder=tmp_path)
    assert done.code == code
    report = reported(done.out)
    assert [file["status"] for file in report["files"]] == statuses
    assert report["store"] == str(tmp_path / "faultlens.duckdb")
    assert report["seconds"] > 0


def test_what_in_a_folder_is_no_file_is_listed_with_its_reason(tmp_path: Path) -> None:
    folder = tmp_path / "x"
    folder.mkdir()
    (folder / "a.jsonl").write_bytes(RUN)
    (folder / "gone.jsonl").symlink_to(tmp_path / "nowhere")
    os.mkfifo(folder / "pipe.jsonl")
    done = faultlens("ingest", "--json", "x", folder=tmp_path)
    files = {Path(file["path"]).name: (file["status"], file["reason"]) for file in reported(done.out)["files"]}
    assert done.code == 0
    assert files == {
        "a.jsonl": ("loaded", None),
        "gone.jsonl": ("ignored", "link to nothing"),
        "pipe.jsonl": ("ignored", "no file: a pipe, socket or device"),
    }
    again = faultlens("ingest", "x", folder=tmp_path)
    assert again.code == 0
    assert "link to nothing" in again.out.decode() + again.err


WRONG = [
    ("no path", ["ingest"], "Missing argument"),
    ("nothing there", ["ingest", "nowhere.jsonl"], "no such file or folder: nowhere.jsonl"),
    ("no such format", ["ingest", "a.jsonl", "--format", "xml"], "no format 'xml'"),
    ("no such option", ["ingest", "a.jsonl", "--fast"], "No such option"),
    ("a negative number", ["ingest", "a.jsonl", "--max-rejects", "-1"], "--max-rejects"),
    ("no such command", ["digest", "a.jsonl"], "No such command"),
    ("a store of a kind nobody knows", ["ingest", "a.jsonl", "--store", "oracle:x"], "oracle"),
]


@pytest.mark.parametrize(("call", "words"), [case[1:] for case in WRONG], ids=[case[0] for case in WRONG])
def test_a_wrong_call_is_exit_2_and_says_why(tmp_path: Path, call: list[str], words: str) -> None:
    (tmp_path / "a.jsonl").write_bytes(RUN)
    done = faultlens(*call, folder=tmp_path)
    assert (done.code, done.out) == (2, b"")
    assert words in done.err
    assert not (tmp_path / "faultlens.duckdb").exists()


def test_standard_input_and_a_workload(tmp_path: Path) -> None:
    store = tmp_path / "faultlens.duckdb"
    call = ("ingest", "-", "--json", "--workload", "nightly", "--store", store_kind.named(store))
    done = faultlens(*call, folder=tmp_path, stdin=RUN + error())
    (file,) = reported(done.out)["files"]
    assert (done.code, file["path"], file["stored"]) == (0, "-", 2)
    assert rows(store, "SELECT workload FROM runs") == [{"workload": "nightly"}]


def test_talk_goes_to_standard_error_and_data_to_standard_output(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(RUN + error() + GARBAGE)
    done = faultlens("ingest", "a.jsonl", folder=tmp_path)
    assert done.out == b""
    assert "3 records = 2 stored + 0 duplicates + 1 rejected + 0 skipped" in done.err


def test_the_store_is_the_option_else_the_environment_else_the_file(tmp_path: Path) -> None:
    (tmp_path / "faultlens.toml").write_text('store = "of-file.duckdb"\n')
    for call, environment in ((["--store", "of-option.duckdb"], {"FAULTLENS_STORE": "of-env.duckdb"}),
                              ([], {"FAULTLENS_STORE": "of-env.duckdb"}), ([], {})):  # fmt: skip
        faultlens("ingest", "-", *call, folder=tmp_path, stdin=RUN, **environment)
    assert sorted(path.name for path in tmp_path.glob("*.duckdb")) == [
        "of-env.duckdb",
        "of-file.duckdb",
        "of-option.duckdb",
    ]


CONFIGURATION = [
    ("[bands.payments]\nlow = 0.4\nhigh = 0.3\n", "bands.payments"),
    ("[bands.payments]\nlow = -0.1\n", "bands.payments.low"),
    ("[bands.payments]\nhigh = 1.5\n", "bands.payments.high"),
    ("[bands.payments]\nlow = nan\n", "bands.payments.low"),
    ('[bands.default]\nwindow = "a week"\n', "bands.default.window"),
    ('[bands.default]\nwindow = "0 attempts"\n', "bands.default.window"),
    ("[bands.default]\nmin_finished = 0\n", "bands.default.min_finished"),
    ("[bands.default]\nlowest = 0.1\n", "bands.default.lowest"),
    ("[retry]\nper_hour = 3\n", "retry.per_hour"),
    ('[signatures]\nresolved_after = "soon"\n', "signatures.resolved_after"),
    ("colour = 3\n", "colour"),
    ("store = 3\n", "store"),
    ('[required.payments]\n"*" = "refund-policy"\n', "required.payments.*"),
    ("[bands\n", "faultlens.toml"),
]


@pytest.mark.parametrize(("text", "key"), CONFIGURATION[:2] + CONFIGURATION[-1:])
def test_a_mistake_in_faultlens_toml_is_exit_2_also_where_the_store_is_named(
    tmp_path: Path, text: str, key: str
) -> None:
    (tmp_path / "faultlens.toml").write_text(text)
    done = faultlens("query", "runs", "--store", "other.duckdb", folder=tmp_path)
    assert done.code == 2
    assert key in done.refusal


class TestAStoreThatCannotBeUsed:
    def refused(self, folder: Path, *call: str) -> str:
        done = faultlens(*call, folder=folder, stdin=RUN)
        assert done.code == 3
        return done.refusal

    @pytest.mark.parametrize("call", [("ingest", "-"), ("query", "runs")])
    def test_corrupt(self, tmp_path: Path, call: tuple[str, ...]) -> None:
        (tmp_path / "faultlens.duckdb").write_bytes(b"this is no store\n" * 1000)
        assert "damaged or not a DuckDB file" in self.refused(tmp_path, *call)

    @pytest.mark.parametrize("call", [("ingest", "-"), ("query", "runs")])
    def test_written_by_a_newer_version(self, tmp_path: Path, call: tuple[str, ...]) -> None:
        faultlens("ingest", "-", folder=tmp_path, stdin=RUN)
        with duckdb.connect(str(tmp_path / "faultlens.duckdb")) as con:
            table = con.sql("SELECT table_name FROM duckdb_columns() WHERE column_name = 'version'").fetchall()[0][0]
            con.execute(f"UPDATE {table} SET version = 9999 WHERE version = (SELECT max(version) FROM {table})")
        assert "newer" in self.refused(tmp_path, *call)

    @pytest.mark.parametrize("call", [("ingest", "-"), ("query", "runs")])
    def test_open_for_writing_elsewhere(self, tmp_path: Path, call: tuple[str, ...]) -> None:
        faultlens("ingest", "-", folder=tmp_path, stdin=RUN)
        code = "import duckdb, sys; con = duckdb.connect(sys.argv[1]); print('open', flush=True); sys.stdin.read()"
        store = str(tmp_path / "faultlens.duckdb")
        with subprocess.Popen(
            [sys.executable, "-c", code, store], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as other:
            assert other.stdout is not None
            other.stdout.readline()
            assert "open for writing" in self.refused(tmp_path, *call)
            other.communicate()

    def test_in_a_folder_that_is_not_there(self, tmp_path: Path) -> None:
        assert "does not exist" in self.refused(tmp_path, "ingest", "-", "--store", "nowhere/s.duckdb")


@pytest.mark.file_store
def test_killed_in_the_middle_the_old_store_is_whole_and_the_next_ingest_clean(tmp_path: Path) -> None:
    """Killed at several moments, also while it writes: what was published stays, nothing half is seen."""
    faultlens("ingest", "-", folder=tmp_path, stdin=line("run", "before"))
    big = tmp_path / "big.jsonl"
    big.write_bytes(b"".join(line("error_event", f"run-{n % 500}", error_code="E", n=n) for n in range(60_000)))
    store = tmp_path / "faultlens.duckdb"
    killed, began = 0, time.monotonic()

    def is_writing() -> bool:
        """Whether there is a draft of the next generation, which takes most of the time."""
        return bool(list(tmp_path.glob("*.next*")))

    def is_some_way() -> bool:
        return time.monotonic() - began > 0.3

    for moment in (is_some_way, is_writing):
        assert not is_writing()
        process = subprocess.Popen(
            [sys.executable, "-m", "dashboard.cli", "ingest", "big.jsonl"], cwd=tmp_path, env={"PYTHONPATH": str(ROOT)},
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        began = time.monotonic()
        while process.poll() is None and not moment():
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        killed += process.wait() == -signal.SIGKILL
        assert rows(store, "SELECT native_id FROM runs") == [{"native_id": "before"}]
    assert killed == 2
    done = faultlens("ingest", "big.jsonl", "--json", folder=tmp_path)
    assert (done.code, reported(done.out)["totals"]["stored"]) == (0, 60_000)
    assert rows(store, "SELECT count(*) AS n FROM runs") == [{"n": 501}]
    assert sorted(path.name for path in tmp_path.glob("faultlens*")) == ["faultlens.duckdb", "faultlens.duckdb.lock"]
