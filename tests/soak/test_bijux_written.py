"""What bijux-canon-runtime and bijux-canon-agent write today loads, and each run ends as it did end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.ingest.adapters.expected import claiming
from tests.ingest.loaded import Loaded, loaded
from tests.soak.environment import Environment, Written

pytestmark = pytest.mark.soak

# How each flow ends: the agent or the reasoner that the writer supplies fails there, and at no other place.
# flow, status, contract class, failing steps, steps not reached, error code, what it says
FLOWS: dict[str, tuple[str, str | None, list[int], list[int], str | None, str | None]] = {
    "refund-answered": ("succeeded", None, [], [], None, None),
    "refund-tool-down": ("failed", "structural", [1], [2], "STEP_FAILED", "payment gateway timed out"),
    "refund-unreasoned": ("failed", "structural", [0], [], "REASONING_FAILED", "nothing to reason about"),
}
ENDED = """
    SELECT runs.name, runs.status, runs.contract_class, runs.attributes, errors, error_code, details
    FROM runs LEFT JOIN error_events USING (run_id) ORDER BY runs.name
"""


@pytest.fixture(scope="module")
def runtime(bijux: Environment, tmp_path_factory: pytest.TempPathFactory) -> Written:
    return bijux.written("bijux_runtime_store", tmp_path_factory.mktemp("runtime"))


@pytest.fixture(scope="module")
def agent(bijux: Environment, tmp_path_factory: pytest.TempPathFactory) -> Written:
    return bijux.written("bijux_agent_folder", tmp_path_factory.mktemp("agent"))


def load(store: Path, *paths: Path) -> Loaded:
    """The store of these files, every record of which was taken."""
    found = loaded(store, *paths)
    assert {file.status for file in found.report.files} == {"loaded"}
    assert (found.report.totals.rejected, found.report.totals.skipped) == (0, 0)
    return found


def assert_ended_as_they_did(found: Loaded) -> None:
    rows = {row["name"]: row for row in found.rows(ENDED)}
    assert rows.keys() == FLOWS.keys()
    for flow, (status, contract_class, failing, not_reached, code, said) in FLOWS.items():
        row = rows[flow]
        assert (row["status"], row["contract_class"], row["errors"]) == (status, contract_class, len(failing))
        assert (row["error_code"], row["details"]) == (code, said)
        assert steps(row) == (failing, not_reached)


def steps(row: dict[str, Any]) -> tuple[list[int], list[int]]:
    attributes = row["attributes"]
    stated = json.loads(attributes) if isinstance(attributes, str) else attributes
    return stated["failing_steps"], stated["not_reached_steps"]


def test_the_command_says_nothing_of_a_failure_and_the_store_does(runtime: Written, tmp_path: Path) -> None:
    assert {stated["code"] for stated in runtime.stated.values()} == {None}
    store = runtime.folder / "store"
    assert [adapter.name for adapter in claiming(store / "executions.duckdb")] == ["bijux_runtime"]
    found = load(tmp_path / "loaded.duckdb", store)
    assert_ended_as_they_did(found)
    counted = found.rows("SELECT name, native_id, events FROM runs")
    assert {row["name"]: (row["native_id"], row["events"]) for row in counted} == {
        flow: (stated["run_id"], stated["events"]) for flow, stated in runtime.stated.items()
    }


def test_a_printed_trace_alone_gives_the_same_outcome(runtime: Written, tmp_path: Path) -> None:
    traces = sorted((runtime.folder / "traces").iterdir())
    for trace in traces:
        assert [adapter.name for adapter in claiming(trace)] == ["bijux_runtime"]
    found = load(tmp_path / "loaded.duckdb", *traces)
    assert_ended_as_they_did(found)
    counted = {row["name"]: row["events"] for row in found.rows("SELECT name, events FROM runs")}
    assert counted == {flow: stated["traced"] for flow, stated in runtime.stated.items()}


@pytest.mark.parametrize(
    "calls",
    [[("store", "traces")], [("traces", "store")], [("store",), ("traces",)], [("traces",), ("store",)]],
    ids=lambda calls: ", then ".join(" and ".join(call) for call in calls),
)
def test_a_printed_trace_is_the_run_in_the_store(
    runtime: Written, calls: list[tuple[str, ...]], tmp_path: Path
) -> None:
    for call in calls:
        found = load(tmp_path / "loaded.duckdb", *(runtime.folder / name for name in call))
    assert_ended_as_they_did(found)
    stated = sorted(stated["run_id"] for stated in runtime.stated.values())
    assert sorted(found.values("SELECT native_id FROM runs")) == stated
    assert found.values("SELECT count(*) FROM events") == [sum(one["events"] for one in runtime.stated.values())]


def test_an_output_folder_of_the_agent_is_one_run_an_input(agent: Written, tmp_path: Path) -> None:
    out = agent.folder / "out"
    assert agent.stated["code"] == 0
    found = load(tmp_path / "loaded.duckdb", out)
    assert {file.format for file in found.report.files} == {"bijux_agent"}
    runs = found.rows("SELECT native_id, status, errors FROM runs ORDER BY status")
    assert [(run["status"], run["errors"]) for run in runs] == [("failed", 1), ("succeeded", 0)]
    assert len(runs) == len(agent.stated["inputs"])
    assert all(run["native_id"].startswith(agent.stated["run_id"]) for run in runs)


def test_no_file_of_the_output_folder_is_left_out(agent: Written, tmp_path: Path) -> None:
    found = load(tmp_path / "loaded.duckdb", agent.folder / "out")
    read = {Path(path) for file in found.report.files for path in (file.path, *file.companions)}
    assert sorted(path.relative_to(agent.folder).as_posix() for path in read) == agent.stated["written"]
