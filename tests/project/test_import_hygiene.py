"""The command line answers `--help` at once: what is slow to import is imported by the subcommand that needs it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SLOW = ("streamlit", "plotly", "pandas", "numpy", "pyarrow", "duckdb", "pydantic")

needs_cli = pytest.mark.skipif(
    not ((ROOT / "dashboard" / "cli.py").exists() or (ROOT / "dashboard" / "cli").is_dir()),
    reason="dashboard.cli does not exist yet",
)


def loaded_after(statement: str) -> set[str]:
    """The top-level modules a new interpreter holds after the statement."""
    code = f"import sys\n{statement}\nprint(*{{name.partition('.')[0] for name in sys.modules}}, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(done.stderr.splitlines()[-1].split())


@needs_cli
def test_importing_the_command_line_loads_nothing_slow() -> None:
    assert loaded_after("import dashboard.cli").isdisjoint(SLOW)


@needs_cli
def test_help_loads_nothing_slow() -> None:
    assert loaded_after("from dashboard.cli import main\nmain(['--help'], standalone_mode=False)").isdisjoint(SLOW)


@needs_cli
def test_help_of_the_installed_command_succeeds() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "dashboard.cli", "--help"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "Usage:" in done.stdout


@pytest.mark.parametrize("room", ["ingest", "queries", "dashboard"])
def test_importing_a_room_loads_nothing_slow(room: str) -> None:
    assert loaded_after(f"import {room}").isdisjoint(SLOW)
