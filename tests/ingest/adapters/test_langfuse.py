from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ingest.records import ErrorEvent, Event, Run, Span
from tests.ingest.adapters.expected import SAMPLES, claiming, load, records, rejected
from tests.ingest.loaded import content, loaded

TWO_FILES = SAMPLES / "langfuse" / "two_files"
OBSERVATION = {"id": "o", "traceId": "t", "type": "SPAN", "name": "n", "startTime": "2026-11-30T09:00:00Z"}


def written(folder: Path, *rows: dict[str, Any], name: str = "export.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def one_span(folder: Path, **more: Any) -> Span:
    (span,) = records(written(folder, {**OBSERVATION, **more}), Span)
    assert isinstance(span, Span)
    return span


def test_two_files_of_one_trace_are_one_run_in_either_order(tmp_path: Path) -> None:
    files = [TWO_FILES / "traces.json", TWO_FILES / "observations.jsonl"]
    forward = loaded(tmp_path / "forward.duckdb", *files)
    backward = loaded(tmp_path / "a.duckdb", files[1])
    backward = loaded(tmp_path / "a.duckdb", files[0])
    assert content(forward.store) == content(backward.store)
    run = forward.one("SELECT name, session_id, spans, status FROM runs WHERE native_id = 'lf-t1'")
    assert run == {"name": "refund-desk", "session_id": "s-1", "spans": 6, "status": "succeeded"}


def test_metadata_that_is_json_in_text_is_an_object() -> None:
    run = next(run for run in records(TWO_FILES / "traces.json", Run) if run.native_id == "lf-t1")
    assert run.attributes["metadata"] == {"resourceAttributes": {"service.name": "desk"}}
    assert run.attributes["input"] == {"q": "Refund order 8841"}


def test_a_negative_latency_is_kept_and_flagged() -> None:
    run = next(run for run in records(TWO_FILES / "traces.json", Run) if run.native_id == "lf-t1")
    assert run.attributes["latency"] == -0.4
    assert "negative_duration" in run.flags


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"usage": {"promptTokens": 3, "completionTokens": 4}}, (3, 4)),
        ({"usage": {"input": 3, "output": 4, "unit": "TOKENS"}}, (3, 4)),
        ({"usageDetails": {"input": 3, "output": 4}}, (3, 4)),
        ({"usageDetails": '{"input": 3, "output": 4}'}, (3, 4)),
        ({"inputUsage": 3, "outputUsage": 4}, (3, 4)),
        ({"inputTokens": "3", "outputTokens": "4"}, (3, 4)),
        ({"promptTokens": 3, "completionTokens": 4}, (3, 4)),
        ({"input": "3 apples", "output": "4"}, (None, None)),
        ({"usage": {"promptTokens": 2**70, "completionTokens": 4}}, (None, 4)),
    ],
)
def test_tokens_under_the_names_of_every_version(usage: dict[str, Any], expected: Any, tmp_path: Path) -> None:
    span = one_span(tmp_path, **usage)
    assert (span.input_tokens, span.output_tokens) == expected


@pytest.mark.parametrize(
    ("more", "status", "flag"),
    [
        ({"endTime": "2026-11-30T09:00:01Z"}, "unset", None),
        ({"endTime": None}, "open", None),
        ({"endTime": "2026-11-30T08:59:59Z"}, "unset", "negative_duration"),
        ({"startTime": "0001-01-01T00:00:00Z", "endTime": "2026-11-30T09:00:01Z"}, "unset", "time_never_set"),
        ({"endTime": "2026-11-30T09:00:01Z", "level": "ERROR"}, "error", None),
    ],
)
def test_status_and_times(more: dict[str, Any], status: str, flag: str | None, tmp_path: Path) -> None:
    span = one_span(tmp_path, **more)
    assert span.status == status
    assert flag is None or flag in span.flags
    assert span.ended_at is None or span.started_at is None or span.ended_at >= span.started_at


@pytest.mark.parametrize(
    ("level", "message", "expected"),
    [
        ("ERROR", "TimeoutError: gone", ("recorded", "TimeoutError")),
        ("ERROR", None, ("recorded", None)),
        ("WARNING", "cache entry expired", ("derived", None)),
        (None, "no such order", ("derived", None)),
        ("DEFAULT", "OK", None),
        ("DEFAULT", None, None),
    ],
)
def test_errors(level: str | None, message: str | None, expected: Any, tmp_path: Path) -> None:
    errors = records(written(tmp_path, {**OBSERVATION, "level": level, "statusMessage": message}), ErrorEvent)
    assert [(error.basis, error.error_code) for error in errors] == ([expected] if expected else [])


def test_an_error_of_a_tool_has_its_class_by_rule() -> None:
    (error,) = [e for e in records(TWO_FILES / "observations.jsonl", ErrorEvent) if e.span_id == "o3"]
    assert error.tool_error_class == "unknown_outcome"
    assert error.rule is not None
    assert error.rule.startswith("tool_error_class timeout")


def test_an_event_is_an_event_and_a_score_is_no_outcome() -> None:
    assert [event.name for event in records(TWO_FILES / "observations.jsonl", Event)] == ["cache miss"]
    (score,) = records(TWO_FILES / "traces.json", Event)
    assert (score.kind, score.name, score.summary) == ("score", "resolved", "1: customer confirmed")


def test_cells_of_a_csv_export() -> None:
    spans = records(SAMPLES / "langfuse" / "observations.csv", Span)
    assert [span.name for span in spans] == ["handle, ticket", '=HYPERLINK("http://attacker.example")', "lookup"]
    (error,) = records(SAMPLES / "langfuse" / "observations.csv", ErrorEvent)
    assert (error.error_code, error.details) == ("KeyError", "KeyError: '8841'")


def test_the_api_envelope_and_a_single_trace(tmp_path: Path) -> None:
    path = tmp_path / "page.json"
    path.write_text(json.dumps({"data": [OBSERVATION], "meta": {"page": 1}}, indent=1))
    assert [span.run_id for span in records(path, Span)] == ["langfuse:t"]
    trace: dict[str, Any] = {
        "id": "t9",
        "timestamp": "2026-11-30T09:00:00Z",
        "userId": None,
        "sessionId": "s",
        "tags": [],
    }
    path.write_text(json.dumps({**trace, "environment": "x", "observations": ["o1", "o2"]}))
    assert [run.native_id for run in records(path, Run)] == ["t9"]


def test_one_bad_element_of_a_list_takes_no_other_with_it(tmp_path: Path) -> None:
    path = tmp_path / "list.json"
    good = json.dumps(OBSERVATION)
    path.write_text(f'[{good},\n{{"id": {"9" * 5_000}}},\n{{"x": "\\q"}},\n{good.replace("o", "p", 1)},\n{good[:40]}')
    assert len(records(path, Span)) == 2
    assert rejected(path) == ["bad_number", "bad_escape", "not_json"]


def test_a_line_that_is_no_record_is_refused_alone(tmp_path: Path) -> None:
    path = written(tmp_path, OBSERVATION, {"hello": 1}, {**OBSERVATION, "id": "o2"})
    assert (len(records(path, Span)), rejected(path)) == (2, ["unknown_record"])
    assert load(tmp_path, path).counts == (3, 2, 0, 1, 0)


@pytest.mark.parametrize(
    "other",
    [
        {"traceId": "a", "spanId": "b", "startTimeUnixNano": "1"},
        {"id": "x", "timestamp": "2026", "name": "n"},
        {"id": "x", "traceId": "t", "type": "webhook", "startTime": "2026"},
    ],
)
def test_what_only_looks_like_it_is_not_claimed(other: dict[str, Any], tmp_path: Path) -> None:
    assert "langfuse" not in [adapter.name for adapter in claiming(written(tmp_path, other))]
