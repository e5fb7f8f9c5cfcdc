"""Messages of several agents as records: who spoke, to whom, what the ledger said, what looks like an error."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ingest.json_text import Decoded, decode
from ingest.records import Delegation, Event, Record, Run, RunStatus, Span
from ingest.vendor.error_like import likeness
from ingest.vendor.failure import failure
from ingest.vendor.values import Notes, mapping, sequence, storable, text, words

SOURCE = "message-list"
_MESSAGE_KEYS = frozenset(
    {
        "role", "content", "name", "tool_calls", "tool_call_id", "function_call", "agent", "source", "type", "id",
        "metadata", "refusal", "audio", "annotations", "timestamp", "models_usage", "created_at", "index",
    }
)  # fmt: skip
_LABELS = frozenset({"mistake_agent", "mistake_step", "mistake_reason", "mistake_type", "labels"})
_TAKEN = frozenset({"history", "question"}) | _LABELS
_SPEAKER = re.compile(r"(?P<agent>[^()]+?)\s*\((?P<aside>.*)\)\s*", re.DOTALL)
_LEDGER = re.compile(r"\s*Updated Ledger:\s*(?P<json>\{.*\})\s*", re.DOTALL)
_SIGNALS = ("is_request_satisfied", "is_in_loop", "is_progress_being_made", "next_speaker", "instruction_or_question")
# Orders of one message: the message, its error, who it went to, what the ledger in it said.
_PER_MESSAGE = 10


@dataclass(frozen=True, slots=True)
class Conversation:
    """One run: its key over all sources, its own id and whatever stands beside its messages."""

    run_id: str
    native_id: str
    beside: dict[str, Any] = field(default_factory=dict)


def is_message(value: dict[str, Any]) -> bool:
    """It has a role and a content, and nothing that another format's lines have."""
    if not isinstance(value.get("role"), str) or not ("content" in value or "tool_calls" in value):
        return False
    return value.keys() <= _MESSAGE_KEYS and isinstance(value.get("content"), str | list | None)


def run_record(conversation: Conversation, messages: list[Any], flags: Iterable[str]) -> tuple[Record, ...]:
    """The run; only a verdict that stands beside the messages decides its outcome."""
    notes = Notes()
    notes.add(*flags)
    beside = conversation.beside
    status, reason = _verdict(beside)
    labels = {key: beside[key] for key in sorted(_LABELS) if beside.get(key) is not None}
    attributes = notes.attributes(beside, _TAKEN)
    run = Run(
        run_id=conversation.run_id,
        event_id="conversation",
        recorded_seq=-1,
        source=SOURCE,
        native_id=conversation.native_id,
        identity="derived",
        name=words(beside.get("question")) or words(_first_content(messages)),
        status=status,
        status_reason=reason,
        clock="none",
        attributes={**attributes, **({"label": storable(labels)} if labels else {})},
        flags=notes.all(),
    )
    return (run,)


def _verdict(beside: dict[str, Any]) -> tuple[RunStatus, str]:
    for key in ("is_correct", "is_corrected"):
        if isinstance(beside.get(key), bool):
            return ("succeeded" if beside[key] else "failed"), f"recorded: {key} is {str(beside[key]).lower()}"
    return "unknown", "no verdict stands beside the messages"


def _first_content(messages: list[Any]) -> Any:
    wanted = [mapping(message) for message in messages if mapping(message).get("role") in ("human", "user")]
    first = wanted or [mapping(message) for message in messages if mapping(message).get("role") != "system"]
    return first[0].get("content") if first else None


def message_records(message: Any, conversation: Conversation, index: int, flags: Iterable[str]) -> tuple[Record, ...]:
    """The message as a step, with everything that its text says."""
    notes = Notes()
    notes.add(*flags)
    value = mapping(message)
    tool = text(value.get("name")) if value.get("role") == "tool" else None
    agent, aside = _speaker(value)
    content = _content(value)
    found = likeness(content) if _may_report(value, aside) else None
    span = Span(
        run_id=conversation.run_id,
        span_id=str(index),
        recorded_seq=index * _PER_MESSAGE,
        kind="tool" if tool else "message",
        tool=tool,
        name=tool or f"{agent} ({aside})" if agent and aside else agent,
        agent=agent,
        step_index=index,
        started_at=notes.time("timestamp", value.get("timestamp") or value.get("created_at")),
        status="error" if found else "unset",
        attributes=notes.attributes(value, {"timestamp", "created_at"}),
        flags=notes.all(),
    )
    records: list[Record] = [span]
    if found:
        order = index * _PER_MESSAGE + 1
        error = failure(span, found.line, code=found.code, given=None, rule=found.rule, seq=order)
        records.append(error.model_copy(update={"exit_code": found.exit_code, "location": agent}))
    records.extend(_delegation(span, aside))
    records.extend(_ledger(span, content))
    return tuple(records)


def _speaker(message: dict[str, Any]) -> tuple[str | None, str | None]:
    """The name, else the role, whose brackets say what kind of message it is or whom it goes to."""
    role = text(message.get("role"))
    if role == "tool":
        return role, None
    if named := text(message.get("name")) or text(message.get("agent")):
        return named, None
    found = _SPEAKER.fullmatch(role or "")
    return (found["agent"], found["aside"]) if found else (role, None)


def _content(message: dict[str, Any]) -> str:
    parts = [text(mapping(part).get("text")) or "" for part in sequence(message.get("content"))]
    return "\n".join(parts) if parts else text(message.get("content")) or ""


def _may_report(message: dict[str, Any], aside: str | None) -> bool:
    """A prompt, a question or a thought quotes errors; it does not report one."""
    return message.get("role") not in ("system", "human") and aside != "thought"


def _delegation(span: Span, aside: str | None) -> Iterator[Delegation]:
    _, arrow, to_agent = (aside or "").partition("->")
    if arrow and to_agent.strip():
        yield Delegation(
            run_id=span.run_id,
            event_id=f"{span.span_id}/delegation",
            recorded_seq=(span.recorded_seq or 0) + 2,
            from_agent=span.agent,
            to_agent=to_agent.strip(),
            attributes={"span_id": span.span_id},
        )


def _ledger(span: Span, content: str) -> Iterator[Event]:
    """What the orchestrator noted of the state of the task: each signal with its reason."""
    written = _LEDGER.fullmatch(content)
    decoded = decode(written["json"]) if written else None
    ledger = mapping(decoded.value) if isinstance(decoded, Decoded) else {}
    for number, signal in enumerate((name for name in _SIGNALS if name in ledger), start=3):
        said = mapping(ledger[signal])
        yield Event(
            run_id=span.run_id,
            event_id=f"{span.span_id}/{signal}",
            recorded_seq=(span.recorded_seq or 0) + number,
            span_id=span.span_id,
            kind="ledger",
            name=signal,
            agent=span.agent,
            step_index=span.step_index,
            summary=": ".join(part for part in (words(said.get("answer")), words(said.get("reason"))) if part) or None,
            attributes=storable(said),
        )
