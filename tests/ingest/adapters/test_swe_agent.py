from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ingest.records import ErrorEvent, Run, Span
from tests.ingest.adapters.expected import SAMPLES, claiming, load, records
from tests.ingest.loaded import loaded

FOLDER = SAMPLES / "swe_agent"
STEP = {"action": "ls", "observation": "app.py", "response": "r", "thought": "t", "state": "{}"}


def written(folder: Path, *steps: dict[str, Any], info: Any = None) -> Path:
    path = folder / "run.traj"
    path.write_text(
        json.dumps({"environment": "main", "trajectory": steps or [STEP], "history": [], "info": info or {}})
    )
    return path


@pytest.mark.parametrize(
    ("exit_status", "status", "errors"),
    [
        ("submitted", "unknown", []),
        ("submitted (exit_cost)", "unknown", ["exit_cost"]),
        ("exit_cost", "interrupted", ["exit_cost"]),
        ("exit_context", "interrupted", ["exit_context"]),
        ("exit_total_execution_time", "interrupted", ["exit_total_execution_time"]),
        ("exit_format", "failed", ["exit_format"]),
        ("exit_error", "failed", ["exit_error"]),
        ("exit_api", "failed", ["exit_api"]),
        ("exit_command", "failed", ["exit_command"]),
        ("exit_command_timeout", "failed", ["exit_command_timeout"]),
        ("exit_environment_error", "failed", ["exit_environment_error"]),
        ("exit_forfeit", "aborted", ["exit_forfeit"]),
        ("early_exit", "interrupted", []),
        (None, "interrupted", []),
        ("exit_moon", "unknown", ["exit_moon"]),
    ],
)
def test_exit_statuses(exit_status: str | None, status: str, errors: list[str], tmp_path: Path) -> None:
    path = written(tmp_path, info={"exit_status": exit_status})
    (run,) = records(path, Run)
    assert (run.status, run.stop_reason) == (status, exit_status)
    assert [error.error_code for error in records(path, ErrorEvent)] == errors
    assert ("unknown_value" in run.flags) == (exit_status == "exit_moon")


def test_submitted_is_no_success_and_the_reason_says_so() -> None:
    (run,) = records(FOLDER / "6e44b9__sweagenttestrepo-1c2844.traj", Run)
    assert run.status == "unknown"
    assert "for an evaluation to say" in run.status_reason


@pytest.mark.parametrize(("resolved", "status"), [(True, "succeeded"), (False, "failed")])
@pytest.mark.parametrize("place", ["info", "evaluation"])
def test_an_evaluation_in_the_file_decides(resolved: bool, status: str, place: str, tmp_path: Path) -> None:  # noqa: FBT001
    verdict: dict[str, Any] = {"resolved": resolved}
    info = {"exit_status": "submitted", **(verdict if place == "info" else {"evaluation": verdict})}
    assert [run.status for run in records(written(tmp_path, info=info), Run)] == [status]


def test_steps_have_an_order_and_no_times(tmp_path: Path) -> None:
    result = load(tmp_path, FOLDER / "exit_cost.traj")
    assert result.one("SELECT clock, started_at, ended_at FROM runs") == {
        "clock": "none",
        "started_at": None,
        "ended_at": None,
    }
    rows = result.rows("SELECT span_id, tool, step_index FROM spans ORDER BY seq")
    assert [(row["span_id"], row["tool"], row["step_index"]) for row in rows] == [
        ("0", "ls", 0),
        ("1", "python", 1),
        ("2", "pytest", 2),
    ]


def test_text_that_looks_like_an_error_is_derived_and_names_its_rule() -> None:
    traceback, timeout = [e for e in records(FOLDER / "exit_cost.traj", ErrorEvent) if e.basis == "derived"]
    assert (traceback.error_code, traceback.details) == ("ZeroDivisionError", "ZeroDivisionError: division by zero")
    assert traceback.rule.startswith("text_traceback:")
    assert timeout.rule.startswith("text_timed_out:")


def test_a_file_with_only_the_history_has_its_actions_as_steps() -> None:
    spans = records(FOLDER / "function_calling_simple.traj", Span)
    assert [span.tool for span in spans] == ["find_file", "open", "edit", "bash", "submit"]
    assert all("observation" in span.attributes for span in spans)


def test_the_run_is_the_file_and_its_name_the_issue() -> None:
    (run,) = records(FOLDER / "function_calling_simple.traj", Run)
    assert (run.native_id, run.name, run.identity) == (
        "function_calling_simple.traj",
        "SyntaxError: invalid syntax",
        "derived",
    )


def test_state_is_an_object_in_old_and_new_files(tmp_path: Path) -> None:
    path = written(tmp_path, {**STEP, "state": '{"open_file": "n/a"}'}, {**STEP, "state": {"open_file": "n/a"}})
    assert {json.dumps(span.attributes["state"]) for span in records(path, Span)} == {'{"open_file": "n/a"}'}


def test_a_conversation_is_no_trajectory(tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    path.write_text(json.dumps({"history": [{"role": "user", "content": "x"}]}))
    assert [adapter.name for adapter in claiming(path)] == ["message_list"]


def test_the_same_task_tried_by_two_agents_is_two_runs(tmp_path: Path) -> None:
    paths = []
    for agent in ("first", "second"):
        (tmp_path / agent).mkdir()
        paths.append(written(tmp_path / agent, {**STEP, "thought": agent}))
    result = loaded(tmp_path / "store.duckdb", *paths)
    assert len(set(result.values("SELECT run_id FROM runs"))) == 2
    assert result.values("SELECT native_id FROM runs") == ["run.traj", "run.traj"]


def test_a_trajectory_that_goes_on_stays_the_same_run(tmp_path: Path) -> None:
    begun = load(tmp_path, written(tmp_path, STEP)).values("SELECT run_id FROM runs")
    assert load(tmp_path, written(tmp_path, STEP, STEP)).values("SELECT run_id FROM runs") == begun
