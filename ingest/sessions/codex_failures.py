"""Failures in a Codex session, what recovered from them, and the approvals that were asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.records import ErrorEvent, GuardrailEvent, Record
from ingest.sessions.codex_outcome import Outcome
from ingest.sessions.codex_rows import Call, Row
from ingest.sessions.said import kept
from ingest.vendor.values import text, words

_RETRYING = re.compile(r"\b(?P<attempt>\d+)/(?P<most>\d+)\b")


def call_failure(row: Row, run_id: str, call_id: str, *, call: Call, outcome: Outcome) -> Iterator[Record]:
    """The failed tool call, and the denial where somebody said no."""
    yield ErrorEvent(
        run_id=run_id,
        event_id=f"{call_id}#error",
        occurred_at=row.time,
        span_id=call_id,
        type="tool_error",
        tool_error_class=outcome.said.tool_error_class,
        details=outcome.told[:2000] or None,
        location=call.tool,
        state_hash=call.given,
        exit_code=outcome.said.exit_code,
        basis="derived" if outcome.rule else "recorded",
        rule=outcome.rule,
        attributes=kept({"text": outcome.told, "tool_error_class_rule": outcome.said.rule}),
        flags=row.flags,
    )
    if outcome.said.is_denial:
        yield GuardrailEvent(
            run_id=run_id,
            event_id=f"{call_id}#denied",
            occurred_at=row.time,
            trigger=call.tool,
            decision="deny",
            details=words(outcome.told),
            attributes={"decision_rule": outcome.said.rule},
            flags=row.flags,
        )


def turn_failure(row: Row, run_id: str, event_id: str) -> ErrorEvent:
    """The turn failed, or the stream of the answer broke and is tried again."""
    message = text(row.payload.get("message"))
    is_retried = row.kind == "stream_error"
    retry = _RETRYING.search(message or "") if is_retried else None
    code = row.payload.get("codex_error_info")
    rule = "stated: the stream of the answer broke" if is_retried else None
    return ErrorEvent(
        run_id=run_id,
        event_id=event_id,
        occurred_at=row.time,
        type=row.kind,
        error_code=code if isinstance(code, str) else None,
        tool_error_class="transport" if is_retried else None,
        details=message,
        action=f"retry {retry['attempt']} of {retry['most']}" if retry else None,
        attributes=kept({**row.payload, "tool_error_class_rule": rule}, "type"),
        flags=row.flags,
    )


def approval(row: Row, run_id: str) -> GuardrailEvent:
    """A person is asked before the call is made."""
    asked = row.payload.get("command") or row.payload.get("reason") or row.payload.get("message")
    return GuardrailEvent(
        run_id=run_id,
        occurred_at=row.time,
        trigger=row.kind,
        details=" ".join(str(word) for word in asked) if isinstance(asked, list) else text(asked),
        attributes=kept(row.payload, "type"),
        flags=row.flags,
    )
