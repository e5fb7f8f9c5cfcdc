from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ingest.records import ContextSet, ErrorEvent, Event, Run, Span
from tests.ingest.adapters.expected import SAMPLES, load, records, rejected

FOLDER = SAMPLES / "mlflow"


def written(folder: Path, value: Any) -> Path:
    path = folder / "trace.json"
    path.write_text(json.dumps(value))
    return path


def trace(**info: Any) -> dict[str, Any]:
    return {"info": {"trace_id": "tr-1", **info}, "data": {"spans": []}}


def test_base64_ids_become_hex_and_values_are_decoded_once_more() -> None:
    agent, retrieve, refund = records(FOLDER / "trace_error.json", Span)
    assert agent.span_id == "faaee071b664c826"
    assert {retrieve.parent_span_id, refund.parent_span_id} == {agent.span_id}
    assert [span.kind for span in (agent, retrieve, refund)] == ["agent", "retrieval", "tool"]
    assert refund.attributes["mlflow.spanInputs"] == {"order": 8841, "amount": 612.5}
    assert refund.tool == "issue_refund"


def test_ids_of_version_2_lose_their_0x() -> None:
    spans = records(FOLDER / "version2_in_progress.json", Span)
    assert [(span.span_id, span.parent_span_id) for span in spans] == [
        ("00000000000000a1", None),
        ("00000000000000a2", "00000000000000a1"),
    ]
    assert [span.status for span in spans] == ["open", "ok"]


def test_a_failed_span_is_one_error_with_its_exception() -> None:
    errors = records(FOLDER / "trace_error.json", ErrorEvent)
    assert [(e.error_code, e.location, e.details) for e in errors] == [
        ("TimeoutError", "agent", "TimeoutError: payment gateway timed out"),
        ("TimeoutError", "issue_refund", "TimeoutError: payment gateway timed out"),
    ]
    assert errors[1].tool_error_class == "unknown_outcome"
    assert "exception.stacktrace" in errors[1].attributes


def test_an_exception_on_a_span_that_did_not_fail_stays_an_event() -> None:
    (event,) = records(FOLDER / "version2_in_progress.json", Event)
    assert (event.kind, event.summary) == ("exception", "KeyError: 'x'")
    assert records(FOLDER / "version2_in_progress.json", ErrorEvent) == []


def test_a_run_whose_tool_failed_and_was_called_again_is_ok(tmp_path: Path) -> None:
    result = load(tmp_path, FOLDER / "recovered.json")
    run = result.one("SELECT status, errors, recoveries, session_id, input_tokens FROM runs")
    assert run == {"status": "succeeded", "errors": 1, "recoveries": 1, "session_id": "conv-19", "input_tokens": 12}
    assert result.one("SELECT basis, outcome FROM recovery_events") == {"basis": "derived", "outcome": "RECOVERED"}


def test_what_a_retriever_found_is_a_derived_context_set() -> None:
    (found,) = records(FOLDER / "trace_error.json", ContextSet)
    assert [member.item_id for member in found.members] == ["kb://pol-3#1"]
    assert (found.set_name, found.basis) == ("retrieved", "derived")
    assert found.rule.startswith("mlflow_retriever:")


@pytest.mark.parametrize(
    ("info", "status", "flags"),
    [
        ({"state": "OK"}, "succeeded", ()),
        ({"state": "ERROR"}, "failed", ()),
        ({"state": "IN_PROGRESS"}, "running", ()),
        ({"state": "STATE_UNSPECIFIED"}, "unknown", ()),
        ({"state": "TraceState.OK"}, "succeeded", ()),
        ({"status": "ERROR"}, "failed", ()),
        ({"state": "HALF"}, "unknown", ("unknown_value",)),
    ],
)
def test_the_outcome_is_the_state(info: dict[str, Any], status: str, flags: Any, tmp_path: Path) -> None:
    (run,) = records(written(tmp_path, trace(**info)), Run)
    assert (run.status, run.flags) == (status, flags)


@pytest.mark.parametrize("lasted", [-5, "x", 10**30, None])
def test_a_duration_that_is_none_gives_no_end(lasted: Any, tmp_path: Path) -> None:
    value = trace(request_time="2026-11-30T18:33:56Z", execution_duration_ms=lasted)
    (run,) = records(written(tmp_path, value), Run)
    assert run.ended_at is None


def test_version_2_keeps_tags_in_a_list_and_a_human_assessment_is_a_score(tmp_path: Path) -> None:
    tags = [{"key": "mlflow.traceName", "value": "nightly"}]
    (run,) = records(written(tmp_path, trace(tags=tags, status="OK")), Run)
    assert run.name == "nightly"
    scores = [event for event in records(FOLDER / "recovered.json", Event) if event.kind == "score"]
    assert [(score.name, score.summary) for score in scores] == [("correct", "true: amount is right")]


def test_a_span_without_an_id_is_refused_alone(tmp_path: Path) -> None:
    value = trace(state="OK")
    value["data"]["spans"] = [{"name": "lost"}, {"name": "kept", "span_id": "AAAAAAAAAAE="}]
    path = written(tmp_path, value)
    assert (rejected(path), [span.span_id for span in records(path, Span)]) == (
        ["missing_span_id"],
        ["0000000000000001"],
    )


def test_json_lines_an_envelope_and_a_span_artifact(tmp_path: Path) -> None:
    line = json.dumps(trace(state="OK"))
    path = tmp_path / "traces.jsonl"
    path.write_text(f"{line}\n{line.replace('tr-1', 'tr-2')}\n")
    assert [run.native_id for run in records(path, Run)] == ["tr-1", "tr-2"]
    artifact = {"spans": [{"span_id": "AAAAAAAAAAE=", "attributes": {"mlflow.traceRequestId": '"tr-9"'}}]}
    assert {span.run_id for span in records(written(tmp_path, artifact), Span)} == {"mlflow:tr-9"}
