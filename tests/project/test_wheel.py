"""An installed wheel works without the checkout: the SQL, the static files and the samples are inside."""

from __future__ import annotations

import subprocess
import sys
from email.parser import BytesParser
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("ingest", "queries", "dashboard")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> ZipFile:
    folder = tmp_path_factory.mktemp("wheel")
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = folder.glob("*.whl")
    return ZipFile(built)


def shipped(folder: Path) -> set[str]:
    """The files below a folder that are not caches, relative to the checkout."""
    return {
        path.relative_to(ROOT).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.name != ".DS_Store"
    }


@pytest.mark.parametrize("room", ROOMS)
def test_everything_in_the_room_is_in_the_wheel(wheel: ZipFile, room: str) -> None:
    assert shipped(ROOT / room) - set(wheel.namelist()) == set()


def test_every_sample_is_in_the_wheel(wheel: ZipFile) -> None:
    samples = {name.replace("sample_traces/", "dashboard/_samples/", 1) for name in shipped(ROOT / "sample_traces")}
    assert samples, "there are no samples to ship"
    assert samples - set(wheel.namelist()) == set()


def test_nothing_else_is_in_the_wheel(wheel: ZipFile) -> None:
    tops = {name.split("/")[0] for name in wheel.namelist()}
    assert tops - set(ROOMS) == {name for name in tops if name.endswith(".dist-info")}


def test_metadata_names_the_imports_the_command_and_the_licence(wheel: ZipFile) -> None:
    (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    metadata = BytesParser().parsebytes(wheel.read(name))
    assert sorted(metadata.get_all("Import-Name", [])) == sorted(ROOMS)
    assert metadata["License-Expression"] == "Apache-2.0"
    entry_points = wheel.read(name.replace("METADATA", "entry_points.txt")).decode()
    assert "faultlens = dashboard.cli:main" in entry_points
