from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ingest.records import Delegation, Diagnosis, ErrorEvent, Event, Run, Span
from tests.ingest.adapters.expected import SAMPLES, claiming, load, records
from tests.ingest.loaded import loaded

FOLDER = SAMPLES / "message_list"
MAGENTIC = FOLDER / "42576abe-0deb-4869-8c63-225c2d75a95a.json"
LABELLED = FOLDER / "47.json"


def written(folder: Path, value: Any) -> Path:
    path = folder / "messages.json"
    path.write_text(json.dumps(value))
    return path


@pytest.mark.parametrize(
    ("message", "agent", "to_agent"),
    [
        ({"role": "Orchestrator (-> WebSurfer)"}, "Orchestrator", "WebSurfer"),
        ({"role": "Orchestrator (thought)"}, "Orchestrator", None),
        ({"role": "Orchestrator (termination condition)"}, "Orchestrator", None),
        ({"role": "WebSurfer"}, "WebSurfer", None),
        ({"role": "human"}, "human", None),
        ({"role": "assistant", "name": "Expert"}, "Expert", None),
        ({"role": "tool", "name": "search"}, "tool", None),
    ],
)
def test_who_spoke_and_to_whom(message: dict[str, str], agent: str, to_agent: str | None, tmp_path: Path) -> None:
    path = written(tmp_path, [{"content": "x", **message}])
    assert [span.agent for span in records(path, Span)] == [agent]
    assert [d.to_agent for d in records(path, Delegation)] == ([to_agent] if to_agent else [])


def test_a_step_is_the_position_from_0(tmp_path: Path) -> None:
    rows = load(tmp_path, MAGENTIC).rows("SELECT span_id, step_index FROM spans ORDER BY seq")
    assert [(row["span_id"], row["step_index"]) for row in rows] == [(str(n), n) for n in range(5)]


def test_the_ledger_is_events_with_its_answers() -> None:
    events = records(MAGENTIC, Event)
    assert [(event.name, event.attributes["answer"]) for event in events[:3]] == [
        ("is_request_satisfied", True),
        ("is_in_loop", False),
        ("is_progress_being_made", True),
    ]
    assert {event.span_id for event in events} == {"2"}
    assert events[1].summary.startswith("false: The request was satisfied")


def test_labels_are_kept_with_the_run_and_used_by_nothing() -> None:
    (run,) = records(LABELLED, Run)
    assert run.attributes["label"]["mistake_agent"] == "Mesopotamian_Number_Systems_Expert"
    assert run.attributes["label"]["mistake_step"] == "1"
    assert "mistake_step" not in run.attributes
    assert records(LABELLED, ErrorEvent) == records(LABELLED, Diagnosis) == []


@pytest.mark.parametrize(
    ("beside", "status"),
    [
        ({"is_correct": False}, "failed"),
        ({"is_corrected": False}, "failed"),
        ({"is_correct": True}, "succeeded"),
        ({}, "unknown"),
    ],
)
def test_only_a_verdict_decides_the_outcome(beside: dict[str, Any], status: str, tmp_path: Path) -> None:
    path = written(tmp_path, {"history": [{"role": "user", "content": "x"}], **beside})
    assert [run.status for run in records(path, Run)] == [status]


@pytest.mark.parametrize(
    ("role", "content", "rule", "code"),
    [
        ("Executor", "exitcode: 1 (execution failed)\nCode output: x", "text_exit_code", None),
        ("Executor", "exitcode: 0 (execution succeeded)", None, None),
        ("Executor", "Traceback (most recent call last):\n  File 'x'\nValueError: bad", "text_traceback", "ValueError"),
        ("Executor", "ModuleNotFoundError: No module named 'x'", "text_error_line", "ModuleNotFoundError"),
        ("tool", "Error: order not found", "text_error_prefix", None),
        ("Executor", "There was no error at all", None, None),
        ("human", "Why do I get exitcode: 1?", None, None),
        ("system", "Error: say this when you fail", None, None),
        ("Orchestrator (thought)", "exitcode: 1 means failure", None, None),
    ],
)
def test_text_that_looks_like_an_error(
    role: str, content: str, rule: str | None, code: str | None, tmp_path: Path
) -> None:
    errors = records(written(tmp_path, [{"role": role, "content": content}]), ErrorEvent)
    assert [(e.basis, (e.rule or "").partition(":")[0], e.error_code) for e in errors] == (
        [("derived", rule, code)] if rule else []
    )


def test_headers_of_console_text() -> None:
    spans = records(FOLDER / "console_log.txt", Span)
    assert [span.agent for span in spans] == ["user", "Orchestrator", "Executor", "Orchestrator"]
    (error,) = records(FOLDER / "console_log.txt", ErrorEvent)
    assert (error.exit_code, error.agent) == ("1", "Executor")
    assert [event.name for event in records(FOLDER / "console_log.txt", Event)][1] == "is_in_loop"


def test_lines_of_the_event_logger() -> None:
    path = FOLDER / "autogen_core_events.jsonl"
    assert [(span.kind, span.tool, span.input_tokens) for span in records(path, Span)] == [
        ("llm", None, 41),
        ("tool", "search", None),
        ("handler", None, None),
    ]
    (error,) = records(path, ErrorEvent)
    assert (error.error_code, error.agent, error.basis) == ("KeyError", "editor/default", "recorded")


def test_surrogate_pairs_are_characters() -> None:
    (run,) = records(LABELLED, Run)
    assert "𒐜" in run.name
    assert "lone_surrogate" not in run.flags


@pytest.mark.parametrize(
    "other",
    [
        [{"role": "user", "content": "x", "uuid": "1", "sessionId": "s"}],
        {"history": []},
        {"history": [{"note": 1}]},
        {"messages": [{"role": "user", "content": "x"}]},
    ],
)
def test_what_only_looks_like_it_is_not_claimed(other: Any, tmp_path: Path) -> None:
    assert "message_list" not in [adapter.name for adapter in claiming(written(tmp_path, other))]


@pytest.mark.parametrize(
    "contents",
    [
        [[{"role": "user", "content": name}, {"role": "assistant", "content": "x"}] for name in "ab"],
        [{"history": [{"role": "user", "content": name}]} for name in "ab"],
        [{"type": "ToolCall", "tool_name": name, "arguments": {}, "agent_id": "a"} for name in "ab"],
    ],
)
def test_two_files_of_one_name_are_two_runs(contents: list[Any], tmp_path: Path) -> None:
    paths = []
    for folder, content in zip("ab", contents, strict=True):
        (tmp_path / folder).mkdir()
        paths.append(written(tmp_path / folder, content))
    result = loaded(tmp_path / "store.duckdb", *paths)
    assert result.values("SELECT native_id FROM runs") == [paths[0].name, paths[1].name]
    assert len(set(result.values("SELECT run_id FROM runs"))) == 2
