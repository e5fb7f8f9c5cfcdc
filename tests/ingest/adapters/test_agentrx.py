from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ingest.records import Diagnosis, ErrorEvent
from ingest.store import open_store
from queries.origins.origins import origins
from tests.ingest.adapters.expected import (
    SAMPLES,
    Case,
    cases,
    claiming,
    damaged,
    found,
    items,
    load,
    records,
    rejected,
    sample_files,
)
from tests.ingest.loaded import loaded

FOLDER = SAMPLES / "agentrx"
FAILURE = {"failure_id": 1, "step_number": 3, "failure_category": "Intent not supported", "failed_agent": "Assistant"}


def labels(folder: Path, **changed: Any) -> Path:
    label = {"trajectory_id": "t", "failures": [FAILURE], "root_cause": {"failure_id": 1}, **changed}
    path = folder / "truth.json"
    path.write_text(json.dumps([label]))
    return path


@pytest.mark.parametrize("case", cases("agentrx"), ids=str)
def test_every_sample_gives_what_was_counted_in_it(case: Case, tmp_path: Path) -> None:
    assert found(load(tmp_path, case.path)) == (case.counts, case.outcomes)


@pytest.mark.parametrize("path", sample_files("agentrx"), ids=lambda path: path.name)
def test_no_other_adapter_claims_it(path: Path) -> None:
    assert [adapter.name for adapter in claiming(path)] == ["agentrx"]


@pytest.mark.parametrize("path", sample_files("agentrx"), ids=lambda path: path.name)
def test_a_damaged_copy_gives_rejections_and_no_exception(path: Path, tmp_path: Path) -> None:
    for copy in damaged(path, tmp_path):
        if claiming(copy):
            assert "adapter_fault" not in rejected(copy), copy.name


def test_steps_are_counted_from_1_there_and_from_0_here(tmp_path: Path) -> None:
    (error,) = records(labels(tmp_path), ErrorEvent)
    assert (error.step_index, error.observed_at, error.attributes["step_number"]) == (2, "step 2", 3)


@pytest.mark.parametrize("failure_id", [1, "1"])
@pytest.mark.parametrize("root", [1, "1"])
def test_the_root_is_found_whether_its_id_is_text_or_a_number(failure_id: Any, root: Any, tmp_path: Path) -> None:
    path = labels(tmp_path, failures=[{**FAILURE, "failure_id": failure_id}], root_cause={"failure_id": root})
    assert [diagnosis.originated_at for diagnosis in records(path, Diagnosis)] == ["step 2"]


def test_a_root_that_is_no_failure_is_flagged_and_not_guessed(tmp_path: Path) -> None:
    path = labels(tmp_path, root_cause={"failure_id": 9})
    assert [diagnosis.originated_at for diagnosis in records(path, Diagnosis)] == [None]
    row = load(tmp_path, path).one("SELECT flags FROM runs")
    assert row["flags"] == ["root_cause_without_failure"]


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("Intent not supported", "Intent Not Supported"),
        ("Instruction Adherence Failure", "Instruction/Plan Adherence Failure"),
        ("Instruction/Plan Adherence Failure", "Instruction/Plan Adherence Failure"),
        ("Something new", "Something new"),
        (None, None),
    ],
)
def test_one_category_has_one_name(written: str | None, kept: str | None, tmp_path: Path) -> None:
    path = labels(tmp_path, failures=[{**FAILURE, "failure_category": written}])
    assert [error.type for error in records(path, ErrorEvent)] == [kept]


@pytest.mark.parametrize("number", [0, -1, None, "soon", 2**70])
def test_a_failure_without_a_step_is_refused_and_takes_no_other_with_it(number: Any, tmp_path: Path) -> None:
    path = labels(tmp_path, failures=[FAILURE, {**FAILURE, "failure_id": 2, "step_number": number}])
    assert rejected(path) == ["invalid_field"]
    assert len(records(path, ErrorEvent)) == 1


def test_several_failures_of_one_step_are_several_events(tmp_path: Path) -> None:
    path = labels(tmp_path, failures=[FAILURE, {**FAILURE, "failure_id": 2}])
    assert load(tmp_path, path).one("SELECT count(DISTINCT event_id) AS n FROM error_events") == {"n": 2}


def test_labels_and_messages_meet_in_one_run_in_either_order(tmp_path: Path) -> None:
    files = [FOLDER / "tau_trajectories.json", FOLDER / "tau_ground_truth.json"]
    one = loaded(tmp_path / "a.duckdb", *files)
    loaded(tmp_path / "b.duckdb", files[1])
    other = loaded(tmp_path / "b.duckdb", files[0])
    for result in (one, other):
        assert result.values("SELECT run_id FROM runs ORDER BY 1") == ["agentrx:34", "agentrx:41"]
        assert result.values("SELECT DISTINCT status FROM runs") == ["failed"]
    with open_store(one.store).lease() as lease:
        rows = [row for row in origins(lease, run="agentrx:34") if row.author == "AgentRx annotators"]
    assert [(row.observed_at, row.originated_at, row.step_distance) for row in rows] == [
        ("step 16", "step 16", 0),
        ("step 20", "step 16", 4),
        ("step 29", "step 16", 13),
    ]


def test_a_list_of_something_else_is_refused_item_by_item(tmp_path: Path) -> None:
    path = tmp_path / "mixed.json"
    path.write_text(json.dumps([{"task_id": 1, "traj": []}, {"task_id": None, "traj": [{"role": "user"}]}]))
    assert rejected(path) == ["missing_run_id"]
    assert len(items(path)) == 2
