"""The README and CI name targets of the Makefile: they must be there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TARGETS = ("demo", "test", "install-lake", "test-lake", "lint", "bench", "reliability", "soak", "lock", "clean", "help")


def make(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs make as from a shell, also when `make test` runs this."""
    return subprocess.run(
        ["make", "--no-print-directory", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env={name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))},
    )


@pytest.mark.parametrize("target", TARGETS)
def test_target_exists(target: str) -> None:
    done = make("--dry-run", target)
    assert done.returncode == 0, done.stderr


def test_help_lists_every_target() -> None:
    listed = {line.split()[1] for line in make("help").stdout.splitlines()}
    assert set(TARGETS) <= listed


def false_python(folder: Path, script: str) -> Path:
    """An interpreter that answers as the script says."""
    interpreter = folder / "false-python"
    interpreter.write_text(f"#!/bin/sh\n{script}\n")
    interpreter.chmod(0o755)
    return interpreter


def test_a_python_that_is_too_old_is_told_what_to_install(tmp_path: Path) -> None:
    old = false_python(tmp_path, 'case "$*" in *pass*) exit 0;; -V) echo Python 3.9.2; exit 0;; esac; exit 1')
    done = make("--always-make", "install", f"PYTHON={old}", f"VENV={tmp_path / 'venv'}")
    assert done.returncode != 0
    assert "needs Python 3.11 or newer" in done.stderr
    assert "apt-get install -y python3.11 python3.11-venv" in done.stderr
    assert not (tmp_path / "venv").exists()


def test_a_python_without_venv_is_told_what_to_install(tmp_path: Path) -> None:
    bare = false_python(tmp_path, f'case "$*" in *ensurepip*) exit 1;; esac; exec {sys.executable} "$@"')
    done = make("--always-make", "install", f"PYTHON={bare}", f"VENV={tmp_path / 'venv'}")
    assert done.returncode != 0
    assert f"apt-get install -y python{sys.version_info[0]}.{sys.version_info[1]}-venv" in done.stderr
    assert not (tmp_path / "venv").exists()


def test_a_python_that_is_missing_is_told_what_to_install(tmp_path: Path) -> None:
    done = make("--always-make", "install", "PYTHON=no-such-python", f"VENV={tmp_path / 'venv'}")
    assert done.returncode != 0
    assert "apt-get install -y python3 python3-venv" in done.stderr


def test_ci_script_is_executable() -> None:
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
