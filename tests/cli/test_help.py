"""Help is there for every command, at once."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import click
import pytest

from dashboard.cli import main
from tests.cli.command import ROOT, faultlens

COMMANDS = main.list_commands(click.Context(main))
SLOW = ("streamlit", "pandas", "duckdb", "pydantic", "pyarrow", "plotly", "numpy")


def test_the_commands_of_the_contract_that_are_built_are_listed(tmp_path: Path) -> None:
    done = faultlens("--help", folder=tmp_path)
    assert done.code == 0
    assert all(f"  {name} " in done.text for name in COMMANDS)
    assert {
        "demo",
        "ingest",
        "serve",
        "query",
        "explain",
        "lint",
        "schema",
        "formats",
        "watch",
        "forget",
        "prune",
    } <= set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_says_what_it_does(name: str) -> None:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    text = command.get_help(click.Context(command, info_name=name))
    assert f"Usage: {name}" in text
    assert command.help
    assert "\n\nOptions:" in text
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.opts[-1] in text


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help_loads_nothing_slow(name: str) -> None:
    arguments = [name, "--help"] if name else ["--help"]
    code = (
        "import sys; from dashboard.cli import main\n"
        f"main({arguments!r}, standalone_mode=False)\n"
        f"print(*[name for name in {SLOW!r} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stderr.strip() == ""


LOADED_FOR = {
    "ingest": ("streamlit", "plotly", "pandas", "sqlglot", "yaml", "tqdm", "pyarrow.compute", "pyarrow.parquet"),
    "formats": ("streamlit", "plotly", "pandas", "sqlglot", "yaml", "numpy", "pyarrow"),
    "query": ("streamlit", "plotly", "pandas", "sqlglot", "yaml", "numpy", "pyarrow"),
}


# The lake's DuckDB loads pandas of itself.
@pytest.mark.file_store
@pytest.mark.parametrize("name", LOADED_FOR)
def test_a_command_waits_for_no_library_that_it_has_no_use_for(name: str, tmp_path: Path) -> None:
    (tmp_path / "one.jsonl").write_text('{"record": "run", "run_id": "r1"}\n')
    arguments = [name, "one.jsonl"] if name == "ingest" else [name]
    code = (
        "import sys; from dashboard.cli import main\n"
        f"main({arguments!r}, standalone_mode=False)\n"
        f"print(*[name for name in {LOADED_FOR[name]!r} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1].strip() == ""


def test_help_takes_under_300_ms(tmp_path: Path) -> None:
    """The processor's time, the best of three: what other programs do meanwhile is not counted."""
    took = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert faultlens("--help", folder=tmp_path).code == 0
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(took) < 0.3


def test_version(tmp_path: Path) -> None:
    assert faultlens("--version", folder=tmp_path).text.startswith("faultlens")
