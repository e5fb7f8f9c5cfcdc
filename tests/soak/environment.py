"""Environments of their own for programs that write traces, and what a writer leaves behind in one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

WRITERS = Path(__file__).parent / "writers"
# What pip says when nobody answers. Anything else that goes wrong is a failure.
UNREACHABLE = ("connection broken by", "network is unreachable", "name resolution", "read timed out")


@dataclass(frozen=True)
class Written:
    """A folder, and what the writer says it wrote there."""

    folder: Path
    stated: dict[str, Any]


@dataclass(frozen=True)
class Environment:
    """A virtual environment with the pinned packages in it."""

    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    def written(self, writer: str, folder: Path) -> Written:
        """What that script of `writers/` writes into the folder, without a network."""
        done = subprocess.run(
            [self.python, WRITERS / f"{writer}.py", folder],
            cwd=folder,
            env={"PATH": os.environ["PATH"], "HOME": str(folder), "PYTHONPATH": str(WRITERS / "offline")},
            capture_output=True,
            check=False,
            timeout=600,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return Written(folder, json.loads(done.stdout.splitlines()[-1]))


def environment(folder: Path, *pins: str) -> Environment:
    """One with these versions; the test is skipped when the package index does not answer."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True, capture_output=True, timeout=600)
    made = Environment(folder)
    install: list[str | Path] = [made.python, "-m", "pip", "install", "--quiet", "--retries", "1", *pins]
    done = subprocess.run(install, capture_output=True, check=False, timeout=1800, text=True)
    if done.returncode != 0:
        unreachable(done.stderr)
        pytest.fail(f"pip could not install {', '.join(pins)}:\n{done.stderr}")
    return made


def unreachable(complaint: str) -> None:
    """Skips where the complaint is that nobody answered."""
    if any(sign in complaint.lower() for sign in UNREACHABLE):
        pytest.skip("the package index cannot be reached, and this test installs from it")
