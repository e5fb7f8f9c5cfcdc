"""Failures in a Claude Code session, what recovered from them, and compactions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ingest.records import ContextOp, ErrorEvent, GuardrailEvent, Record
from ingest.sessions.claude_rows import Row
from ingest.sessions.said import kept, text_of
from ingest.sessions.tool_failure import Said
from ingest.vendor.values import mapping, text, words

_NETWORK = frozenset(
    {"ECONNRESET", "ECONNREFUSED", "ENOTFOUND", "ETIMEDOUT", "EPIPE", "EAI_AGAIN", "ConnectionRefused"}
)
_ENVELOPE = (
    "uuid", "sessionId", "timestamp", "type", "message", "isSidechain", "userType", "cwd", "version", "gitBranch",
    "toolUseResult",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call: its id, its tool, and the digest of what it was given."""

    call_id: str
    tool: str | None = None
    given: str | None = None


def tool_failure(row: Row, run_id: str, call: Call, told: str, said: Said) -> Iterator[Record]:
    """The failed tool call, and the denial where somebody said no."""
    yield ErrorEvent(
        run_id=run_id,
        event_id=f"{call.call_id}#error",
        occurred_at=row.time,
        span_id=call.call_id,
        type="tool_error",
        tool_error_class=said.tool_error_class,
        details=told[:2000] or None,
        location=call.tool,
        state_hash=call.given,
        exit_code=said.exit_code,
        attributes=kept({"text": told, "tool_error_class_rule": said.rule}),
        flags=row.flags,
    )
    if said.is_denial:
        yield GuardrailEvent(
            run_id=run_id,
            event_id=f"{call.call_id}#denied",
            occurred_at=row.time,
            trigger=call.tool,
            decision="deny",
            details=words(told),
            attributes={"decision_rule": said.rule},
            flags=row.flags,
        )


def api_error(row: Row, run_id: str) -> ErrorEvent:
    """One failed attempt to call the API, and the retry that it announces."""
    error, cause = mapping(row.value.get("error")), mapping(row.value.get("cause"))
    cause = cause or mapping(error.get("cause"))
    code = text(error.get("status")) or text(cause.get("code")) or text(error.get("code"))
    attempt, most = text(row.value.get("retryAttempt")), text(row.value.get("maxRetries"))
    is_network = code in _NETWORK
    rule = "stated: the cause is a network error" if is_network else None
    return ErrorEvent(
        run_id=run_id,
        event_id=row.key,
        occurred_at=row.time,
        type="api_error",
        error_code=code,
        tool_error_class="transport" if is_network else None,
        details=text(error.get("message")) or text(cause.get("message")) or text(row.value.get("content")),
        action=f"retry {attempt} of {most or 'unknown'}" if attempt else None,
        attributes=kept({**row.value, "tool_error_class_rule": rule}, *_ENVELOPE),
        flags=row.flags,
    )


def final_api_error(row: Row, run_id: str) -> ErrorEvent:
    """The call of the API failed for good; its text stands in the model's place."""
    return ErrorEvent(
        run_id=run_id,
        event_id=row.key,
        occurred_at=row.time,
        type="api_error",
        error_code=text(row.value.get("error")) or text(row.value.get("apiErrorStatus")),
        details=text_of(row.message.get("content")) or None,
        attributes=kept({**row.value, "final": True}, *_ENVELOPE),
        flags=row.flags,
    )


def compaction(row: Row, run_id: str) -> ContextOp:
    """The context was compacted; the next row holds what is left of it."""
    return ContextOp(
        run_id=run_id,
        event_id=row.key,
        occurred_at=row.time,
        op="compaction",
        details=text(row.value.get("content")),
        attributes=kept(row.value, *_ENVELOPE, "content"),
        flags=row.flags,
    )
