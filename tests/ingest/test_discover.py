"""From paths to sources: each once, in an order that does not depend on the machine."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pytest

from ingest.discover import Found, Unread, found_in

SAMPLES = Path(__file__).parents[2] / "sample_traces"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in (
        "b.jsonl",
        "a.jsonl",
        "deep/er/c.jsonl",
        ".git/config",
        "node_modules/x.json",
        "__pycache__/y.pyc",
        ".hidden.jsonl",
    ):
        path = tmp_path / "traces" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
    return tmp_path / "traces"


def below(arguments: list[str], scratch: Path) -> list[tuple[str, bool]]:
    return [
        (each.source.below, each.named) if isinstance(each, Found) else (each.path, True)
        for each in found_in(arguments, scratch)
    ]


def test_a_folder_gives_its_files_by_name_and_not_what_tools_keep_there(folder: Path, tmp_path: Path) -> None:
    assert below([str(folder)], tmp_path) == [
        (".hidden.jsonl", False), ("a.jsonl", False), ("b.jsonl", False), ("deep/er/c.jsonl", False),
    ]  # fmt: skip


def test_the_path_below_the_argument_is_what_a_run_without_an_id_is_named_by(folder: Path, tmp_path: Path) -> None:
    assert below([str(folder / "deep")], tmp_path) == [("er/c.jsonl", False)]
    assert below([str(folder / "deep" / "er" / "c.jsonl")], tmp_path) == [("c.jsonl", True)]


def test_a_name_that_is_not_utf8_is_shown_with_escapes(tmp_path: Path) -> None:
    folder = tmp_path / "traces"
    folder.mkdir()
    try:
        (folder / os.fsdecode(b"caf\xe9.jsonl")).write_text("{}")
    except OSError:
        pytest.skip("this file system takes only UTF-8 names")
    (found,) = found_in([str(folder)], tmp_path)
    assert isinstance(found, Found)
    assert (found.source.below, found.source.shown) == (r"caf\xe9.jsonl", rf"{folder}/caf\xe9.jsonl")


def test_a_pattern_names_its_matches(folder: Path, tmp_path: Path) -> None:
    assert below([str(folder / "*.jsonl")], tmp_path) == [("a.jsonl", True), ("b.jsonl", True)]


def test_a_file_met_again_is_passed_over(folder: Path, tmp_path: Path) -> None:
    assert len(below([str(folder / "a.jsonl"), str(folder), str(folder / "a*")], tmp_path)) == 4


def test_nothing_there_is_said_and_a_link_to_nothing_is_nothing(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    for name in ("gone", "link", "*.none"):
        assert list(found_in([str(tmp_path / name)], tmp_path)) == [Unread(str(tmp_path / name))]


def test_what_in_a_folder_is_no_file_is_told_and_not_waited_for(folder: Path, tmp_path: Path) -> None:
    (folder / "gone.jsonl").symlink_to(tmp_path / "nowhere")
    (folder / "loop").symlink_to(folder, target_is_directory=True)
    (folder / "deep" / "linked.jsonl").symlink_to(folder / "b.jsonl")
    os.mkfifo(folder / "pipe.jsonl")
    found = list(found_in([str(folder)], tmp_path))
    assert {each.path: each.reason for each in found if isinstance(each, Unread)} == {
        str(folder / "gone.jsonl"): "link to nothing",
        str(folder / "loop"): "link to a folder: name it to have it read",
        str(folder / "pipe.jsonl"): "no file: a pipe, socket or device",
    }
    assert not any(each.named for each in found if isinstance(each, Unread))
    assert [each.source.below for each in found if isinstance(each, Found)] == [
        ".hidden.jsonl", "a.jsonl", "b.jsonl", "deep/linked.jsonl", "deep/er/c.jsonl",
    ]  # fmt: skip


@pytest.mark.parametrize(("closed", "named"), [("traces/deep", False), ("traces", True)])
def test_a_folder_that_may_not_be_read_is_told(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, closed: str, *, named: bool
) -> None:
    real = os.scandir

    def scandir(path: str) -> object:
        # Nothing is closed to an administrator, so that rights alone would not do.
        if Path(path) == tmp_path / closed:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    told = [each for each in found_in([str(folder)], tmp_path) if isinstance(each, Unread)]
    assert told == [Unread(str(tmp_path / closed), "folder cannot be read: Permission denied", named=named)]


def test_a_link_to_a_file_is_that_file(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "link.jsonl").symlink_to(folder / "a.jsonl")
    assert below([str(tmp_path / "link.jsonl")], tmp_path) == [("link.jsonl", True)]


def test_companions_belong_to_their_file(tmp_path: Path) -> None:
    shutil.copytree(SAMPLES / "bijux_runtime" / "crash", tmp_path / "crash")
    sources = [each.source for each in found_in([str(tmp_path / "crash")], tmp_path) if isinstance(each, Found)]
    assert sorted(source.path.name for source in sources) == ["EXPECTED.tsv", "crash_before_resume.duckdb"]
    (store,) = (source for source in sources if source.companions)
    assert {path.suffix for path in store.companions} == {".wal", ".lock"}
