"""What a span is, in the field's terms: its kind, tool, model, agent and what it consumed.

The names of the attributes that say so are in `ingest.otel.shape`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar

from ingest.json_writing import writer
from ingest.otel.messages import input_messages
from ingest.otel.shape import NAMES
from ingest.otel.span import OtelSpan
from ingest.otel.values import as_text, first_of, number_of, structured, text_of, whole_number

OPERATIONS = {
    "chat": "llm", "generate_content": "llm", "text_completion": "llm", "completion": "llm", "embeddings": "embedding",
    "retrieval": "retrieval", "execute_tool": "tool", "tool_call": "tool", "agent": "agent", "invoke_agent": "agent",
    "create_agent": "agent", "invoke_workflow": "workflow", "plan": "plan", "search_memory": "memory",
    "create_memory": "memory", "update_memory": "memory", "upsert_memory": "memory", "delete_memory": "memory",
    "create_memory_store": "memory", "delete_memory_store": "memory",
}  # fmt: skip
NAMED_KINDS = {"retriever": "retrieval", "chat_model": "llm", "task": "chain", "unknown": None, "": None}
_TOOL_PREFIX = "execute_tool "
_sorted_text = writer(sort_keys=True, compact=False, ascii_only=True)
_Meaning = TypeVar("_Meaning")


def _once(read: Callable[[OtelSpan], _Meaning]) -> Callable[[OtelSpan], _Meaning]:
    """A meaning is read of a span once, however often it is asked for."""
    name = f"_{read.__name__}"

    @wraps(read)
    def known(span: OtelSpan) -> _Meaning:
        found = span.__dict__
        if name not in found:
            found[name] = read(span)
        return found[name]  # type: ignore[no-any-return] # what `read` returned

    return known


def _said(span: OtelSpan, meaning: str) -> Any:
    """The first recorded of the attributes that mean this."""
    names = span.shape.names[meaning]
    return first_of(span.attributes, names) if names else None


def _text(span: OtelSpan, meaning: str) -> str | None:
    return as_text(_said(span, meaning))


@_once
def kind_of(span: OtelSpan) -> str | None:
    """The kind by operation, else by the instrumentation's span kind, else OpenTelemetry's own."""
    operation = _text(span, "operation")
    if operation:
        return OPERATIONS.get(operation.casefold(), operation)
    recorded = _text(span, "kind")
    if recorded:
        word = recorded.strip().casefold()
        kind = NAMED_KINDS.get(word, word)
        if kind:
            return kind
    return None if span.kind == "unspecified" else span.kind


@_once
def tool_of(span: OtelSpan) -> str | None:
    """The tool that the span called."""
    named = _text(span, "tool")
    if named:
        return named
    if kind_of(span) != "tool":
        return None
    name = span.name or ""
    return _text(span, "entity") or (name.removeprefix(_TOOL_PREFIX) if name.startswith(_TOOL_PREFIX) else None)


def model_of(span: OtelSpan) -> str | None:
    """The model that answered, else the one that was asked."""
    return _text(span, "model")


@_once
def agent_of(span: OtelSpan) -> str | None:
    """The agent that the span names itself."""
    return _text(span, "agent")


def phase_of(span: OtelSpan) -> str | None:
    """The phase, which no convention has but our own."""
    return _text(span, "phase")


def error_type_of(span: OtelSpan) -> str | None:
    """The kind of error that the span says it ended with."""
    return _text(span, "error_type")


def error_message_of(span: OtelSpan) -> str | None:
    """What the span says of the error that it ended with."""
    return _text(span, "error_message")


def http_status_of(span: OtelSpan) -> str | None:
    """The status that a call over HTTP ended with."""
    return _text(span, "http_status")


def http_method_of(span: OtelSpan) -> str | None:
    """The method of a call over HTTP."""
    return _text(span, "http_method")


@_once
def session_of(span: OtelSpan) -> str | None:
    """The conversation that the trace is a turn of."""
    return _text(span, "session") or session_in(span.resource)


def session_in(resource: Mapping[str, Any]) -> str | None:
    """The conversation that all of a process belongs to."""
    return text_of(resource, *NAMES["session"])


@_once
def service_of(span: OtelSpan) -> str | None:
    """The service that wrote the span; a name that an SDK made up is none."""
    return service_in(span.resource)


def service_in(resource: Mapping[str, Any]) -> str | None:
    """The service that all of a process belongs to."""
    name = text_of(resource, "service.name")
    return None if name is None or name.startswith("unknown_service") else name


def tokens_of(span: OtelSpan, flags: set[str]) -> tuple[int | None, int | None]:
    """Input and output tokens as this span records them; a parent may record the sum of its children."""
    read = whole_number(_said(span, "input_tokens"), flags)
    return read, whole_number(_said(span, "output_tokens"), flags)


def cost_of(span: OtelSpan, flags: set[str]) -> float | None:
    """The cost in US dollars as recorded."""
    cost = number_of(_said(span, "cost"), flags)
    return None if cost is None else float(cost)


def recorded_input(span: OtelSpan) -> Any:
    """What the span consumed, as far as it was recorded: arguments, a query, or the messages."""
    recorded = _said(span, "input")
    if recorded is not None:
        return recorded
    messages = input_messages(span)
    return [[message.role, message.text] for message in messages] or None


@_once
def input_digest(span: OtelSpan) -> str | None:
    """Equal for equal inputs: JSON is compared by content, other text as it is."""
    recorded = recorded_input(span)
    return None if recorded is None else digest_of(recorded)


def digest_of(recorded: Any) -> str:
    """The digest of an input, which may be JSON as a text."""
    value = structured(recorded)
    text = value if isinstance(value, str) else _sorted_text(value)
    return hashlib.sha256(text.encode("utf-8", errors="replace")).hexdigest()[:16]
