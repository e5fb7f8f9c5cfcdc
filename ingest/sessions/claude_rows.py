"""The rows of a Claude Code session file, and what has to be known of the whole file before one row is read."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from ingest.adapter import Place
from ingest.records import run_key
from ingest.times import utc_time
from ingest.vendor.values import mapping, sequence, text, whole

SOURCE = "claude-code"
KNOWN_TYPES = frozenset(
    {
        "user", "assistant", "system", "summary", "file-history-snapshot", "queue-operation", "attachment", "progress",
        "custom-title", "ai-title", "agent-name", "last-prompt", "pr-link", "permission-mode",
    }
)  # fmt: skip
_AGENT_FILE = re.compile(r"agent-(?P<id>[^./\\]+)\.jsonl")


class Row(NamedTuple):
    """One row: `key` is its uuid, or its line where it has none."""

    place: Place
    value: dict[str, Any]
    flags: tuple[str, ...]
    time: datetime | None
    type: str
    key: str
    message: dict[str, Any]
    # The id of the API message; one message may be several rows.
    message_id: str
    # The content of the message as parts; a text alone is one.
    parts: list[dict[str, Any]]
    # An answer of a real model, not one that the program put there.
    is_model_turn: bool

    @classmethod
    def of(cls, place: Place, value: dict[str, Any], flags: Iterable[str]) -> Row:
        """The row with its time read."""
        time, time_flags = utc_time(value.get("timestamp"))
        kind = str(value["type"])
        unknown = () if kind in KNOWN_TYPES else ("unknown_type",)
        key = text(value.get("uuid")) or f"line-{place.line}"
        message = mapping(value.get("message"))
        message_id = text(message.get("id")) or key
        flagged = (*flags, *time_flags, *unknown)
        parts = _parts(message.get("content"))
        is_turn = kind == "assistant" and not (value.get("isApiErrorMessage") or message.get("model") == "<synthetic>")
        return cls(place, value, flagged, time, kind, key, message, message_id, parts, is_turn)


def _parts(content: Any) -> list[dict[str, Any]]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [part for part in sequence(content) if isinstance(part, dict)]


@dataclass(slots=True)
class Turn:
    """One message of the model: when its rows were written, and its tokens once."""

    first: datetime | None
    last: datetime | None
    usage: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Result:
    """What came back from a tool call."""

    time: datetime | None
    is_error: bool
    facts: dict[str, Any]


@dataclass(slots=True)
class Index:
    """What the whole file says of turns, results and runs."""

    file_agent: str | None = None
    session: str | None = None
    uuids: set[str] = field(default_factory=set)
    sessions: dict[str, str] = field(default_factory=dict)
    roots: dict[str, str] = field(default_factory=dict)
    turns: dict[str, Turn] = field(default_factory=dict)
    results: dict[str, Result] = field(default_factory=dict)

    @classmethod
    def named(cls, file_name: str) -> Index:
        """An index of a file; a sub-agent's file carries the agent's id in its name."""
        match = _AGENT_FILE.match(file_name)
        return cls(file_agent=match["id"] if match else None)

    def note(self, row: Row) -> None:
        """The row is part of what is known."""
        session = text(row.value.get("sessionId"))
        self.session = self.session or session
        self.uuids.add(row.key)
        if session:
            self.sessions[row.key] = session
        if row.value.get("isSidechain"):
            parent = text(row.value.get("parentUuid"))
            self.roots[row.key] = self.roots.get(parent or "", row.key)
        if row.is_model_turn:
            self._note_turn(row)
        for part in row.parts if row.type == "user" else []:
            if part.get("type") == "tool_result" and (call := text(part.get("tool_use_id"))):
                self.results.setdefault(call, Result(row.time, is_failed(row, part), _facts(row)))

    def _note_turn(self, row: Row) -> None:
        usage = mapping(row.message.get("usage"))
        turn = self.turns.setdefault(row.message_id, Turn(row.time, row.time, usage))
        turn.last = row.time or turn.last
        if (whole(usage.get("output_tokens")) or 0) > (whole(turn.usage.get("output_tokens")) or 0):
            turn.usage = usage

    def native_id(self, row: Row) -> str | None:
        """The session, or below it the sub-agent that the row belongs to."""
        session = text(row.value.get("sessionId")) or self.session
        if not session or not row.value.get("isSidechain"):
            return session
        agent = text(row.value.get("agentId")) or self.file_agent or self.roots.get(row.key, row.key)
        return f"{session}/agent-{agent}"

    def parent_run(self, row: Row) -> str | None:
        """The session's run, for a row of a sub-agent."""
        session = text(row.value.get("sessionId")) or self.session
        return run_key(SOURCE, session) if session and row.value.get("isSidechain") else None


def is_failed(row: Row, part: dict[str, Any]) -> bool:
    """The tool result says that it is an error."""
    said = row.value.get("toolUseResult")
    return part.get("is_error") is True or (isinstance(said, str) and said.startswith("Error:"))


def _facts(row: Row) -> dict[str, Any]:
    """The single figures and words beside a result: an agent's id, its tokens, whether it was interrupted."""
    said = mapping(row.value.get("toolUseResult"))
    return {key: item for key, item in said.items() if _is_single(item)}


def _is_single(item: Any) -> bool:
    return len(item) <= 200 if isinstance(item, str) else isinstance(item, (bool, int, float))
