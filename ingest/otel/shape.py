"""Which of the attributes that mean something a span has; the spans of one instrumentation have the same ones.

Old and new names of the GenAI conventions, OpenInference and OpenLLMetry are read alike; the newest name
stands first, and the first that is recorded decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

NAMES: dict[str, tuple[str, ...]] = {
    "operation": ("gen_ai.operation.name",),
    "kind": ("openinference.span.kind", "traceloop.span.kind", "mlflow.spanType"),
    "tool": ("gen_ai.tool.name", "tool.name", "tool_call.function.name", "mcp.tool.name"),
    "entity": ("traceloop.entity.name",),
    "model": (
        "gen_ai.response.model", "gen_ai.request.model", "llm.response.model", "llm.request.model", "llm.model_name",
        "embedding.model_name", "reranker.model_name", "decision.model_name",
    ),
    "agent": ("gen_ai.agent.name", "agent.name", "gen_ai.agent.id", "agent.id"),
    "phase": ("faultlens.phase",),
    "session": (
        "gen_ai.conversation.id", "session.id", "traceloop.association.properties.session_id", "thread.id",
    ),
    "input_tokens": (
        "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt", "llm.usage.prompt_tokens",
        "decision.token_count.prompt",
    ),
    "output_tokens": (
        "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion",
        "llm.usage.completion_tokens", "decision.token_count.completion",
    ),
    "cost": ("gen_ai.usage.cost", "gen_ai.usage.total_cost", "llm.cost.total", "operation.cost"),
    "input": (
        "gen_ai.tool.call.arguments", "tool.parameters", "input.value", "gen_ai.retrieval.query.text",
        "gen_ai.memory.query.text", "traceloop.entity.input", "mlflow.spanInputs",
    ),
    "error_type": ("error.type",),
    "error_message": ("error.message", "otel.status_description"),
    "http_status": ("http.response.status_code", "http.status_code", "rpc.http.status_code"),
    "http_method": ("http.request.method", "http.method"),
}  # fmt: skip
DECLARED = "faultlens."
DOCUMENTS = ("gen_ai.retrieval.documents", "retrieval.documents", "reranker.input_documents")
SYSTEM = "gen_ai.system_instructions"
# Lists of messages are one attribute, or one each with a number behind the name.
INPUT_MESSAGES = ("gen_ai.input.messages", "llm.input_messages", "gen_ai.prompt")
_KEPT = 4_096


@dataclass(frozen=True, slots=True)
class Shape:
    """The names that stand for each meaning, the one that decides first; and which rarer ones there are at all."""

    names: dict[str, tuple[str, ...]]
    declares: bool
    documents: tuple[str, ...]
    messages: tuple[str, ...]


@lru_cache(_KEPT)
def shape_of(keys: tuple[str, ...]) -> Shape:
    """The shape of a span with these attributes."""
    present = frozenset(keys)
    return Shape(
        names={meaning: tuple(name for name in names if name in present) for meaning, names in NAMES.items()},
        declares=any(key.startswith(DECLARED) and key not in NAMES["phase"] for key in keys),
        documents=tuple(key for key in keys if _is_in(key, DOCUMENTS)),
        messages=tuple(key for key in keys if key == SYSTEM or _is_in(key, INPUT_MESSAGES)),
    )


def _is_in(key: str, lists: tuple[str, ...]) -> bool:
    """The key is one of these lists, or a place in one."""
    return any(key == name or key.startswith(f"{name}.") for name in lists)
