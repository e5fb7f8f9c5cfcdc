from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ingest.records import ErrorEvent, GuardrailEvent, Handoff, Run, Span
from tests.ingest.adapters.expected import SAMPLES, load, records, rejected

SAMPLE = SAMPLES / "openai_agents" / "refund_workflow.jsonl"


def written(folder: Path, *values: Any) -> Path:
    path = folder / "trace.jsonl"
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    return path


def span(data: dict[str, Any], **more: Any) -> dict[str, Any]:
    ids = {"object": "trace.span", "id": "s", "trace_id": "t", "parent_id": None, "error": None}
    times = {"started_at": "2026-11-30T18:33:06+00:00", "ended_at": "2026-11-30T18:33:07+00:00"}
    return {**ids, **times, "span_data": data, **more}


def test_the_run_is_the_trace_with_its_workflow_and_group(tmp_path: Path) -> None:
    run = load(tmp_path, SAMPLE).one("SELECT name, workload, session_id, status, status_reason FROM runs")
    assert run["name"] == run["workload"] == "Refund workflow"
    assert (run["session_id"], run["status"]) == ("conv-19", "failed")
    assert "(refunds) has status ERROR" in run["status_reason"]


def test_the_agent_of_a_span_is_the_nearest_above_it_though_children_come_first() -> None:
    found = {span.span_id: span.agent for span in records(SAMPLE, Span)}
    assert found["span_331d35d2523748c7b3b1f64c"] == "triage"
    assert found["span_35ba08751cce4476a298cbd1"] == "refunds"


def test_a_handoff_is_a_handoff_and_one_to_a_person_an_escalation() -> None:
    assert [(h.from_agent, h.to_agent, h.status) for h in records(SAMPLE, Handoff)] == [
        ("triage", "refunds", None),
        ("refunds", "human", None),
    ]
    (escalation,) = [event for event in records(SAMPLE, GuardrailEvent) if event.decision == "escalate"]
    assert (escalation.agent, escalation.destination) == ("refunds", "human")
    assert escalation.attributes["basis"] == "derived"
    assert escalation.attributes["rule"].startswith("handoff_to_person:")


@pytest.mark.parametrize(
    ("name", "escalates"),
    [
        ("human", True),
        ("Human Review", True),
        ("human_agent", True),
        ("humanities", False),
        ("billing", False),
        ("", False),
    ],
)
def test_who_is_named_like_a_person(name: str, escalates: bool, tmp_path: Path) -> None:  # noqa: FBT001
    path = written(tmp_path, span({"type": "handoff", "from_agent": "a", "to_agent": name}))
    assert len(records(path, GuardrailEvent)) == escalates


@pytest.mark.parametrize(("triggered", "count"), [(True, 1), (False, 0), (None, 0)])
def test_a_triggered_guardrail_denies(triggered: Any, count: int, tmp_path: Path) -> None:
    found = records(
        written(tmp_path, span({"type": "guardrail", "name": "limit", "triggered": triggered})), GuardrailEvent
    )
    assert [(event.trigger, event.decision) for event in found] == [("limit", "deny")] * count


def test_an_error_says_what_and_why() -> None:
    tool, agent = records(SAMPLE, ErrorEvent)
    assert (tool.details, tool.tool_error_class, tool.location) == (
        "Error running tool: timed out",
        "unknown_outcome",
        "issue_refund",
    )
    assert agent.details == "Max turns exceeded"
    assert agent.attributes["data"] == {"max_turns": 3}


def test_the_failed_tool_and_the_call_that_worked_are_a_derived_recovery(tmp_path: Path) -> None:
    assert load(tmp_path, SAMPLE).values("SELECT basis FROM recovery_events") == ["derived"]


def test_a_span_without_an_end_is_open_and_the_trace_line_may_be_missing(tmp_path: Path) -> None:
    path = written(tmp_path, span({"type": "agent", "name": "a"}, ended_at=None))
    assert [found.status for found in records(path, Span)] == ["open"]
    assert {run.event_id for run in records(path, Run)} == {"spans"}
    assert load(tmp_path, path).values("SELECT status FROM runs") == ["running"]


def test_parents_that_form_a_cycle_end(tmp_path: Path) -> None:
    one, two = span({"type": "custom"}, id="1", parent_id="2"), span({"type": "custom"}, id="2", parent_id="1")
    assert [found.agent for found in records(written(tmp_path, one, two), Span)] == [None, None]


def test_other_lines_are_refused_alone(tmp_path: Path) -> None:
    path = written(tmp_path, span({"type": "custom"}), {"object": "trace.span"}, [1])
    assert rejected(path) == ["unknown_record", "unknown_record"]
