"""Two runs aligned, and where they part; replays with the verdict beside the events."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from dashboard.cli.compare import COMMAND
from ingest.load import ingest
from ingest.store import Lease, open_store
from queries.replay.compare_facts import compare_facts
from queries.replay.compare_steps import compare_steps
from queries.replay.replay_pairs import replay_pairs

SAMPLES = Path(__file__).parents[3] / "sample_traces"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("compare") / "s.duckdb"
    ingest([str(SAMPLES / "bijux_agent" / "traces"), str(SAMPLES / "bijux_runtime" / "replay")], path)
    return path


@pytest.fixture(scope="module")
def lease(store: Path) -> Iterator[Lease]:
    with open_store(store).lease() as lease:
        yield lease


SUCCESS, BROKEN = "bijux-canon-agent:run-success", "bijux-canon-agent:run-aborted_execution_error"


def test_the_first_difference_is_the_step_that_only_one_reached(lease: Lease) -> None:
    rows = compare_steps(lease, run_a=SUCCESS, run_b=BROKEN).rows
    assert [(row.name, row.differs) for row in rows[:4]] == [
        ("plan", None), ("execute", None), ("judge", "only in A"), ("aborted", "only in B"),
    ]  # fmt: skip


def test_the_sides_are_the_ones_that_were_asked_for(lease: Lease) -> None:
    forth = {row.fact: (row.value_a, row.value_b) for row in compare_facts(lease, run_a=SUCCESS, run_b=BROKEN)}
    reverse = compare_facts(lease, run_a="run-aborted_execution_error", run_b="run-success")
    back = {row.fact: (row.value_b, row.value_a) for row in reverse}
    assert forth == back
    assert forth["status"] == ("succeeded", "aborted")


def test_a_run_differs_from_itself_in_nothing(lease: Lease) -> None:
    assert not any(row.differs for row in compare_steps(lease, run_a=SUCCESS, run_b=SUCCESS))


def test_an_acceptable_verdict_stands_beside_events_that_differ(lease: Lease) -> None:
    found = {row.run_id: row for row in replay_pairs(lease)}
    row = found["bijux-canon-runtime:d7de1271-4ff7-429c-b17b-0dcaa0fd7201"]
    assert (row.verdict, row.events_differ, row.first_position) == ("acceptable", True, 6)


def test_the_command_prints_json_and_refuses_unknown_runs(store: Path) -> None:
    done = CliRunner().invoke(COMMAND, [SUCCESS, BROKEN, "--json", "--store", str(store)])
    assert done.exit_code == 0
    assert json.loads(done.output)["first_difference"]["name"] == "judge"
    assert CliRunner().invoke(COMMAND, [SUCCESS, "nobody", "--store", str(store)]).exit_code != 0
