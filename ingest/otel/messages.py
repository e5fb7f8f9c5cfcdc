"""The messages a model was given and gave, from any of the ways that instrumentations write them.

New: `gen_ai.input.messages` with parts. Old: one span event a message, or `gen_ai.prompt.0.content`.
OpenInference: `llm.input_messages.0.message.content`, flattened or as a list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ingest.otel.span import OtelSpan, SpanEvent
from ingest.otel.values import as_text, flattened, structured

_SYSTEM = "gen_ai.system_instructions"
_PLAIN = {"input": ("gen_ai.input.messages",), "output": ("gen_ai.output.messages",)}
_LISTS = {"input": ("llm.input_messages", "gen_ai.prompt"), "output": ("llm.output_messages", "gen_ai.completion")}
_EVENTS = {
    "input": {
        "gen_ai.system.message": "system", "gen_ai.user.message": "user", "gen_ai.assistant.message": "assistant",
        "gen_ai.tool.message": "tool", "gen_ai.content.prompt": "user",
    },
    "output": {"gen_ai.choice": "assistant", "gen_ai.content.completion": "assistant"},
}  # fmt: skip
MESSAGE_EVENTS = frozenset(name for names in _EVENTS.values() for name in names)
CONTENT = ("content", "message.content", "message", "gen_ai.prompt", "gen_ai.completion", "gen_ai.event.content")
_INDEXED = re.compile(r"(\d+)\.(.+)")
# The spans of one instrumentation have the same keys.
_KEPT = 4_096


@dataclass(frozen=True, slots=True)
class Message:
    """Who said what; tool calls and their results are part of the text, as recorded."""

    role: str | None
    text: str


def input_messages(span: OtelSpan) -> tuple[Message, ...]:
    """What the model was given, the system instructions first."""
    instructions = _parts_text(structured(span.attributes.get(_SYSTEM)))
    system = (Message("system", instructions),) if instructions else ()
    return system + _messages(span, "input")


def output_messages(span: OtelSpan) -> tuple[Message, ...]:
    """What the model answered."""
    return _messages(span, "output")


def is_message(event: SpanEvent) -> bool:
    """A span event that carries one message."""
    return event.name in MESSAGE_EVENTS


def message_text(event: SpanEvent) -> str | None:
    """The text of a message event."""
    return _content(event.attributes) or None


def _messages(span: OtelSpan, side: str) -> tuple[Message, ...]:
    for name in _PLAIN[side]:
        if found := tuple(_from_list(structured(span.attributes.get(name)))):
            return found
    for name in _LISTS[side]:
        if found := tuple(_from_list(listed(span.attributes, name))):
            return found
    roles = _EVENTS[side]
    said = [event for event in span.events if event.name in roles]
    return tuple(Message(roles[event.name or ""], message_text(event) or "") for event in said)


def listed(attributes: Mapping[str, Any], name: str) -> list[dict[str, Any]] | None:
    """A list of objects from `name.0.key`, gaps allowed, or from a list or its text; None where it is not recorded."""
    whole = structured(attributes.get(name))
    if isinstance(whole, list):
        return [item if isinstance(item, dict) else {"id": item} for item in whole]
    indexed: dict[int, dict[str, Any]] = {}
    for key, index, below in _numbered(tuple(attributes), name):
        indexed.setdefault(index, {})[below] = attributes[key]
    return [indexed[index] for index in sorted(indexed)] if indexed else None


@lru_cache(_KEPT)
def _numbered(keys: tuple[str, ...], name: str) -> tuple[tuple[str, int, str], ...]:
    """The keys of the form `name.0.key` with their number and what stands behind it; most spans have none."""
    start = f"{name}."
    below = ((key, _INDEXED.fullmatch(key, len(start))) for key in keys if key.startswith(start))
    return tuple((key, int(match[1]), match[2]) for key, match in below if match)


def _from_list(messages: Any) -> Iterator[Message]:
    if not isinstance(messages, list):
        return
    for message in messages:
        if isinstance(message, Mapping):
            flat = flattened(message)
            role = as_text(flat.get("role") or flat.get("message.role"))
            yield Message(role, _parts_text(flat.get("parts")) or _content(flat) or _rest(flat))


def _content(flat: Mapping[str, Any]) -> str:
    content = next((flat[name] for name in CONTENT if flat.get(name)), None)
    return _parts_text(structured(content)) if isinstance(content, list) else as_text(content) or ""


def _rest(flat: Mapping[str, Any]) -> str:
    """A message without content says what it calls."""
    said = {key: value for key, value in flat.items() if not key.endswith("role")}
    return as_text(said) or "" if said else ""


def _parts_text(parts: Any) -> str:
    if isinstance(parts, str):
        return parts
    if not isinstance(parts, list):
        return ""
    return "\n".join(_part_text(part) for part in parts)


def _part_text(part: Any) -> str:
    if isinstance(part, Mapping):
        said = part.get("content") or part.get("text")
        return as_text(said if said is not None else dict(part)) or ""
    return as_text(part) or ""
