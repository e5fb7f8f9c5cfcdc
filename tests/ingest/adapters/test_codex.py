"""Codex rollouts: the samples as expected, and the meaning of each kind of row."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ingest.records import ErrorEvent, Event, GuardrailEvent, RecoveryEvent, Run, Span
from tests.ingest.adapters.line_formats import (
    SAMPLES,
    assert_as_expected,
    assert_growth_adds_only_what_is_new,
    assert_only_its_own_claims,
    assert_same_in_any_wrapping,
    assert_survives,
    content,
    expected,
    items,
    loaded,
    records,
    samples,
    skipped,
    written,
)

FORMAT = "codex"
FILES = samples(FORMAT)


def test_every_sample_has_an_expectation() -> None:
    assert sorted(row["file"] for row in expected(FORMAT)) == [path.name for path in FILES]


@pytest.mark.parametrize("row", expected(FORMAT), ids=lambda row: row["file"])
def test_a_sample_loads_as_expected(row: dict[str, str], tmp_path: Path) -> None:
    assert_as_expected(FORMAT, row, tmp_path)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_exactly_this_adapter_claims_a_sample(path: Path) -> None:
    assert_only_its_own_claims(FORMAT, path)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_damage_never_raises(path: Path, tmp_path: Path) -> None:
    assert_survives(FORMAT, path, tmp_path)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_marks_encodings_and_packing_change_nothing(path: Path, tmp_path: Path) -> None:
    assert_same_in_any_wrapping(FORMAT, path, tmp_path)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_grown_file_adds_only_what_is_new(path: Path, tmp_path: Path) -> None:
    assert_growth_adds_only_what_is_new(path, tmp_path)


FAILURES = SAMPLES / FORMAT / "failures.jsonl"


def row(second: int, kind: str, **payload: Any) -> str:
    return json.dumps({"timestamp": f"2026-10-06T09:00:{second:02d}Z", "type": kind, "payload": payload}) + "\n"


META = row(0, "session_meta", id="0199", cwd="/srv/dev/shop")


def output(call_id: str, value: Any) -> str:
    return row(3, "response_item", type="function_call_output", call_id=call_id, output=value)


def call(call_id: str) -> str:
    return row(2, "response_item", type="function_call", name="shell", arguments="{}", call_id=call_id)


def test_what_must_not_be_shown_is_not_stored(tmp_path: Path) -> None:
    result = loaded(tmp_path / "store.duckdb", *FILES)
    stored = json.dumps(content(result.store))
    assert "MUST_NOT_RENDER" not in stored
    assert "withheld" in stored


def test_the_parent_of_a_sub_agent_is_named_by_its_header() -> None:
    (run,) = [run for run in records(FORMAT, FAILURES, Run) if run.event_id == "session"]
    assert run.parent_run_id == "codex:0199aaaa-0000-7000-8000-000000000004"
    spans = records(FORMAT, SAMPLES / FORMAT / "rollout-2026-08-01-subagent-parent.jsonl", Span)
    spawn = next(span for span in spans if span.tool)
    assert spawn.attributes["result"]["agent_id"] == "0199aaaa-0000-7000-8000-000000000104"


def test_a_failure_told_by_event_and_output_is_one() -> None:
    stream, failed, refused = records(FORMAT, FAILURES, ErrorEvent)
    assert (stream.type, stream.action, stream.tool_error_class) == ("stream_error", "retry 1 of 5", "transport")
    assert (failed.exit_code, failed.tool_error_class, failed.basis) == ("2", "execution", "recorded")
    assert (refused.tool_error_class, refused.basis) == ("policy_denial", "derived")
    assert refused.rule.startswith("text_says_no")


def test_approvals_and_refusals_are_guardrail_events() -> None:
    asked, refused = records(FORMAT, FAILURES, GuardrailEvent)
    assert (asked.trigger, asked.details, asked.decision) == ("exec_approval_request", "make check", None)
    assert (refused.trigger, refused.decision) == ("apply_patch", "deny")


def test_the_recoveries_are_derived_and_say_why() -> None:
    stream, repeated = records(FORMAT, FAILURES, RecoveryEvent)
    assert (stream.basis, stream.rule) == ("derived", "retry_succeeded: the model went on after 1 broken streams")
    assert (repeated.for_event, repeated.rule.partition(":")[0]) == ("c1#error", "repeat_succeeded")


@pytest.mark.parametrize(
    ("value", "exit_code", "status"),
    [
        ("plain text", None, "ok"),
        ('{"output": "no", "metadata": {"exit_code": 3}}', "3", "error"),
        ('{"output": "yes", "metadata": {"exit_code": 0}}', None, "ok"),
        ({"content": "no", "success": False}, None, "error"),
        ({"content": [{"type": "output_text", "text": "yes"}]}, None, "ok"),
        ([{"type": "output_text", "text": "Exit code: 5\nWall time: 1 s\nOutput:\nno"}], "5", "error"),
        ("Chunk ID: 1\nProcess exited with code 0\nOutput:\nExit code: 9", None, "ok"),
        ("unsupported call: fly", None, "error"),
        ('{"status": "ok"}', None, "ok"),
        (None, None, "ok"),
    ],
)
def test_every_shape_of_an_output_is_read(value: Any, exit_code: str | None, status: str, tmp_path: Path) -> None:
    path = written(tmp_path, META + call("c") + output("c", value))
    assert [span.status for span in records(FORMAT, path, Span)] == [status]
    assert [one.exit_code for one in records(FORMAT, path, ErrorEvent)] == ([exit_code] if status == "error" else [])


@pytest.mark.parametrize(
    "end",
    [
        {"type": "exec_command_end", "exit_code": 1, "aggregated_output": "no"},
        {"type": "patch_apply_end", "success": False, "stderr": "no"},
        {"type": "mcp_tool_call_end", "result": {"Err": "no"}},
        {"type": "mcp_tool_call_end", "result": {"Ok": {"isError": True, "content": [{"type": "text", "text": "no"}]}}},
    ],
)
@pytest.mark.parametrize("is_first", [True, False])
def test_an_end_event_fails_its_call_before_or_after_the_output(
    end: dict[str, Any],
    is_first: bool,  # noqa: FBT001
    tmp_path: Path,
) -> None:
    told = [row(3, "event_msg", call_id="c", **end), output("c", "no")]
    path = written(tmp_path, META + call("c") + "".join(told if is_first else reversed(told)))
    (failure,) = records(FORMAT, path, ErrorEvent)
    assert (failure.span_id, failure.details, failure.basis) == ("c", "no", "recorded")


def test_a_message_said_twice_by_the_user_is_two_messages(tmp_path: Path) -> None:
    event = row(1, "event_msg", type="user_message", message="go on")
    item = row(1, "response_item", type="message", role="user", content=[{"type": "input_text", "text": "go on"}])
    result = loaded(tmp_path / "store.duckdb", written(tmp_path, META + event + item + event + item))
    assert result.counts == (5, 3, 2, 0, 0)


def test_a_quotation_in_a_message_that_stands_twice_is_skipped_once(tmp_path: Path) -> None:
    said = "_ERROR_EVENT:\n  Level: L2\n  Result: FAILED\n"
    event = row(1, "event_msg", type="user_message", message=said)
    item = row(1, "response_item", type="message", role="user", content=[{"type": "input_text", "text": said}])
    assert skipped(items(FORMAT, written(tmp_path, META + event + item))) == ["quotation"]


def test_the_turn_ends_as_failed_with_its_code(tmp_path: Path) -> None:
    path = written(tmp_path, META + row(1, "event_msg", type="error", message="too long", codex_error_info="context"))
    (failure,) = records(FORMAT, path, ErrorEvent)
    assert (failure.type, failure.error_code, failure.details) == ("error", "context", "too long")


def test_unknown_rows_are_kept_and_flagged(tmp_path: Path) -> None:
    path = written(tmp_path, META + row(1, "brand_new", n=1) + row(2, "event_msg", type="newer", n=2))
    flags = {event.kind: event.flags for event in records(FORMAT, path, Event)}
    assert flags == {"brand_new": ("unknown_type",), "newer": ()}
