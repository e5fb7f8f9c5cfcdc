"""Nothing that is committed names the machine it was written on, or where packages come from."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# Joined from parts, or this file would be the first offender.
PACKAGE_HOSTS = (
    "pypi" + ".org",
    "files.python" + "hosted",
    "pypi." + "python",
    "--index" + "-url",
    "--find" + "-links",
)
HOME_FOLDERS = re.compile(r"(?<![\w./-])/(?:" + "ho" + "me|Us" + "ers)" + r"/[\w.-]+/|(?<![\w./-])/ro" + r"ot/[\w.-]+")
# Where a checkout and its wheels may lie while the project is written.
BUILD_FOLDERS = re.compile(r"(?<![\w./-])/(?:" + "wo" + r"rk/(?:main|shared)|op" + r"t/(?:wheels|pypi))\b")


def committed_files() -> list[Path]:
    """Every file git tracks or would add."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if listed.returncode != 0:
        pytest.skip("not a git checkout")
    return [path for name in listed.stdout.decode().split("\0") if name and (path := ROOT / name).is_file()]


def is_recorded_data(path: Path) -> bool:
    """Samples are kept byte for byte: a recorded session names the folders of the machine it ran on."""
    return path.is_relative_to(ROOT / "sample_traces")


def text_of(path: Path) -> str:
    return path.read_bytes().decode("utf-8", errors="replace")


def lines_with(text: str, pattern: re.Pattern[str]) -> list[int]:
    return [number for number, line in enumerate(text.splitlines(), 1) if pattern.search(line)]


def offenders(pattern: re.Pattern[str], *, samples_too: bool) -> list[str]:
    return [
        f"{path.relative_to(ROOT)}:{number}"
        for path in committed_files()
        if samples_too or not is_recorded_data(path)
        for number in lines_with(text_of(path), pattern)
    ]


def test_no_file_names_a_home_folder() -> None:
    tests_may_invent_some = re.compile(r"^tests/(?!project/)")
    named = [place for place in offenders(HOME_FOLDERS, samples_too=False) if not tests_may_invent_some.match(place)]
    assert named == []


def test_no_file_names_a_folder_of_the_build_machine() -> None:
    assert offenders(BUILD_FOLDERS, samples_too=True) == []


def test_no_file_names_this_checkout() -> None:
    if len(ROOT.parts) < 3:
        pytest.skip("the path of this checkout is too short to be told from other text")
    here = re.compile(r"(?<![\w./-])" + re.escape(str(ROOT)) + r"(?![\w.-])")
    assert offenders(here, samples_too=True) == []


def test_no_file_names_a_package_host() -> None:
    hosts = re.compile("|".join(map(re.escape, PACKAGE_HOSTS)))
    assert offenders(hosts, samples_too=False) == []


@pytest.mark.parametrize(
    ("text", "is_named"),
    [
        ("cd " + "/ho" + "me/ann/faultlens", True),
        ('"' + "/ro" + 'ot/x"', True),
        ("see /docs/ho" + "me/ann/x", False),
        ("https://example.com/ho" + "me/ann/x", False),
        ("from the root" + "/branch", False),
    ],
)
def test_a_home_folder_is_told_from_other_paths(text: str, *, is_named: bool) -> None:
    assert bool(HOME_FOLDERS.search(text)) is is_named
