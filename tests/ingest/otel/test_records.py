"""What follows from one span: its meaning in the field's terms, its failure, its context, its decisions."""

from __future__ import annotations

from typing import Any, TypeVar

import pytest

from ingest.otel.records import records_of_span
from ingest.otel.span import OtelSpan, span_event, span_of
from ingest.records import (
    ContextItem,
    ContextSet,
    Diagnosis,
    ErrorEvent,
    Event,
    GuardrailEvent,
    Handoff,
    Record,
    RecoveryEvent,
    Run,
    Span,
)

R = TypeVar("R", bound=Record)
START, END = 1770000000, 1770000001


def made(attributes: dict[str, Any] | None = None, **raw: Any) -> OtelSpan:
    given = {"trace_id": "t", "span_id": "s", "name": "work", "kind": "internal", "start": START, "end": END, **raw}
    return span_of(attributes=attributes or {}, **given)


def of(span: OtelSpan, kind: type[R]) -> list[R]:
    return [record for record in records_of_span(span) if isinstance(record, kind)]


def only(span: OtelSpan, kind: type[R]) -> R:
    (found,) = of(span, kind)
    return found


@pytest.mark.parametrize(
    ("attributes", "kind"),
    [
        ({"gen_ai.operation.name": "chat", "openinference.span.kind": "CHAIN"}, "llm"),
        ({"gen_ai.operation.name": "execute_tool"}, "tool"),
        ({"gen_ai.operation.name": "invoke_agent"}, "agent"),
        ({"gen_ai.operation.name": "upsert_memory"}, "memory"),
        ({"gen_ai.operation.name": "Dream"}, "Dream"),
        ({"openinference.span.kind": "RETRIEVER"}, "retrieval"),
        ({"openinference.span.kind": "DECISION"}, "decision"),
        ({"openinference.span.kind": "UNKNOWN"}, "internal"),
        ({"traceloop.span.kind": "task"}, "chain"),
        ({"mlflow.spanType": "CHAT_MODEL"}, "llm"),
        ({}, "internal"),
    ],
)
def test_kind(attributes: dict[str, Any], kind: str) -> None:
    assert only(made(attributes), Span).kind == kind


def test_an_unspecified_kind_is_none() -> None:
    assert only(made(kind=0), Span).kind is None


@pytest.mark.parametrize(
    ("attributes", "name", "column", "found"),
    [
        ({"gen_ai.tool.name": "a", "tool.name": "b"}, "x", "tool", "a"),
        ({"tool.name": "b"}, "x", "tool", "b"),
        ({"gen_ai.operation.name": "execute_tool"}, "execute_tool c", "tool", "c"),
        ({"gen_ai.operation.name": "execute_tool"}, "run c", "tool", None),
        ({}, "execute_tool c", "tool", None),
        ({"gen_ai.request.model": "asked", "gen_ai.response.model": "answered"}, "x", "model", "answered"),
        ({"llm.model_name": "m"}, "x", "model", "m"),
        ({"gen_ai.agent.name": "n", "gen_ai.agent.id": "i"}, "x", "agent", "n"),
        ({"gen_ai.agent.id": "i"}, "x", "agent", "i"),
        ({"faultlens.phase": "VERIFY"}, "x", "phase", "VERIFY"),
        ({"gen_ai.usage.input_tokens": 5, "llm.token_count.prompt": 6}, "x", "input_tokens", 5),
        ({"gen_ai.usage.prompt_tokens": "7"}, "x", "input_tokens", 7),
        ({"decision.token_count.completion": 8}, "x", "output_tokens", 8),
        ({"llm.cost.total": "0.25"}, "x", "cost_usd", 0.25),
        ({}, "x", "input_tokens", None),
    ],
)
def test_columns(attributes: dict[str, Any], name: str, column: str, found: Any) -> None:
    assert getattr(only(made(attributes, name=name), Span), column) == found


def test_tokens_that_no_column_holds_stay_among_the_attributes() -> None:
    span = only(made({"gen_ai.usage.input_tokens": 18446744073709551615}), Span)
    assert span.input_tokens is None
    assert span.flags == ("out_of_range",)
    assert span.attributes["gen_ai.usage.input_tokens"] == 18446744073709551615


def test_the_run_is_the_trace_and_every_fact_of_it_has_one_id() -> None:
    span = made({"gen_ai.conversation.id": "c1"}, resource={"service.name": "desk", "host": "h"})
    facts = {run.event_id: run for run in of(span, Run)}
    assert {run.run_id for run in facts.values()} == {"opentelemetry:t"}
    assert facts["service:desk"].workload == "desk"
    assert facts["session:c1"].session_id == "c1"
    assert [run.attributes for name, run in facts.items() if str(name).startswith("resource:")] == [
        {"resource": {"service.name": "desk", "host": "h"}}
    ]
    assert all(run.status is None for run in facts.values())


def test_a_service_name_that_the_sdk_made_up_is_no_workload() -> None:
    assert all(run.workload is None for run in of(made(resource={"service.name": "unknown_service:python"}), Run))


def test_a_64_bit_trace_id_is_a_hint_and_stays_a_run_of_its_own() -> None:
    run = next(run for run in of(made(trace_id="293a4b5c6d7e8f90"), Run) if run.event_id == "spans")
    assert run.run_id == "opentelemetry:293a4b5c6d7e8f90"
    assert run.flags == ("short_trace_id",)


# ---------------------------------------------------------------------------------------------------------- failures
BOOM = span_event("exception", START, {"exception.type": "ValueError", "exception.message": "no", "x": 1})


@pytest.mark.parametrize(
    ("raw", "attributes", "code", "details"),
    [
        ({"status": 2, "status_message": "boom"}, {}, None, "boom"),
        ({"status": 2, "events": (BOOM,)}, {}, "ValueError", "no"),
        ({"status": 2, "events": (BOOM,), "status_message": "said"}, {"error.type": "E_X"}, "E_X", "said"),
        ({}, {"error.type": "E_X"}, "E_X", None),
    ],
)
def test_a_failure(raw: dict[str, Any], attributes: dict[str, Any], code: str | None, details: str | None) -> None:
    span = made(attributes, **raw)
    error = only(span, ErrorEvent)
    assert (error.event_id, error.span_id, error.error_code, error.details) == ("s/error", "s", code, details)
    assert (error.location, error.basis) == ("work", "recorded")
    assert of(span, Event) == []


@pytest.mark.parametrize("status", [None, 1])
def test_an_exception_on_a_span_that_did_not_fail_is_handled_or_unknown(status: int | None) -> None:
    span = made(status=status, events=(BOOM,))
    assert of(span, ErrorEvent) == []
    event = only(span, Event)
    assert (event.kind, event.summary, event.flags) == ("exception", "ValueError: no", ("handled_or_unknown",))


def test_of_several_exceptions_the_last_is_the_failure() -> None:
    first = span_event("exception", START, {"exception.type": "Retryable"})
    span = made(status=2, events=(first, BOOM))
    assert only(span, ErrorEvent).error_code == "ValueError"
    assert [event.summary for event in of(span, Event)] == ["Retryable"]


def test_status_ok_beside_an_error_type_is_flagged() -> None:
    assert only(made({"error.type": "E"}, status=1), ErrorEvent).flags == ("status_disagrees",)


def test_equal_inputs_have_one_state_hash_and_no_input_has_none() -> None:
    def state(attributes: dict[str, Any]) -> str | None:
        return only(made(attributes, status=2), ErrorEvent).state_hash

    assert state({"gen_ai.tool.call.arguments": '{"a":1,"b":2}'}) == state({"input.value": '{"b": 2, "a": 1}'})
    assert state({"input.value": "x"}) != state({"input.value": "y"})
    assert state({}) is None


@pytest.mark.parametrize(
    ("attributes", "raw", "found"),
    [
        ({"gen_ai.tool.name": "t", "error.type": "PermissionError"}, {}, "policy_denial"),
        ({"gen_ai.tool.name": "t", "error.type": "403"}, {}, "policy_denial"),
        ({"gen_ai.tool.name": "t", "error.type": "pydantic.ValidationError"}, {}, "invocation"),
        ({"gen_ai.tool.name": "t", "error.type": "503"}, {}, "transport"),
        ({"gen_ai.tool.name": "t", "error.type": "ConnectionResetError"}, {}, "transport"),
        ({"gen_ai.tool.name": "t", "error.type": "RateLimitError"}, {}, "transport"),
        ({"gen_ai.tool.name": "t", "error.type": "TimeoutError"}, {}, "unknown_outcome"),
        ({"gen_ai.tool.name": "t", "error.type": "X", "http.request.method": "GET",
          "http.response.status_code": 504}, {}, "transport"),
        ({"gen_ai.tool.name": "t", "http.response.status_code": 504}, {"status": 2}, "unknown_outcome"),
        ({"gen_ai.tool.name": "t", "http.response.status_code": 409}, {"status": 2}, "state_conflict"),
        ({"gen_ai.tool.name": "t"}, {"status": 2, "status_message": "Permission denied: /etc"}, "policy_denial"),
        ({"gen_ai.tool.name": "t"}, {"status": 2, "status_message": "connection reset by peer"}, "transport"),
        ({"openinference.span.kind": "RETRIEVER", "error.type": "ReadTimeout"}, {}, "transport"),
        # The record does not say: nothing is guessed.
        ({"gen_ai.tool.name": "t", "error.type": "RuntimeError"}, {"status_message": "timeout must be positive"}, None),
        ({"gen_ai.tool.name": "t", "error.type": "E_4031"}, {}, None),
        ({"gen_ai.tool.name": "t"}, {"status": 2}, None),
        ({"error.type": "TimeoutError"}, {}, None),
    ],
)  # fmt: skip
def test_tool_error_class(attributes: dict[str, Any], raw: dict[str, Any], found: str | None) -> None:
    operation = {} if "openinference.span.kind" in attributes or "gen_ai.tool.name" not in attributes else {
        "gen_ai.operation.name": "execute_tool"
    }  # fmt: skip
    error = only(made({**operation, **attributes}, **raw), ErrorEvent)
    assert error.tool_error_class == found
    assert (error.rule is None) == (found is None)


# ----------------------------------------------------------------------------------------------------------- context
def sets(attributes: dict[str, Any]) -> dict[str, list[tuple[str, str | None]]]:
    return {
        found.set_name: [(item.item_id, item.revision) for item in found.members]
        for found in of(made(attributes), ContextSet)
    }


@pytest.mark.parametrize(
    ("attributes", "found"),
    [
        ({"faultlens.context.required": ["adr-7@3", "faq"]}, {"required": [("adr-7", "3"), ("faq", None)]}),
        ({"faultlens.context.current": '["a@2"]'}, {"current": [("a", "2")]}),
        ({"faultlens.context.composed": []}, {"composed": []}),
        ({"retrieval.documents.0.document.id": "a", "retrieval.documents.2.document.id": 7},
         {"retrieved": [("a", None), ("7", None)]}),
        ({"retrieval.documents": [{"document.id": "a"}, {"document": {"id": "b", "metadata": "{'revision': 4}"}}]},
         {"retrieved": [("a", None), ("b", "4")]}),
        ({"retrieval.documents": "[{'document.id': 'a'}]"}, {"retrieved": [("a", None)]}),
        ({"gen_ai.retrieval.documents": '[{"id": "a", "score": 0.5}, {"id": "a"}]'}, {"retrieved": [("a", None)]}),
        ({"gen_ai.retrieval.documents": []}, {"retrieved": []}),
        ({"reranker.input_documents.0.document.id": "a"}, {"eligible": [("a", None)]}),
        ({"faultlens.context.retrieved": ["z"], "retrieval.documents.0.document.id": "a"},
         {"retrieved": [("z", None)]}),
        ({"openinference.span.kind": "RETRIEVER"}, {}),
    ],
)  # fmt: skip
def test_context_sets(attributes: dict[str, Any], found: dict[str, Any]) -> None:
    assert sets(attributes) == found


def test_what_is_read_by_convention_from_a_reranker_is_derived() -> None:
    found = only(made({"reranker.input_documents.0.document.id": "a"}), ContextSet)
    assert (found.basis, found.step_id, found.members) == ("derived", "s", (ContextItem(item_id="a"),))
    assert found.rule
    assert found.rule.startswith("reranker_input: ")


def test_a_document_without_an_id_is_named_by_its_content() -> None:
    span = made({"retrieval.documents.0.document.content": "text", "retrieval.documents.1.document.content": "text"})
    (item,) = only(span, ContextSet).members
    assert item.item_id.startswith("sha256:")
    assert "item_id_from_content" in only(span, Span).flags


def test_documents_that_cannot_be_read_are_no_empty_set() -> None:
    span = made({"retrieval.documents": "[<Document a>, <Document b>]"})
    assert of(span, ContextSet) == []
    assert "unreadable_documents" in only(span, Span).flags


# ---------------------------------------------------------------------------------------------- what producers declare
def test_a_declared_error_stands_before_the_convention() -> None:
    attributes = {
        "error.type": "E_ASSERT", "faultlens.error.level": "l3", "faultlens.error.step": "3/7",
        "faultlens.error.tool_error_class": "execution", "faultlens.observed_at": "VERIFY",
        "faultlens.originated_at": "PLAN / scope", "faultlens.trigger": "spec change", "faultlens.error.note": "kept",
    }  # fmt: skip
    span = made(attributes, status=2, status_message="failed")
    error, diagnosis = only(span, ErrorEvent), only(span, Diagnosis)
    assert (error.level, error.step_index, error.step_total, error.error_code) == ("L3", 3, 7, "E_ASSERT")
    assert (error.tool_error_class, error.details, error.attributes) == ("execution", "failed", {"note": "kept"})
    assert (diagnosis.for_event, diagnosis.observed_at, diagnosis.originated_at) == (
        "s/error",
        "VERIFY",
        "PLAN / scope",
    )
    assert (diagnosis.trigger, diagnosis.basis) == ("spec change", "recorded")


def test_a_declared_error_needs_no_failed_span() -> None:
    assert only(made({"faultlens.error.error_code": "E1"}), ErrorEvent).error_code == "E1"


def test_a_pair_without_an_error_is_a_diagnosis_alone() -> None:
    diagnosis = only(made({"faultlens.observed_at": "VERIFY", "faultlens.originated_at": "PLAN"}), Diagnosis)
    assert diagnosis.for_event is None
    assert of(made({"faultlens.observed_at": "VERIFY"}), Diagnosis) == []


def test_a_declared_recovery() -> None:
    attributes = {
        "faultlens.recovery.chain": "Chain B", "faultlens.recovery.confidence": "80%",
        "faultlens.recovery.outcome": "recovered", "faultlens.recovery.auto_executed": True,
        "faultlens.recovery.steps": '[{"agent": "Scout", "result": "SUCCESS"}]',
        "faultlens.recovery.artifacts": ["a.py"],
    }  # fmt: skip
    recovery = only(made(attributes), RecoveryEvent)
    assert (recovery.chain, recovery.confidence, recovery.outcome) == ("B", 0.8, "RECOVERED")
    assert (recovery.auto_executed, recovery.artifacts, recovery.basis) == (True, ("a.py",), "recorded")
    assert [(step.step, step.agent, step.result) for step in recovery.steps] == [(1, "Scout", "SUCCESS")]


@pytest.mark.parametrize(
    "attributes",
    [{"faultlens.recovery.steps": 3}, {"faultlens.error.level": ["L1", "L2"]}, {"faultlens.context.required": [1.5]}],
)
def test_a_declaration_that_cannot_be_read_costs_nothing_else(attributes: dict[str, Any]) -> None:
    span = only(made(attributes), Span)
    assert "bad_faultlens_attribute" in span.flags
    assert span.attributes.items() >= attributes.items()


# --------------------------------------------------------------------------------------------------------- decisions
@pytest.mark.parametrize(
    ("attributes", "status", "decision"),
    [
        ({"output.value": "blocked: needs a human"}, None, "deny"),
        ({"output.value": "passed"}, None, None),
        ({"guardrail.triggered": True}, None, "deny"),
        ({"guardrail.triggered": False}, None, "allow"),
        ({}, 2, "deny"),
        ({}, None, None),
    ],
)
def test_guardrail(attributes: dict[str, Any], status: int | None, decision: str | None) -> None:
    guardrail = only(made({"openinference.span.kind": "GUARDRAIL", **attributes}, status=status), GuardrailEvent)
    assert (guardrail.trigger, guardrail.decision, guardrail.level) == ("work", decision, None)
    assert guardrail.attributes["basis"] == "derived"


@pytest.mark.parametrize(
    ("name", "attributes", "giver", "taker"),
    [
        ("handoff from triage to billing", {}, "triage", "billing"),
        ("handoff to billing", {"gen_ai.agent.name": "triage"}, "triage", "billing"),
        ("Handoff: triage → billing", {}, "triage", "billing"),
        ("execute_tool transfer_to_refunds", {"gen_ai.tool.name": "transfer_to_refunds"}, None, "refunds"),
        ("x", {"tool.name": "escalate_to_human"}, None, "human"),
    ],
)
def test_handoff_by_name(name: str, attributes: dict[str, Any], giver: str | None, taker: str) -> None:
    handoff = only(made(attributes, name=name), Handoff)
    assert (handoff.from_agent, handoff.to_agent, handoff.status) == (giver, taker, None)
    assert handoff.attributes["rule"].startswith("handoff_by_name: ")


@pytest.mark.parametrize("name", ["transfer money", "handoff", "prepare handoff notes", "transfer"])
def test_no_handoff(name: str) -> None:
    assert of(made(name=name), Handoff) == []


def test_handoff_by_event() -> None:
    event = span_event("escalation", START, {"escalation.target": "human", "escalation.reason": "over_limit"})
    handoff = only(made(events=(event,)), Handoff)
    assert (handoff.to_agent, handoff.condition) == ("human", "over_limit")


# ---------------------------------------------------------------------------------------------------------- messages
def test_the_same_messages_in_three_dialects_are_the_same_input() -> None:
    new = {"gen_ai.input.messages": '[{"role": "user", "parts": [{"type": "text", "content": "Hi"}]}]'}
    indexed = {"gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": "Hi"}
    openinference = {"llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": "Hi"}
    nested = {"llm.input_messages": [{"message": {"role": "user", "content": "Hi"}}]}
    as_event = made(events=(span_event("gen_ai.user.message", START, {"content": "Hi"}),))
    digests = {only(made(said), Span).attributes["input_digest"] for said in (new, indexed, openinference, nested)}
    assert digests == {only(as_event, Span).attributes["input_digest"]}


def test_a_message_event_says_its_text() -> None:
    event = only(made(events=(span_event("gen_ai.choice", START, {"message": "Hello\nthere"}),)), Event)
    assert (event.kind, event.summary) == ("message", "Hello there")
