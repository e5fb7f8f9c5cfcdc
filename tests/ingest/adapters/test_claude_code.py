"""Claude Code sessions: the samples as expected, and the meaning of each kind of row."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ingest.records import ContextOp, ErrorEvent, Event, RecoveryEvent, Run, Span
from tests.ingest.adapters.line_formats import (
    SAMPLES,
    assert_as_expected,
    assert_growth_adds_only_what_is_new,
    assert_only_its_own_claims,
    assert_same_in_any_wrapping,
    assert_survives,
    expected,
    items,
    loaded,
    records,
    rejected,
    samples,
    skipped,
    written,
)

FORMAT = "claude_code"
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


RETRIES = SAMPLES / FORMAT / "retries.jsonl"
SESSION = "3c1de0a4-0f0e-4d3a-9a75-51d1c7a0f001"
BLOCK = "_ERROR_EVENT:\n  Level: L3\n  Type: test_failure\n  Result: FAILED\n"


def row(number: int, kind: str, content: Any = None, **more: Any) -> str:
    """A row of a session; `content` is its message's."""
    role = {"role": kind, "content": content, "id": f"m{number}", "model": "m", "usage": {"input_tokens": 1}}
    value = {
        "uuid": f"u{number}",
        "parentUuid": None,
        "sessionId": "s",
        "timestamp": f"2026-10-05T08:00:{number:02d}Z",
        "cwd": "C:\\\\dev\\\\shop",
        "type": kind,
        **({} if content is None else {"message": role}),
        **more,
    }
    return json.dumps(value) + "\n"


def text(words: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": words}]


def test_a_sub_agent_is_a_run_below_its_session() -> None:
    (run,) = [
        run for run in records(FORMAT, SAMPLES / FORMAT / "agent-atest01.jsonl", Run) if run.event_id == "session"
    ]
    assert (run.native_id, run.parent_run_id) == ("test-session-004/agent-atest01", "claude-code:test-session-004")
    task = next(span for span in records(FORMAT, SAMPLES / FORMAT / "agent_session.jsonl", Span) if span.tool == "Task")
    assert task.attributes["result"]["agentId"] == "atest01"


def test_a_call_lasts_from_its_row_to_its_result() -> None:
    read = next(span for span in records(FORMAT, SAMPLES / FORMAT / "tool_call_conversation.jsonl", Span) if span.tool)
    assert (read.tool, read.parent_span_id, read.status) == ("Read", "msg_assistant_010", "ok")
    assert (read.started_at.second, read.ended_at.second) == (1, 2)


def test_a_turn_of_several_rows_counts_its_tokens_once() -> None:
    turn = next(span for span in records(FORMAT, RETRIES, Span) if span.span_id == "msg_A")
    assert (turn.input_tokens, turn.output_tokens) == (100, 30)
    assert (turn.started_at.minute, turn.ended_at.minute) == (3, 4)


def test_every_retry_of_the_api_is_an_error_and_the_answer_recovers_from_them() -> None:
    first, second, failed, denied = records(FORMAT, RETRIES, ErrorEvent)
    assert (first.error_code, first.action, first.tool_error_class) == ("429", "retry 1 of 10", None)
    assert (second.error_code, second.action, second.tool_error_class) == ("ECONNRESET", "retry 2 of 10", "transport")
    assert (failed.tool_error_class, failed.exit_code, failed.location) == ("execution", "1", "Bash")
    assert (denied.tool_error_class, denied.location) == ("policy_denial", "Write")
    answered, repeated = records(FORMAT, RETRIES, RecoveryEvent)
    assert (answered.for_event, answered.basis, answered.outcome) == ("row-03", "derived", "RECOVERED")
    assert (repeated.for_event, repeated.chain) == ("toolu_1#error", None)
    assert "2 failed calls" in answered.rule


def test_an_interruption_is_the_outcome_until_the_model_goes_on(tmp_path: Path) -> None:
    stopped = row(1, "user", "go") + row(2, "assistant", text("ok")) + row(3, "user", "[Request interrupted by user]")
    path = written(tmp_path, stopped)
    store = tmp_path / "store.duckdb"
    assert loaded(store, path).values("SELECT status FROM runs") == ["interrupted"]
    written(tmp_path, stopped + row(4, "user", "go on") + row(5, "assistant", text("done")))
    assert loaded(store, path).values("SELECT status FROM runs") == ["unknown"]


def test_a_compaction_keeps_what_it_says_of_itself() -> None:
    (op,) = records(FORMAT, SAMPLES / FORMAT / "compaction_session.jsonl", ContextOp)
    assert (op.op, op.attributes["compactMetadata"]) == ("compaction", {"trigger": "auto", "preTokens": 50000})
    kinds = [event.kind for event in records(FORMAT, SAMPLES / FORMAT / "compaction_session.jsonl", Event)]
    assert "compact_summary" in kinds


def test_a_final_failure_of_the_api_is_no_turn_and_nothing_recovers_from_it(tmp_path: Path) -> None:
    failing = row(1, "system", subtype="api_error", retryAttempt=1, error={"status": 529})
    final = row(2, "assistant", text("API Error"), isApiErrorMessage=True, error="server_error", apiErrorStatus=529)
    path = written(tmp_path, failing + final + row(3, "user", "again") + row(4, "assistant", text("hello")))
    assert [one.error_code for one in records(FORMAT, path, ErrorEvent)] == ["529", "server_error"]
    assert records(FORMAT, path, RecoveryEvent) == []
    assert [span.span_id for span in records(FORMAT, path, Span)] == ["m4"]


def test_blocks_of_one_message_keep_their_order(tmp_path: Path) -> None:
    said = "_RECOVERY_EVENT:\n  chain: A\n  outcome: ABORTED\n\n_STEP_COMPLETE:\n  Status: SUCCESS\n  Next: DONE\n"
    path = written(tmp_path, row(1, "user", "go") + row(2, "assistant", text(said)))
    assert loaded(tmp_path / "store.duckdb", path).values("SELECT status FROM runs") == ["succeeded"]


def test_the_times_of_a_block_are_its_messages(tmp_path: Path) -> None:
    path = written(tmp_path, row(1, "user", "go") + row(7, "assistant", text(BLOCK)))
    (failure,) = records(FORMAT, path, ErrorEvent)
    assert failure.occurred_at.second == 7
    assert [item.place.line for item in items(FORMAT, path)] == [1, 2, 2]


def test_a_row_that_stands_twice_counts_once(tmp_path: Path) -> None:
    said = row(2, "assistant", text(BLOCK))
    quoted = row(1, "user", BLOCK)
    result = loaded(tmp_path / "store.duckdb", written(tmp_path, quoted + quoted + said + said))
    assert result.values("SELECT count(*) FROM error_events") == [1]
    assert result.counts == (6, 3, 2, 0, 1)


def test_a_message_in_two_rows_of_their_own_counts_its_block_once(tmp_path: Path) -> None:
    said = row(2, "assistant", text(BLOCK))
    copied = said.replace('"u2"', '"u3"')
    assert len({one.event_id for one in records(FORMAT, written(tmp_path, said + copied), ErrorEvent)}) == 1


@pytest.mark.parametrize("part", [{"type": "tool_result", "tool_use_id": "t", "content": BLOCK}, text(BLOCK)[0]])
def test_what_a_user_or_a_tool_says_is_a_quotation(part: dict[str, Any], tmp_path: Path) -> None:
    found = items(FORMAT, written(tmp_path, row(1, "user", [part])))
    assert skipped(found) == ["quotation"]


def test_images_and_endless_texts_are_cut(tmp_path: Path) -> None:
    image = {"type": "image", "source": {"type": "base64", "data": "A" * 100_000}}
    path = written(tmp_path, row(1, "user", "w" * 100_000) + row(2, "assistant", [image]))
    assert all(len(json.dumps(event.attributes)) < 30_000 for event in records(FORMAT, path, Event))


def test_unknown_rows_are_kept_and_flagged_and_broken_ones_refused(tmp_path: Path) -> None:
    unknown = row(2, "telemetry", blob={"n": 1})
    found = items(FORMAT, written(tmp_path, row(1, "user", "go") + unknown + '[1]\n{"uuid": 1}\n{]\n' + '{"uu'))
    assert rejected(found) == ["not_an_object", "missing_type", "not_json"]
    assert skipped(found) == ["incomplete_last_line"]
    flagged = [event for event in records(FORMAT, tmp_path / "file.jsonl", Event) if event.flags]
    assert [(event.kind, event.attributes["blob"]) for event in flagged] == [("telemetry", {"n": 1})]


def test_the_session_is_named_by_the_best_name_it_has(tmp_path: Path) -> None:
    rows = row(1, "user", "<system-reminder>be kind</system-reminder>fix it") + row(
        2, "custom-title", customTitle="Fix"
    )
    store = loaded(tmp_path / "store.duckdb", written(tmp_path, rows))
    assert store.one("SELECT name, workload FROM runs") == {"name": "Fix", "workload": "shop"}


def test_the_project_folder_is_that_of_the_first_row_that_names_one(tmp_path: Path) -> None:
    begins = {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}, "isSnapshotUpdate": False}
    said = {
        "type": "user", "uuid": "u1", "parentUuid": None, "sessionId": "s", "cwd": "/home/u/payments",
        "timestamp": "2026-01-31T11:00:00Z", "message": {"role": "user", "content": "go"},
    }  # fmt: skip
    path = tmp_path / "s.jsonl"
    path.write_text(f"{json.dumps(begins)}\n{json.dumps(said)}\n")
    assert loaded(tmp_path / "store.duckdb", path).values("SELECT workload FROM runs") == ["payments"]
