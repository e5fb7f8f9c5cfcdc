"""`--engine spark` where it cannot be: one line that says what to do, before a store is opened."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dashboard.cli import main
from queries.catalogue import queries
from queries.engines import session
from tests.ingest.loaded import line, loaded

ROOT = Path(__file__).resolve().parents[2]
HERE = {"pyspark", "sqlglot"}


def asked(*call: str) -> Result:
    return CliRunner().invoke(main, ["--store", "nowhere.duckdb", "query", *call, "--engine", "spark"])


def only(monkeypatch: pytest.MonkeyPatch, *installed: str, java: bool) -> None:
    """Of what --engine spark needs, this is there."""
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: name in installed or None if name in HERE else found(name)
    )
    monkeypatch.setattr("shutil.which", lambda _name: "/usr/bin/java" if java else None)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.delenv("SPARK_REMOTE", raising=False)


@pytest.mark.parametrize(
    ("installed", "java", "words"),
    [
        ((), False, "needs pyspark and sqlglot and Java"),
        (("sqlglot",), True, "needs pyspark: install faultlens[spark]"),
        (("pyspark",), True, "needs sqlglot: install faultlens[spark]"),
        (("pyspark", "sqlglot"), False, "needs Java: install faultlens[spark] and a Java runtime, 17 or newer"),
    ],
)
def test_what_is_missing_is_named(
    monkeypatch: pytest.MonkeyPatch, *, installed: tuple[str, ...], java: bool, words: str
) -> None:
    only(monkeypatch, *installed, java=java)
    done = asked("runs")
    assert (done.exit_code, done.stdout) == (2, "")
    (said,) = done.stderr.splitlines()
    assert words in said


def test_a_server_elsewhere_has_its_own_java(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, "pyspark", "sqlglot", java=False)
    monkeypatch.setenv("SPARK_REMOTE", "sc://cluster")
    session.require_installed()


def test_a_java_home_is_enough(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    only(monkeypatch, "pyspark", "sqlglot", java=False)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "java").touch()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    session.require_installed()


def test_a_query_of_one_run_is_no_matter_for_spark() -> None:
    done = asked("timeline", "--param", "run=r")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "timeline runs on duckdb only; --engine spark takes: " in done.stderr
    assert "recovery_chains" in done.stderr


def test_another_engine_is_unknown() -> None:
    done = CliRunner().invoke(main, ["query", "runs", "--engine", "presto"])
    assert done.exit_code == 2
    assert "'duckdb', 'spark'" in done.stderr


def test_the_list_says_which_are_portable() -> None:
    lines = CliRunner().invoke(main, ["query"]).stdout.splitlines()
    marked = {
        name.split()[0] for name, signature in zip(lines[::2], lines[1::2], strict=True) if "(portable)" in signature
    }
    assert marked == {query.name for query in queries().values() if query.is_portable}


def test_duckdb_by_name_is_the_default(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(line("run", "r", status="failed"))
    loaded(tmp_path / "s.duckdb", tmp_path / "a.jsonl")
    call = ["--store", str(tmp_path / "s.duckdb"), "query", "totals", "--format", "json"]
    given, left = CliRunner().invoke(main, [*call, "--engine", "duckdb"]), CliRunner().invoke(main, call)
    assert given.exit_code == 0, given.output
    assert given.stdout == left.stdout


def test_nobody_waits_for_what_only_spark_needs() -> None:
    code = (
        "import sys\nfrom queries.catalogue import queries\nassert queries()['runs'].is_portable\n"
        "print(sorted({'pyspark', 'sqlglot'} & {name.partition('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
