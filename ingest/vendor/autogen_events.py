"""The lines of AutoGen's `autogen_core.events` logger as records; without times where the logger writes none."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ingest.records import Event, Record, Run, Span, file_run_key
from ingest.vendor.failure import failure
from ingest.vendor.message_records import SOURCE
from ingest.vendor.values import Notes, mapping, text, words

_CALLS = {"LLMCall": "llm", "LLMStreamEnd": "llm", "ToolCall": "tool"}
_EXCEPTIONS = frozenset({"MessageHandlerException", "AgentConstructionException"})
_EVENTS = frozenset({"Message", "MessageDropped", "LLMStreamStart"})
_AGENT_KEYS = ("agent_id", "handling_agent", "receiver", "sender")


def is_event(value: dict[str, Any]) -> bool:
    """One of the logger's types, with a key that only its lines have."""
    kind = value.get("type")
    known = kind in _CALLS or kind in _EXCEPTIONS or kind in _EVENTS
    return known and any(
        key in value for key in ("agent_id", "tool_name", "exception", "payload", "prompt_tokens", "messages")
    )


class Reading:
    """The lines of one file, which are one run."""

    def __init__(self, native_id: str) -> None:
        self._native_id = native_id
        self._run_id = ""
        self._seen = 0

    def records(self, value: dict[str, Any], flags: Iterable[str]) -> tuple[Record, ...]:
        """The records of one line; the first one begins the run."""
        if self._run_id:
            return self._line(value, flags)
        self._run_id = file_run_key(SOURCE, self._native_id, value)
        begun = Run(run_id=self._run_id, event_id="file", source=SOURCE, native_id=self._native_id)
        return begun, *self._line(value, flags)

    def _line(self, value: dict[str, Any], flags: Iterable[str]) -> tuple[Record, ...]:
        notes = Notes()
        notes.add(*flags)
        index = self._seen
        self._seen += 1
        kind = str(value["type"])
        if kind in _CALLS:
            return (self._call(value, kind, index, notes),)
        if kind in _EXCEPTIONS:
            return self._exception(value, kind, index, notes)
        return (self._event(value, kind, index, notes),)

    def _call(self, value: dict[str, Any], kind: str, index: int, notes: Notes) -> Span:
        tool = text(value.get("tool_name"))
        response = mapping(value.get("response"))
        return Span(
            run_id=self._run_id,
            span_id=str(index),
            recorded_seq=2 * index,
            kind=_CALLS[kind],
            name=tool or kind,
            tool=tool,
            agent=_agent(value),
            step_index=index,
            started_at=notes.time("timestamp", value.get("timestamp")),
            model=text(response.get("model")),
            status="unset",
            input_tokens=notes.count("prompt_tokens", value.get("prompt_tokens")),
            output_tokens=notes.count("completion_tokens", value.get("completion_tokens")),
            attributes=notes.attributes(value, {"type", "timestamp"}),
            flags=notes.all(),
        )

    def _exception(self, value: dict[str, Any], kind: str, index: int, notes: Notes) -> tuple[Record, ...]:
        span = Span(
            run_id=self._run_id,
            span_id=str(index),
            recorded_seq=2 * index,
            kind="handler" if kind == "MessageHandlerException" else "construction",
            name=kind,
            agent=_agent(value),
            step_index=index,
            started_at=notes.time("timestamp", value.get("timestamp")),
            status="error",
            attributes=notes.attributes(value, {"type", "timestamp"}),
            flags=notes.all(),
        )
        error = failure(span, value.get("exception"), code=text(value.get("error_type")), seq=2 * index + 1)
        return span, error.model_copy(update={"location": span.agent or kind})

    def _event(self, value: dict[str, Any], kind: str, index: int, notes: Notes) -> Event:
        return Event(
            run_id=self._run_id,
            event_id=f"event-{index}",
            recorded_seq=2 * index,
            occurred_at=notes.time("timestamp", value.get("timestamp")),
            kind="message_dropped" if kind == "MessageDropped" else "message",
            name=kind,
            agent=_agent(value),
            step_index=index,
            summary=words(value.get("payload")),
            attributes=notes.attributes(value, {"type", "timestamp"}),
            flags=notes.all(),
        )


def _agent(value: dict[str, Any]) -> str | None:
    return next((str(value[key]) for key in _AGENT_KEYS if value.get(key)), None)
