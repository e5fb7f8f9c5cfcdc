"""Spark gives the rows that DuckDB gives, for every query that says it is portable, and through the command line."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from queries.catalogue import queries
from tests.bench import data
from tests.ingest.adapters.expected import SAMPLES
from tests.ingest.loaded import loaded
from tests.soak.environment import Environment, environment
from tests.soak.spark_reviews import review

pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(
        shutil.which("java") is None, reason="Spark needs Java: apt-get install openjdk-17-jre-headless"
    ),
]

ROOT = Path(__file__).resolve().parents[2]
PINS = ("pyspark==4.3.0",)
BEHIND = (ROOT, Path(sysconfig.get_path("purelib")))
PORTABLE = [query.name for query in queries().values() if query.is_portable]
# What each store is asked with. Spark compiles its plans for the store with many rows only: for a few it is a waste.
ASKED = {
    "samples": ("--interpret",),
    "month": ("--interpret", "--sets", "none", "window"),
    "events": ("--sets", "none", "source and window"),
}


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Environment]:
    """An environment with Spark, and behind it the packages that the tests run with."""
    folder = tmp_path_factory.mktemp("spark") / "environment"
    try:
        made = environment(folder, *PINS)
        behind(made, *BEHIND)
        yield made
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def behind(made: Environment, *folders: Path) -> None:
    """What the environment itself does not have is looked for in these folders."""
    (own,) = (made.folder / "lib").glob("python3*/site-packages")
    (own / "behind.pth").write_text("".join(f"{folder}\n" for folder in folders))


def run(spark: Environment, folder: Path, *call: str | Path) -> subprocess.CompletedProcess[str]:
    """A module of this checkout, in a process on the other side of the world."""
    return subprocess.run(
        [spark.python, "-m", *call],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "TZ": "America/New_York"},
        capture_output=True,
        check=False,
        timeout=7200,
        text=True,
    )


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("stores")
    data.write(folder / "events.jsonl", events=100_000, runs=2_000)
    sources = {"samples": SAMPLES, "month": SAMPLES / "month", "events": folder / "events.jsonl"}
    made = {name: loaded(folder / f"{name}.duckdb", source).store for name, source in sources.items()}
    review(str(made["samples"]))
    return made


@pytest.fixture(scope="module")
def compared(spark: Environment, stores: dict[str, Path]) -> dict[str, list[dict[str, Any]]]:
    """By store: every call that was made on both engines."""
    return {name: comparison(spark, stores[name], *ASKED[name]) for name in stores}


def comparison(
    spark: Environment, store: Path | str, *options: str, folder: Path | None = None
) -> list[dict[str, Any]]:
    folder = folder or Path(store).parent
    out = folder / "compared.json"
    done = run(spark, folder, "tests.soak.spark_parity", str(store), out, *options)
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(out.read_text())
    return found


@pytest.mark.parametrize("store", ASKED)
def test_every_portable_query_gives_the_same_rows(compared: dict[str, list[dict[str, Any]]], store: str) -> None:
    assert {entry["query"] for entry in compared[store]} == set(PORTABLE)
    assert [entry for entry in compared[store] if entry["difference"]] == []


@pytest.mark.parametrize("name", PORTABLE)
def test_none_was_compared_on_nothing(compared: dict[str, list[dict[str, Any]]], name: str) -> None:
    assert any(entry["rows"] for entries in compared.values() for entry in entries if entry["query"] == name)


# ------------------------------------------------------------------------------------------------- the command line


def asked(spark: Environment, store: Path, *call: str) -> subprocess.CompletedProcess[str]:
    return run(spark, store.parent, "dashboard.cli", "--store", str(store), "query", *call)


@pytest.mark.parametrize("form", ["json", "csv", "table", "parquet"])
def test_the_command_writes_the_same(spark: Environment, stores: dict[str, Path], form: str) -> None:
    # Whole numbers, texts and times: no mean whose last digit depends on the order of its terms.
    call, outs = ("error_codes", "--format", form), [stores["month"].parent / engine for engine in ("duckdb", "spark")]
    said = [
        asked(spark, stores["month"], *call, "--engine", out.name, "-o", str(out), "--param", "since=2026-11-10").stderr
        for out in outs
    ]
    assert said[0] == said[1]
    assert outs[0].read_bytes() == outs[1].read_bytes()
    assert outs[0].stat().st_size


def test_rates_are_the_same_to_the_twelfth_digit(spark: Environment, stores: dict[str, Path]) -> None:
    call = ("recovery_chains", "--format", "json")
    one, other = (
        json.loads(asked(spark, stores["month"], *call, *more).stdout) for more in ([], ["--engine", "spark"])
    )
    assert [row["chain"] for row in one] == ["A", "B", "C"]
    for mine, theirs in zip(one, other, strict=True):
        assert mine.keys() == theirs.keys()
        assert all(
            math.isclose(value, theirs[key], rel_tol=1e-12) if isinstance(value, float) else value == theirs[key]
            for key, value in mine.items()
        )


def test_what_is_left_out_is_said(spark: Environment, stores: dict[str, Path]) -> None:
    done = asked(spark, stores["samples"], "recovery_chains", "--engine", "spark")
    assert done.returncode == 0
    assert done.stderr.splitlines() == asked(spark, stores["samples"], "recovery_chains").stderr.splitlines()
    assert all(line.startswith("left out: ") for line in done.stderr.splitlines())


def test_a_parameter_is_a_value_and_never_sql(spark: Environment, stores: dict[str, Path]) -> None:
    attack = "workload=' OR 1 = 1 --"
    done = asked(spark, stores["month"], "runs", "--engine", "spark", "--format", "json", "--param", attack)
    assert (done.returncode, json.loads(done.stdout)) == (0, [])


def test_a_number_that_spark_cannot_use_is_one_line(spark: Environment, stores: dict[str, Path]) -> None:
    done = asked(spark, stores["month"], "runs", "--engine", "spark", "--param", "limit=-1")
    assert (done.returncode, done.stdout) == (2, "")
    (said,) = done.stderr.splitlines()
    assert said.startswith("faultlens: Spark: ")


def test_a_store_that_is_not_there_reads_as_empty(spark: Environment, tmp_path: Path) -> None:
    done = asked(spark, tmp_path / "nothing.duckdb", "runs", "--engine", "spark", "--format", "json")
    assert (done.returncode, json.loads(done.stdout), done.stderr) == (0, [], "")


def test_nothing_of_the_store_stays_behind(spark: Environment, stores: dict[str, Path], tmp_path: Path) -> None:
    done = subprocess.run(
        [spark.python, "-m", "dashboard.cli", "--store", stores["month"], "query", "totals", "--engine", "spark"],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "TMPDIR": str(tmp_path)},
        capture_output=True,
        check=True,
        timeout=600,
        text=True,
    )
    assert done.stdout
    assert list(tmp_path.rglob("*.parquet")) == []
