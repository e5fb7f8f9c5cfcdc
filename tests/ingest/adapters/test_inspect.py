from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from ingest import registry
from ingest.adapter import Unreadable
from ingest.records import ContextOp, ErrorEvent, Event, GuardrailEvent, RecoveryEvent, Run, Span
from ingest.store.errors import FaultlensError
from ingest.vendor import zip_members
from tests.ingest.adapters.expected import SAMPLES, claiming, load, records, rejected, source_of

FOLDER = SAMPLES / "inspect"
EVALUATION = {"run_id": "R", "eval_id": "E", "task": "t", "model": "m/x"}
HEADER = {"status": "success", "eval": EVALUATION}
SAMPLE: dict[str, Any] = {"id": 1, "epoch": 1, "input": "q", "events": []}


def log(folder: Path, sample: dict[str, Any], **head: Any) -> Path:
    path = folder / "log.json"
    path.write_text(json.dumps({**HEADER, **head, "samples": [{**SAMPLE, **sample}]}))
    return path


def archive(folder: Path, members: dict[str, bytes], name: str = "log.eval") -> Path:
    path = folder / name
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for member, data in members.items():
            file.writestr(member, data)
    return path


def sample_run(path: Path) -> Run:
    (run,) = [run for run in records(path, Run) if run.event_id == "sample"]
    assert isinstance(run, Run)
    return run


@pytest.mark.parametrize(
    ("error_type", "expected"),
    [
        ("parsing", "invocation"),
        ("timeout", "unknown_outcome"),
        ("unicode_decode", "execution"),
        ("permission", "policy_denial"),
        ("file_not_found", "execution"),
        ("is_a_directory", "execution"),
        ("approval", "policy_denial"),
        ("limit", None),
        ("output_limit", None),
        ("unknown", None),
    ],
)
def test_tool_errors_by_type(error_type: str, expected: str | None) -> None:
    errors = records(FOLDER / "log_tool_call_error.json", ErrorEvent)
    classes = {error.tool_error_class for error in errors if error.error_code == error_type}
    assert classes == {expected}


def test_a_log_that_never_finished_is_interrupted_and_names_its_limit(tmp_path: Path) -> None:
    result = load(tmp_path, FOLDER / "started_token_limit.eval")
    run = result.one("SELECT status, status_reason, stop_reason, workload FROM runs")
    assert (run["status"], run["stop_reason"], run["workload"]) == ("interrupted", "token limit", "t")
    assert "status is started" in run["status_reason"]
    assert "token limit of 1000" in run["status_reason"]
    assert result.values("SELECT tool_error_class FROM error_events") == ["unknown_outcome"]
    assert result.values("SELECT agent FROM guardrail_events WHERE decision = 'escalate'") == ["human"]


def test_scores_of_every_type_are_shown() -> None:
    scores = {event.name: event for event in records(FOLDER / "started_token_limit.eval", Event)}
    assert (scores["acc"].summary, scores["acc"].flags) == ("acc: not a number", ("nan",))
    assert (scores["list"].summary, scores["list"].attributes["value"]) == ("list: [true, false]", [True, False])


def test_without_a_header_the_journal_says_what_was_run() -> None:
    path = FOLDER / "no_header_zstd.eval"
    run = sample_run(path)
    assert (run.native_id, run.workload, run.status) == ("EV7/task-7_epoch_1", "cleanup", "interrupted")
    assert run.started_at is not None
    assert run.started_at.isoformat() == "2026-02-02T02:40:00+00:00"


def test_attachments_stand_where_they_belong() -> None:
    path = FOLDER / "no_header_zstd.eval"
    (call,) = [span for span in records(path, Span) if span.kind == "tool"]
    assert call.attributes["arguments"] == {"cmd": "rm -rf /backups"}
    error = next(error for error in records(path, ErrorEvent) if error.span_id == "c1")
    assert (error.details, error.tool_error_class) == ("Permission denied: /backups", "policy_denial")


def test_a_retried_sample_is_an_error_and_a_derived_recovery() -> None:
    path = FOLDER / "no_header_zstd.eval"
    (recovery,) = records(path, RecoveryEvent)
    assert (recovery.for_event, recovery.outcome, recovery.basis) == ("retry-1", "RECOVERED", "derived")
    assert recovery.rule.startswith("inspect_error_retries:")
    assert [e.error_code for e in records(path, ErrorEvent) if e.event_id == "retry-1"] == ["ConnectionError"]


def test_approvals_and_compactions() -> None:
    path = FOLDER / "no_header_zstd.eval"
    (approval,) = records(path, GuardrailEvent)
    assert (approval.decision, approval.agent, approval.details) == ("reject", "human", "too wide")
    assert [op.op for op in records(path, ContextOp)] == ["compaction"]


def test_spans_overlap_and_the_untyped_one_has_a_kind() -> None:
    spans = {span.span_id: span for span in records(FOLDER / "parallel_spans.json", Span)}
    assert (spans["A"].kind, spans["A"].agent, spans["B"].kind) == ("agent", "left", "span")
    assert [span.parent_span_id for span in spans.values() if span.kind == "llm"] == ["A", "B"]


def test_a_span_that_never_ended_is_open(tmp_path: Path) -> None:
    begin = {"event": "span_begin", "id": "A", "name": "a", "type": "agent", "timestamp": "2026-01-01T00:00:00Z"}
    (span,) = records(log(tmp_path, {"events": [begin]}), Span)
    assert (span.span_id, span.status) == ("A", "open")


def test_old_steps_nest_and_hold_their_calls() -> None:
    spans = {span.name: span for span in records(FOLDER / "log_formats.eval", Span)}
    assert spans["ollama/llama3.1"].parent_span_id == spans["generate"].span_id
    assert all(span.status == "unset" for name, span in spans.items() if name != "ollama/llama3.1")


@pytest.mark.parametrize(
    ("sample", "head", "status", "reason"),
    [
        ({"scores": {"s": {"value": "C"}}}, {}, "succeeded", "score s is C"),
        ({"scores": {"s": {"value": "I"}}}, {}, "failed", "score s is I"),
        ({"scores": {"s": {"value": 1}}}, {}, "succeeded", "score s is 1"),
        ({"scores": {"s": {"value": True}}}, {}, "succeeded", "score s is true"),
        ({"scores": {"s": {"value": 0.4}}}, {}, "succeeded", "no score decides (s is 0.4)"),
        ({"scores": {"s": {"value": [1, 0]}}}, {}, "succeeded", "no score decides"),
        ({"scores": {"a": {"value": "C"}, "b": {"value": "I"}}}, {}, "succeeded", "no score decides"),
        ({"error": {"message": "boom"}}, {}, "failed", "error: boom"),
        ({"error": {"message": "boom"}}, {"status": "started"}, "failed", "error: boom"),
        ({"limit": {"type": "time", "limit": 60}}, {}, "interrupted", "time limit of 60"),
        ({}, {"status": "started"}, "interrupted", "status is started"),
        ({}, {"status": "cancelled"}, "aborted", "cancelled"),
        ({"scores": {"s": {"value": "C"}}}, {"status": "cancelled"}, "succeeded", "score s is C"),
        ({}, {"status": "error"}, "unknown", "says nothing of its end"),
        ({}, {"status": "new"}, "unknown", "status is new"),
    ],
)
def test_outcomes(sample: dict[str, Any], head: dict[str, Any], status: str, reason: str, tmp_path: Path) -> None:
    run = sample_run(log(tmp_path, sample, **head))
    assert run.status == status
    assert reason in (run.status_reason or "")


def test_an_error_of_the_sample_that_an_event_says_too_is_one(tmp_path: Path) -> None:
    error = {"message": "ValueError('x')", "traceback": "ValueError: x"}
    event = {"event": "error", "error": error, "timestamp": "2026-01-01T00:00:00Z"}
    assert len(records(log(tmp_path, {"error": error, "events": [event]}), ErrorEvent)) == 1
    assert len(records(log(tmp_path, {"error": error}), ErrorEvent)) == 1


def test_a_log_without_samples_is_one_run_with_its_nan_as_absent() -> None:
    (run,) = records(FOLDER / "log_with_nan.txt", Run)
    assert "nan" in run.flags
    assert run.attributes["results"]["metrics"]["accuracy"]["value"] is None


def test_names_that_leave_the_archive_are_refused_and_nothing_is_written(tmp_path: Path) -> None:
    members = {"../evil.json": b"{}", "header.json": json.dumps(HEADER).encode()}
    good = {"samples/1_epoch_1.json": json.dumps(SAMPLE).encode()}
    path = archive(tmp_path, {**members, **good, "samples/../../x.json": b"{}", "/etc/x.json": b"{}"})
    assert set(rejected(path)) == {"unsafe_path"}
    assert len([run for run in records(path, Run) if run.event_id == "sample"]) == 1
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["log.eval"]


def test_a_bomb_is_named_and_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zip_members, "_ALWAYS_ALLOWED", 1_000)
    monkeypatch.setattr(zip_members, "_HIGHEST_RATIO", 100)
    bomb = json.dumps({**SAMPLE, "id": "b", "input": "0" * 5_000_000}).encode()
    good = json.dumps(SAMPLE).encode()
    members = {"header.json": json.dumps(HEADER).encode(), "samples/1.json": good, "samples/b.json": bomb}
    path = archive(tmp_path, members)
    assert rejected(path) == ["zip_bomb"]
    assert sample_run(path).native_id == "E/1_epoch_1"


def test_an_archive_without_its_directory_gives_what_is_whole(tmp_path: Path) -> None:
    members = {"_journal/start.json": json.dumps({"eval": EVALUATION}).encode()}
    members |= {f"samples/{n}_epoch_1.json": json.dumps({**SAMPLE, "id": n}).encode() for n in (1, 2)}
    path = archive(tmp_path, members)
    data = path.read_bytes()
    path.write_bytes(data[: data.index(b"PK\x01\x02")])
    assert len([run for run in records(path, Run) if run.event_id == "sample"]) == 2
    path.write_bytes(data[: data.index(b"PK\x01\x02") - 20])
    assert rejected(path) == ["damaged_member"]
    assert sample_run(path).status == "interrupted"


def test_a_damaged_member_takes_no_other_with_it(tmp_path: Path) -> None:
    members = {"header.json": json.dumps(HEADER).encode(), "samples/1.json": json.dumps(SAMPLE).encode()}
    members |= {"samples/2.json": b'{"id": 2', "samples/3.json": b"[]", "samples/4.json": b'{"id": "\xff"}'}
    assert sorted(rejected(archive(tmp_path, members))) == ["missing_sample_id", "not_json"]


def test_another_zip_file_is_no_log(tmp_path: Path) -> None:
    assert claiming(archive(tmp_path, {"word/document.xml": b"<x/>"}, "a.docx")) == []
    empty = tmp_path / "empty.zip"
    with zipfile.ZipFile(empty, "w"):
        pass
    assert claiming(empty) == []


def test_an_archive_of_which_nothing_can_be_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.eval"
    path.write_bytes(b"PK\x03\x04" + b"\x00" * 30 + b"header.json")
    with pytest.raises((Unreadable, FaultlensError)):
        list(registry.recognise(source_of(path)).read(source_of(path)))
    assert io.BytesIO(path.read_bytes()).read(2) == b"PK"


def test_the_same_log_as_eval_and_as_json_is_the_same_run(tmp_path: Path) -> None:
    members = {"header.json": json.dumps(HEADER).encode(), "samples/1_epoch_1.json": json.dumps(SAMPLE).encode()}
    assert sample_run(archive(tmp_path, members)).run_id == sample_run(log(tmp_path, {})).run_id
