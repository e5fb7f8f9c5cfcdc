"""A trace or span of the OpenAI Agents SDK as records."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ingest.records import ErrorEvent, GuardrailEvent, Handoff, Record, Run, Span, run_key
from ingest.vendor.failure import duration_checked, failure
from ingest.vendor.span_runs import SpanRuns
from ingest.vendor.values import Notes, given_digest, mapping, text

SOURCE = "openai-agents"
_PERSON = re.compile(r"(?:^|[^a-z])(?:human|person|operator|people)(?:[^a-z]|$)", re.IGNORECASE)
_KINDS = {"generation": "llm", "response": "llm", "function": "tool", "mcp_tools": "tool_list"}
_TAKEN = frozenset({"object", "id", "trace_id", "parent_id", "started_at", "ended_at", "span_data"})


@dataclass(slots=True)
class Agents:
    """The agent spans of a file and how spans hang together."""

    names: dict[str, str] = field(default_factory=dict)
    parents: dict[str, str] = field(default_factory=dict)

    def note(self, span: dict[str, Any], data: dict[str, Any]) -> None:
        """The span's parent, and its name where it is an agent's."""
        if span.get("parent_id"):
            self.parents[str(span["id"])] = str(span["parent_id"])
        if data.get("type") == "agent" and data.get("name"):
            self.names[str(span["id"])] = str(data["name"])

    def of(self, span_id: str) -> str | None:
        """The nearest agent at or above the span."""
        seen: set[str] = set()
        current: str | None = span_id
        while current and current not in seen:
            if current in self.names:
                return self.names[current]
            seen.add(current)
            current = self.parents.get(current)
        return None


def trace_records(trace: dict[str, Any], flags: Iterable[str]) -> tuple[Record, ...]:
    """The run; the SDK records no outcome of it."""
    notes = Notes()
    notes.add(*flags)
    name = text(trace.get("workflow_name"))
    run = Run(
        run_id=run_key(SOURCE, str(trace["id"])),
        event_id="trace",
        source=SOURCE,
        native_id=str(trace["id"]),
        workload=name,
        name=name,
        session_id=text(trace.get("group_id")),
        attributes=notes.attributes(trace, {"object", "id", "workflow_name", "group_id"}),
        flags=notes.all(),
    )
    return (run,)


def span_records(value: dict[str, Any], agents: Agents, runs: SpanRuns, flags: Iterable[str]) -> tuple[Record, ...]:
    """The span, its error, and the handoff or guardrail that it is."""
    notes = Notes()
    notes.add(*flags)
    data = mapping(value.get("span_data"))
    span = _span(value, data, agents, notes)
    recorded: list[Record] = [*runs.of(span.run_id), span]
    if span.status == "error":
        recorded.append(_error(value, data, span))
    if data.get("type") == "handoff":
        recorded.extend(_handoff(data, span))
    if data.get("type") == "guardrail" and data.get("triggered") is True:
        recorded.append(_triggered(data, span))
    return tuple(recorded)


def _span(value: dict[str, Any], data: dict[str, Any], agents: Agents, notes: Notes) -> Span:
    kind, name = text(data.get("type")), text(data.get("name"))
    started_at, ended_at = duration_checked(
        notes, notes.time("started_at", value.get("started_at")), notes.time("ended_at", value.get("ended_at"))
    )
    usage = mapping(data.get("usage"))
    return Span(
        run_id=run_key(SOURCE, str(value["trace_id"])),
        span_id=str(value["id"]),
        parent_span_id=text(value.get("parent_id")),
        kind=_KINDS.get(kind or "", kind),
        name=name or _title(data),
        agent=agents.of(str(value["id"])),
        tool=name if kind == "function" else None,
        started_at=started_at,
        ended_at=ended_at,
        status="error" if value.get("error") else "open" if value.get("ended_at") is None else "ok",
        model=text(data.get("model")),
        input_tokens=notes.count("input_tokens", usage.get("input_tokens")),
        output_tokens=notes.count("output_tokens", usage.get("output_tokens")),
        attributes={
            **notes.attributes({**data, **{key: value[key] for key in sorted(value.keys() - _TAKEN)}}, {"type"}),
            **given_digest(data.get("input")),
        },
        flags=notes.all(),
    )


def _title(data: dict[str, Any]) -> str | None:
    if data.get("type") == "handoff":
        return f"{text(data.get('from_agent')) or '?'} → {text(data.get('to_agent')) or '?'}"
    return text(data.get("model")) or text(data.get("type"))


def _error(value: dict[str, Any], data: dict[str, Any], span: Span) -> ErrorEvent:
    error = mapping(value.get("error"))
    details = mapping(error.get("data"))
    cause = text(details.get("error"))
    message = ": ".join(part for part in (text(error.get("message")), cause) if part) or text(value.get("error"))
    return failure(span, message or "", given=data.get("input"), attributes={"data": details} if details else None)


def _handoff(data: dict[str, Any], span: Span) -> tuple[Record, ...]:
    """The delivery, and an escalation where it goes to a person."""
    to_agent = text(data.get("to_agent"))
    delivery = Handoff(
        run_id=span.run_id,
        event_id=f"{span.span_id}/handoff",
        occurred_at=span.started_at,
        from_agent=text(data.get("from_agent")),
        to_agent=to_agent,
        attributes={"span_id": span.span_id},
    )
    if not to_agent or not _PERSON.search(to_agent):
        return (delivery,)
    rule = "handoff_to_person: the agent that takes over is named like a person"
    return delivery, GuardrailEvent(
        run_id=span.run_id,
        event_id=f"{span.span_id}/escalation",
        occurred_at=span.started_at,
        trigger="handoff",
        agent=delivery.from_agent,
        decision="escalate",
        destination=to_agent,
        flags=("derived",),
        attributes={"span_id": span.span_id, "basis": "derived", "rule": rule},
    )


def _triggered(data: dict[str, Any], span: Span) -> GuardrailEvent:
    return GuardrailEvent(
        run_id=span.run_id,
        event_id=f"{span.span_id}/guardrail",
        occurred_at=span.started_at,
        trigger=text(data.get("name")),
        agent=span.agent,
        decision="deny",
        attributes={"span_id": span.span_id},
    )
