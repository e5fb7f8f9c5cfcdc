"""What a span is, in the field's terms: its kind, tool, model, agent and what it consumed.

Old and new names of the GenAI conventions, OpenInference and OpenLLMetry are read alike; the newest name
stands first, and the first that is recorded decides.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from ingest.otel.messages import input_messages
from ingest.otel.span import OtelSpan
from ingest.otel.values import as_text, first_of, number_of, structured, text_of, whole_number

_OPERATIONS = {
    "chat": "llm", "generate_content": "llm", "text_completion": "llm", "completion": "llm", "embeddings": "embedding",
    "retrieval": "retrieval", "execute_tool": "tool", "tool_call": "tool", "agent": "agent", "invoke_agent": "agent",
    "create_agent": "agent", "invoke_workflow": "workflow", "plan": "plan", "search_memory": "memory",
    "create_memory": "memory", "update_memory": "memory", "upsert_memory": "memory", "delete_memory": "memory",
    "create_memory_store": "memory", "delete_memory_store": "memory",
}  # fmt: skip
_SPAN_KINDS = {"retriever": "retrieval", "chat_model": "llm", "task": "chain", "unknown": None, "": None}
_KIND_NAMES = ("openinference.span.kind", "traceloop.span.kind", "mlflow.spanType")
_TOOL = ("gen_ai.tool.name", "tool.name", "tool_call.function.name", "mcp.tool.name")
_MODEL = (
    "gen_ai.response.model", "gen_ai.request.model", "llm.response.model", "llm.request.model", "llm.model_name",
    "embedding.model_name", "reranker.model_name", "decision.model_name",
)  # fmt: skip
_AGENT = ("gen_ai.agent.name", "agent.name", "gen_ai.agent.id", "agent.id")
_SESSION = ("gen_ai.conversation.id", "session.id", "traceloop.association.properties.session_id", "thread.id")
_INPUT_TOKENS = (
    "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt", "llm.usage.prompt_tokens",
    "decision.token_count.prompt",
)  # fmt: skip
_OUTPUT_TOKENS = (
    "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion",
    "llm.usage.completion_tokens", "decision.token_count.completion",
)  # fmt: skip
_COST = ("gen_ai.usage.cost", "gen_ai.usage.total_cost", "llm.cost.total", "operation.cost")
_INPUT = (
    "gen_ai.tool.call.arguments", "tool.parameters", "input.value", "gen_ai.retrieval.query.text",
    "gen_ai.memory.query.text", "traceloop.entity.input", "mlflow.spanInputs",
)  # fmt: skip
_TOOL_PREFIX = "execute_tool "


def kind_of(span: OtelSpan) -> str | None:
    """The kind by operation, else by the instrumentation's span kind, else OpenTelemetry's own."""
    operation = text_of(span.attributes, "gen_ai.operation.name")
    if operation:
        return _OPERATIONS.get(operation.casefold(), operation)
    recorded = text_of(span.attributes, *_KIND_NAMES)
    if recorded:
        word = recorded.strip().casefold()
        kind = _SPAN_KINDS.get(word, word)
        if kind:
            return kind
    return None if span.kind == "unspecified" else span.kind


def tool_of(span: OtelSpan) -> str | None:
    """The tool that the span called."""
    named = text_of(span.attributes, *_TOOL)
    if named:
        return named
    if kind_of(span) != "tool":
        return None
    entity = text_of(span.attributes, "traceloop.entity.name")
    name = span.name or ""
    return entity or (name.removeprefix(_TOOL_PREFIX) if name.startswith(_TOOL_PREFIX) else None)


def model_of(span: OtelSpan) -> str | None:
    """The model that answered, else the one that was asked."""
    return text_of(span.attributes, *_MODEL)


def agent_of(span: OtelSpan) -> str | None:
    """The agent that the span names itself."""
    return text_of(span.attributes, *_AGENT)


def phase_of(span: OtelSpan) -> str | None:
    """The phase, which no convention has but our own."""
    return text_of(span.attributes, "faultlens.phase")


def session_of(span: OtelSpan) -> str | None:
    """The conversation that the trace is a turn of."""
    return text_of(span.attributes, *_SESSION) or text_of(span.resource, *_SESSION)


def service_of(span: OtelSpan) -> str | None:
    """The service that wrote the span; a name that an SDK made up is none."""
    name = text_of(span.resource, "service.name")
    return None if name is None or name.startswith("unknown_service") else name


def tokens_of(span: OtelSpan, flags: set[str]) -> tuple[int | None, int | None]:
    """Input and output tokens as this span records them; a parent may record the sum of its children."""
    read = whole_number(first_of(span.attributes, _INPUT_TOKENS), flags)
    return read, whole_number(first_of(span.attributes, _OUTPUT_TOKENS), flags)


def cost_of(span: OtelSpan, flags: set[str]) -> float | None:
    """The cost in US dollars as recorded."""
    cost = number_of(first_of(span.attributes, _COST), flags)
    return None if cost is None else float(cost)


def recorded_input(span: OtelSpan) -> Any:
    """What the span consumed, as far as it was recorded: arguments, a query, or the messages."""
    recorded = first_of(span.attributes, _INPUT)
    if recorded is not None:
        return recorded
    messages = input_messages(span)
    return [[message.role, message.text] for message in messages] or None


def input_digest(span: OtelSpan) -> str | None:
    """Equal for equal inputs: JSON is compared by content, other text as it is."""
    recorded = recorded_input(span)
    if recorded is None:
        return None
    value = structured(recorded)
    text = as_text(value) if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256((text or "").encode("utf-8", errors="replace")).hexdigest()[:16]
