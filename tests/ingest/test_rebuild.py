"""What follows from the records follows from them again: a rebuild and another order give the same answers."""

from __future__ import annotations

import json
import shutil
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from dashboard.cli import main
from ingest import affected
from ingest.derive.version import version
from ingest.load import ingest
from ingest.rebuild import outdated, rebuild
from ingest.store import copying, memory_connection, open_store
from ingest.store.url import AnyStore
from ingest.tables import DECLARED, OF_RUNS
from ingest.workspace import Workspace
from queries.catalogue import queries
from queries.export import records
from queries.reader import Query
from tests import store_kind
from tests.ingest.loaded import error, load_bytes, rows

SAMPLES = Path(__file__).parents[2] / "sample_traces"
MONTH = sorted((SAMPLES / "month").glob("*.jsonl.gz"))
# When a file was read, and what its size was, is no part of what it says.
OF_FILES = {"ingest_files", "ingest_health", "ingest_totals", "files"}
A_FEW_RUNS = 12
DERIVED = tuple(table for table in Workspace().derived if table != DECLARED)


def required(query: Query) -> set[str]:
    return {name for name, parameter in query.parameters.items() if parameter.default is parameter.empty}


def answers(store: Path) -> dict[str, str]:
    """What every query answers, those of a run for some runs."""
    found = {}
    with closing(open_store(store)) as opened, opened.lease() as lease:
        runs = [row["run_id"] for row in lease.rows("SELECT run_id FROM runs ORDER BY run_id")]
        chosen = runs[:: max(1, len(runs) // A_FEW_RUNS)]
        for name, query in queries().items():
            given: list[dict[str, str]] = [{"run": run} for run in chosen] if required(query) == {"run"} else [{}]
            if required(query) in ({"run"}, set()):
                said = [records(query.ask(lease, one), query.row) for one in given]
                found[name] = json.dumps(rounded(said), default=str)
    return found


def rounded(value: Any) -> Any:
    """Where the rows lie decides the last digits of a mean, and nothing else."""
    if isinstance(value, float):
        return float(f"{value:.12g}")
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    return [rounded(item) for item in value] if isinstance(value, list) else value


def differing(one: Path, other: Path) -> set[str]:
    left, right = answers(one), answers(other)
    assert left.keys() == right.keys()
    return {name for name in left if left[name] != right[name]}


def write_into(store: Path, *statements: str) -> None:
    with memory_connection() as con, open_store(store) as opened, opened.publication(con) as draft:
        for statement in statements:
            draft.cursor().execute(statement).fetchall()


def generation(store: AnyStore) -> str:
    with store.lease() as lease:
        return lease.generation


def runs_as_they_lie(store: AnyStore) -> dict[str, list[str]]:
    """Of every table of runs, whose its rows are, in the order in which they were written."""
    with store.lease() as lease:
        return {
            table: [row["run_id"] for row in lease.rows(f"SELECT run_id FROM {table} ORDER BY rowid")]
            for table in (*OF_RUNS, *DERIVED)
        }


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("all") / "s.duckdb"
    ingest([str(SAMPLES)], store)
    return store


@pytest.fixture
def copy(everything: Path, tmp_path: Path) -> Path:
    copied = tmp_path / "copy.duckdb"
    if not store_kind.is_lake():
        return Path(shutil.copy(everything, copied))
    with open_store(everything) as source, open_store(copied) as target:
        assert [table for table in copying.copy(source, target, replace=True) if not table.is_equal] == []
    return copied


@pytest.fixture(scope="module")
def month(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("month") / "s.duckdb"
    ingest([str(path) for path in MONTH], store)
    return store


def test_a_rebuild_of_everything_changes_no_answer(everything: Path, copy: Path) -> None:
    with open_store(copy) as store:
        found = rebuild(store, force=True)
    assert found.changed == {}
    assert found.runs == rows(everything, "SELECT count(*) AS n FROM runs")[0]["n"]
    assert differing(everything, copy) == set()


@pytest.mark.soak
def test_nor_does_one_in_many_portions(everything: Path, copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(affected, "ROWS_AT_ONCE", 2_000)
    with open_store(copy) as store:
        assert rebuild(store, force=True).changed == {}
    assert differing(everything, copy) == set()


@pytest.mark.soak
def test_another_order_of_the_files_gives_the_same_answers(month: Path, tmp_path: Path) -> None:
    for path in reversed(MONTH):
        ingest([str(path)], tmp_path / "other.duckdb")
    assert differing(month, tmp_path / "other.duckdb") - OF_FILES == set()


class TestOlderRules:
    def test_what_this_version_derived_is_left_alone(self, tmp_path: Path) -> None:
        found = load_bytes(tmp_path, error("E"))
        with open_store(found.store) as store:
            before = generation(store)
            assert outdated(store) == 0
            assert rebuild(store).runs == 0
            assert generation(store) == before

    def test_a_store_of_an_older_version_is_brought_up_to_date(self, everything: Path, copy: Path) -> None:
        write_into(
            copy, "UPDATE runs SET derived_by = 'older'", "DELETE FROM findings", "UPDATE error_events SET seq = 1"
        )
        with open_store(copy) as store:
            assert outdated(store) > 0
            found = rebuild(store)
            assert outdated(store) == 0
        assert {"findings", "error_events"} <= found.changed.keys()
        assert differing(everything, copy) == set()

    def test_only_the_runs_of_another_version_are_derived_again(self, copy: Path) -> None:
        write_into(copy, "UPDATE runs SET derived_by = NULL WHERE run_id IN (SELECT run_id FROM runs LIMIT 3)")
        with open_store(copy) as store:
            assert rebuild(store).runs == 3

    def test_a_run_that_stays_as_it_was_is_not_written_again(self, copy: Path) -> None:
        with open_store(copy) as store:
            judged = "SELECT DISTINCT run_id FROM findings WHERE run_id IN (SELECT run_id FROM spans) ORDER BY 1"
            with store.lease() as lease:
                spoilt = {row["run_id"] for row in lease.rows(f"{judged} LIMIT 3")}
            listed = ", ".join(f"'{run}'" for run in sorted(spoilt))
            write_into(
                copy,
                "UPDATE runs SET derived_by = 'older'",
                f"UPDATE findings SET message = 'x' WHERE run_id IN ({listed})",
            )
            before = runs_as_they_lie(store)
            found = rebuild(store)
            assert found.runs == len(before["runs"]) > 1_000
            assert found.changed == {"findings": 3}
            after = runs_as_they_lie(store)
        for table, runs in before.items():
            # Which version judged a run stands in the row of the run itself, which says so now.
            if table != "runs":
                untouched = [run for run in runs if run not in spoilt]
                assert after[table][: len(untouched)] == untouched, table
                assert set(after[table][len(untouched) :]) <= spoilt
        assert before["findings"] != after["findings"]

    @pytest.mark.parametrize("rows_at_once", [affected.ROWS_AT_ONCE, pytest.param(2_000, marks=pytest.mark.soak)])
    def test_a_second_rebuild_changes_nothing(
        self, copy: Path, monkeypatch: pytest.MonkeyPatch, rows_at_once: int
    ) -> None:
        monkeypatch.setattr(affected, "ROWS_AT_ONCE", rows_at_once)
        write_into(copy, "UPDATE runs SET derived_by = 'older'", "DELETE FROM findings", "DELETE FROM error_days")
        with open_store(copy) as store:
            assert rebuild(store).changed.keys() == {"findings"}
            once = generation(store)
            assert rebuild(store).runs == 0
            assert rebuild(store, force=True).changed == {}
            assert generation(store) == once

    def test_other_retry_budgets_are_another_version(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        before = version()
        (tmp_path / "faultlens.toml").write_text("[retry]\nper_failure = 7\n")
        assert version() != before


class TestCommand:
    def test_it_says_that_there_is_nothing_to_do(self, tmp_path: Path) -> None:
        found = load_bytes(tmp_path, error("E"))
        said = CliRunner().invoke(main, ["rebuild", "--store", str(found.store)])
        assert said.exit_code == 0
        assert "nothing to do" in said.stderr

    def test_it_says_what_changed(self, tmp_path: Path) -> None:
        found = load_bytes(tmp_path, error("E"))
        write_into(found.store, "UPDATE runs SET derived_by = 'older', status = 'succeeded'")
        said = CliRunner().invoke(main, ["rebuild", "--store", str(found.store)])
        assert "runs: 1 run changed" in said.stdout.splitlines()

    def test_forced_it_derives_all_the_same(self, tmp_path: Path) -> None:
        found = load_bytes(tmp_path, error("E"))
        said = CliRunner().invoke(main, ["rebuild", "--force", "--store", str(found.store)])
        assert "1 runs derived" in said.stderr
        assert "nothing changed" in said.stderr
