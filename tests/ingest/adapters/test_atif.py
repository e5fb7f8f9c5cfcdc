from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ingest.records import ContextOp, Delegation, ErrorEvent, Event, Run, Span
from tests.ingest.adapters.expected import SAMPLES, load, records, rejected
from tests.ingest.loaded import loaded

FOLDER = SAMPLES / "atif"
NAME = "terminus_2_hello-world-context-summarization-linear-history.trajectory"
FIRST, CONTINUED, TOOLS = FOLDER / f"{NAME}.json", FOLDER / f"{NAME}.cont-1.json", FOLDER / "tool_calls.trajectory.json"


def written(folder: Path, *steps: Any, **more: Any) -> Path:
    path = folder / "trajectory.json"
    path.write_text(json.dumps({"schema_version": "ATIF-v1.5", "agent": {"name": "a"}, "steps": steps, **more}))
    return path


@pytest.mark.parametrize("order", [[FIRST, CONTINUED], [CONTINUED, FIRST]])
def test_a_continuation_is_the_same_run_in_order(order: list[Path], tmp_path: Path) -> None:
    result = loaded(tmp_path / "store.duckdb", *order)
    run = result.one("SELECT native_id, name, spans, input_tokens, workload FROM runs")
    assert run["name"].startswith("Create a file called hello.txt")
    assert (run["spans"], run["workload"], run["input_tokens"]) == (7, "terminus-2", 2252 + 4250)
    spans = result.values("SELECT span_id FROM spans ORDER BY seq")
    assert spans == ["2", "3", "4", "1.5", "1.6", "1.7", "1.8"]
    assert result.report.totals.skipped == 4


def test_a_compaction_is_an_operation_on_the_context_and_its_helpers_delegations() -> None:
    assert [op.op for op in records(FIRST, ContextOp)] == ["compaction"]
    assert [d.task_id.rpartition("-")[2] for d in records(FIRST, Delegation)] == ["summary", "questions", "answers"]


def test_an_unknown_operation_is_kept_and_flagged(tmp_path: Path) -> None:
    step = {"step_id": 1, "source": "system", "message": "m", "extra": {"context_management": {"type": "squeeze"}}}
    (op,) = records(written(tmp_path, step), ContextOp)
    assert (op.op, op.flags) == ("squeeze", ("unknown_value",))


def test_step_ids_are_numbers_or_text_and_calls_hang_below_their_step() -> None:
    spans = records(TOOLS, Span)
    assert [(span.span_id, span.parent_span_id, span.step_index) for span in spans] == [
        ("2", None, 2),
        ("2/call_1", "2", 2),
        ("3", None, 3),
    ]
    assert [span.started_at is None for span in spans] == [False, False, True]


def test_an_observation_that_looks_like_an_error_is_derived() -> None:
    (error,) = records(TOOLS, ErrorEvent)
    assert (error.span_id, error.basis, error.location) == ("2/call_1", "derived", "bash")
    assert error.rule.startswith("text_error_prefix:")


def test_the_outcome_is_unknown_and_says_why() -> None:
    assert {(run.status, run.status_reason) for run in records(TOOLS, Run)} == {
        ("unknown", "ATIF records no outcome; a grader's verdict is kept elsewhere")
    }


def test_without_a_session_the_file_is_the_run(tmp_path: Path) -> None:
    (run,) = records(written(tmp_path, {"step_id": 1, "source": "user", "message": "m"}), Run)
    assert (run.native_id, run.identity) == ("trajectory.json", "derived")


def test_bad_steps_are_refused_alone(tmp_path: Path) -> None:
    good = {"step_id": "9" * 30, "source": "user", "message": "m"}
    path = written(tmp_path, 7, good, {"step_id": 2, "source": "agent", "metrics": {"prompt_tokens": 2**80}})
    assert rejected(path) == ["not_an_object"]
    assert [span.input_tokens for span in records(path, Span)] == [None]
    assert [event.step_index for event in records(path, Event)] == [2]
    assert load(tmp_path, path).counts == (4, 3, 0, 1, 0)
