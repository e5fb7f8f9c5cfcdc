"""Spark reads the files of a lake where they lie, and gives the rows that DuckDB gives from them."""

from __future__ import annotations

import json
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ingest.adapters.expected import SAMPLES
from tests.lake.cluster import MISSING, programs, running
from tests.soak import test_spark
from tests.soak.environment import Environment, environment

pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(
        shutil.which("java") is None, reason="Spark needs Java: apt-get install openjdk-17-jre-headless"
    ),
    pytest.mark.skipif(programs() is None, reason=MISSING),
]

ROOT = test_spark.ROOT
EXTRA = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]["lake"]
# Rows gone from the files of some tables.
SHRUNK = (
    "DELETE FROM error_events WHERE seq % 7 = 3",
    "DELETE FROM findings WHERE seq % 5 = 1",
    "DELETE FROM failure_profiles WHERE failure_class = 'max_iterations'",
)
PREPARED = """
import json, sys
from ingest.load import ingest
from ingest.store import memory_connection, open_store
from tests.soak.spark_reviews import review
url, samples, statements = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
ingest([samples], url)
review(url)
with memory_connection() as con, open_store(url).publication(con) as draft:
    for statement in statements:
        draft.cursor().execute(statement).fetchall()
with open_store(url).lease() as lease:
    print(lease.rows("SELECT count(*) AS n FROM error_events")[0]["n"])
"""


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Environment]:
    """An environment with Spark and the DuckDB of the lake."""
    folder = tmp_path_factory.mktemp("spark-lake") / "environment"
    try:
        made = environment(folder, *test_spark.PINS, *EXTRA)
        test_spark.behind(made, *test_spark.BEHIND)
        yield made
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def lake(spark: Environment, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("lake")
    with running() as cluster:
        url = cluster.lake("traces", folder / "files of a [lake], 100%")
        done = subprocess.run(
            [spark.python, "-c", PREPARED, url, SAMPLES, json.dumps(SHRUNK)],
            cwd=ROOT, capture_output=True, check=False, text=True, timeout=1800,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert int(done.stdout) > 0
        yield url


def test_every_portable_query_gives_the_same_rows_from_the_lake(spark: Environment, lake: str, tmp_path: Path) -> None:
    entries = test_spark.comparison(spark, lake, "--interpret", "--sets", "none", "window", folder=tmp_path)
    assert {entry["query"] for entry in entries} == set(test_spark.PORTABLE)
    assert [entry for entry in entries if entry["difference"]] == []
    # Nothing was copied that lies in the lake already.
    assert list(tmp_path.rglob("*.parquet")) == []


def test_the_command_reads_the_lake(spark: Environment, lake: str, tmp_path: Path) -> None:
    call = ("dashboard.cli", "--store", lake, "query", "failure_classes", "--format", "json")
    one = test_spark.run(spark, tmp_path, *call)
    other = test_spark.run(spark, tmp_path, *call, "--engine", "spark")
    assert (one.returncode, other.returncode) == (0, 0), other.stderr
    assert one.stdout == other.stdout
    # Its profile is deleted, and what happened of it stays.
    told = {row["failure_class"]: row for row in json.loads(one.stdout)}
    assert (told["max_iterations"]["known"], told["max_iterations"]["errors"] > 0) == (False, True)
    assert told["budget_exceeded"]["known"]
