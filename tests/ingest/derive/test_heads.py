"""What the head of a step, a rule or an arm says it needs, it needs: without that it would not have given a row.

The samples of each format are loaded twice, once as ever and once with every head ignored: all that is left undone the
first time is done the second time, and changes nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import duckdb
import pytest

from ingest.derive import conditions, findings, steps
from ingest.derive.conditions import Condition
from ingest.load import ingest
from tests.ingest.loaded import everything

SAMPLES = Path(__file__).parents[3] / "sample_traces"
FOLDERS = sorted(path.name for path in SAMPLES.iterdir() if path.is_dir())
# Of two arms for the two cases of one question the general one serves both.
SPECIAL = "count(*) = count(DISTINCT run_id)"


def everything_holds(
    _con: duckdb.DuckDBPyConnection, asked: Iterable[Condition], _rows: Collection[str]
) -> frozenset[Condition]:
    return frozenset(condition for condition in asked if condition.aggregate != SPECIAL)


@contextmanager
def heads_ignored() -> Iterator[None]:
    """Every step, rule and arm is run whatever there is, and told that every table may have rows."""
    run = steps.run

    def run_all(con: duckdb.DuckDBPyConnection, _rows: Collection[str]) -> None:
        run(con, {name for (name,) in con.execute("SELECT DISTINCT table_name FROM duckdb_tables()").fetchall()})

    with (
        patch.object(steps, "run", run_all),
        patch.object(steps, "met", everything_holds),
        patch.object(findings, "met", everything_holds),
        patch.object(conditions, "met", everything_holds),
    ):
        yield


def tables(paths: Sequence[Path], store: Path) -> dict[str, list[str]]:
    """Every row of every table of a store of these files alone."""
    ingest([str(path) for path in paths], store)
    return everything(store)


def assert_heads_say_enough(paths: Sequence[Path], folder: Path) -> None:
    as_ever = tables(paths, folder / "as-ever.duckdb")
    if as_ever["runs"]:
        with heads_ignored():
            assert tables(paths, folder / "all.duckdb") == as_ever, paths


@pytest.mark.parametrize("folder", FOLDERS)
def test_what_a_head_leaves_undone_would_have_given_nothing(folder: str, tmp_path: Path) -> None:
    assert_heads_say_enough([SAMPLES / folder], tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize("folder", FOLDERS)
def test_nor_where_a_file_is_alone(folder: str, tmp_path: Path) -> None:
    for number, file in enumerate(path for path in sorted((SAMPLES / folder).rglob("*")) if path.is_file()):
        (tmp_path / str(number)).mkdir()
        assert_heads_say_enough([file], tmp_path / str(number))


def test_a_head_that_asks_for_too_much_is_found(tmp_path: Path) -> None:
    never = Condition("run_records", "bool_or(run_id IS NULL)")
    asking = tuple(
        (name, replace(step, when=(never,)) if name == "30_runs.sql" else step) for name, step in steps.steps()
    )
    with patch.object(steps, "steps", lambda: asking):
        as_ever = tables([SAMPLES / "nexus_blocks"], tmp_path / "asking.duckdb")
        with heads_ignored():
            assert tables([SAMPLES / "nexus_blocks"], tmp_path / "all.duckdb") != as_ever
