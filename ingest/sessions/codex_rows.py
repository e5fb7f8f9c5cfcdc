"""The rows of a Codex rollout, with or without their envelope, and what the whole file says of its calls."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from ingest.adapter import Place
from ingest.sessions.codex_outcome import Outcome, outcome_of
from ingest.sessions.said import text_of
from ingest.times import utc_time
from ingest.vendor.values import digest, mapping, text, within

SOURCE = "codex"
ENVELOPE_TYPES = frozenset({"session_meta", "turn_context", "response_item", "event_msg", "compacted"})
ITEM_TYPES = frozenset(
    {
        "message", "reasoning", "function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output",
        "local_shell_call", "web_search_call", "tool_search_call", "tool_search_output", "image_generation_call",
        "ghost_snapshot", "compaction",
    }
)  # fmt: skip
CALL_TYPES = frozenset(
    {
        "function_call", "custom_tool_call", "local_shell_call", "web_search_call", "tool_search_call",
        "image_generation_call",
    }
)  # fmt: skip
_ROLE_OF = {"user_message": "user", "agent_message": "assistant"}
_END_TYPES = frozenset({"exec_command_end", "patch_apply_end", "mcp_tool_call_end"})
_ID_IN_NAME = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


class Row(NamedTuple):
    """One row: its envelope's type and what it carries."""

    place: Place
    type: str
    payload: dict[str, Any]
    flags: tuple[str, ...]
    time: datetime | None
    # What the row carries.
    kind: str
    # The call that the row begins or ends.
    call_id: str | None
    # What the tool is given, where one is called.
    given: Any = None

    @classmethod
    def of(cls, place: Place, value: dict[str, Any], flags: Iterable[str]) -> Row:
        """The row; a bare item of an older file is what its envelope would carry."""
        time, time_flags = utc_time(value.get("timestamp"))
        wrapped, payload = _unwrapped(value)
        unknown = () if wrapped in ENVELOPE_TYPES or "record_type" in value else ("unknown_type",)
        kind = text(payload.get("type")) or wrapped
        call_id = text(payload.get("call_id")) or text(payload.get("id"))
        given = _given(payload) if wrapped == "response_item" and kind in CALL_TYPES else None
        return cls(place, wrapped, payload, (*flags, *time_flags, *unknown), time, kind, call_id, given)

    @property
    def is_call(self) -> bool:
        """A tool is called."""
        return self.type == "response_item" and self.kind in CALL_TYPES

    @property
    def is_output(self) -> bool:
        """What a tool gave back, to the model."""
        return self.type == "response_item" and self.kind.endswith("_output")

    @property
    def is_end(self) -> bool:
        """How the running of a command, patch or MCP call ended."""
        return self.type == "event_msg" and self.kind in _END_TYPES

    @property
    def tool(self) -> str | None:
        """The tool that is called."""
        return text(self.payload.get("name")) or self.kind.removesuffix("_call")


def _given(payload: dict[str, Any]) -> Any:
    keys = ("arguments", "input", "action", "query")
    return within(next((payload[key] for key in keys if payload.get(key) is not None), None))


def _unwrapped(value: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    kind = value.get("type")
    if isinstance(value.get("payload"), dict) and isinstance(kind, str):
        return kind, value["payload"]
    if isinstance(kind, str):
        bare = {key: item for key, item in value.items() if key != "timestamp"}
        return ("response_item" if kind in ITEM_TYPES else kind), bare
    if "record_type" in value:
        return str(value["record_type"]), value
    return ("session_meta" if is_bare_header(value) else "unknown"), value


def is_bare_header(value: Any) -> bool:
    """The first line of a file without envelopes: id and time of the session, and its git state or instructions."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("id"), str)
        and isinstance(value.get("timestamp"), str)
        and "type" not in value
        and bool({"instructions", "git"} & value.keys())
    )


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call: its tool and the digest of what it was given."""

    tool: str | None = None
    given: str | None = None


@dataclass(slots=True)
class Index:
    """What the whole file says of its session and its calls."""

    session: str
    has_meta: bool = False
    calls: dict[str, Call] = field(default_factory=dict)
    outcomes: dict[str, Outcome] = field(default_factory=dict)

    @classmethod
    def named(cls, file_name: str, below: str) -> Index:
        """An index of a file whose session is named by its first header, else by its name."""
        match = _ID_IN_NAME.search(file_name)
        return cls(match[0] if match else below)

    def note(self, row: Row) -> None:
        """The row is part of what is known."""
        if row.type == "session_meta" and not self.has_meta and (session := text(row.payload.get("id"))):
            self.session, self.has_meta = session, True
        if row.call_id is None:
            return
        if row.is_call:
            self.calls.setdefault(row.call_id, Call(row.tool, digest(row.given)))
        elif row.is_output or row.is_end:
            found = outcome_of(row.kind, row.payload, row.time)
            earlier = self.outcomes.get(row.call_id)
            self.outcomes[row.call_id] = earlier.with_more(found) if earlier else found


def role_of(row: Row) -> str | None:
    """Who says the message of the row; None where it is none."""
    if row.type == "response_item" and row.kind == "message":
        return text(row.payload.get("role")) or "unknown"
    return _ROLE_OF.get(row.kind) if row.type == "event_msg" else None


def told_in(row: Row) -> str:
    """The text of a message."""
    return text(row.payload.get("message")) or text_of(row.payload.get("content"))


def status_of(row: Row, outcome: Outcome | None) -> str:
    """How the call of the row ended."""
    if outcome:
        return "error" if outcome.is_failed else "ok"
    said = row.payload.get("status")
    # A call that the service runs itself has no output of its own.
    return "ok" if said == "completed" and not row.payload.get("call_id") else "open"


def parent_session(meta: dict[str, Any]) -> str | None:
    """The session that started this one as its sub-agent."""
    spawned = mapping(mapping(mapping(meta.get("source")).get("subagent")).get("thread_spawn"))
    return text(spawned.get("parent_thread_id")) or text(meta.get("parent_thread_id"))
