"""The tool error class of a failed call, only where the record itself says what kind of wrong it was."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ingest.otel.meaning import http_method_of, http_status_of
from ingest.otel.span import OtelSpan
from ingest.otel.values import number_of

# A call without an effect may be repeated after a timeout; of any other one nobody knows what it did.
_WITHOUT_EFFECT = frozenset({"llm", "embedding", "retrieval", "reranker"})
_CALLS = _WITHOUT_EFFECT | {"tool", "client", "memory"}
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_TIMEOUT = "timeout"


@dataclass(frozen=True, slots=True)
class ToolErrorClass:
    """The class and the rule that names it."""

    name: str
    rule: str


def _words(*words: str) -> re.Pattern[str]:
    return re.compile("|".join(words), re.IGNORECASE)


# Read in this order: the first that matches the error's type decides, then the first that matches its message.
_TYPES: tuple[tuple[str, str, re.Pattern[str]], ...] = (
    ("policy_denial", "permission_denied", _words(
        "Permission", "Forbidden", "AccessDenied", "Unauthori[sz]ed", "NotAuthori[sz]ed", "Authorization",
        "Guardrail\\w*(?:Triggered|Tripwire)", "PolicyViolation", "ContentFilter", r"(?<!\d)40[13](?!\d)")),
    ("invocation", "invalid_call", _words(
        "Validation", "Schema", "InvalidArgument", "InvalidParam", "BadRequest", "MissingArgument", "JSONDecode",
        "UnknownTool", "ToolNotFound", "NoSuchTool", r"(?<!\d)4(?:00|22)(?!\d)")),
    ("state_conflict", "state_conflict", _words(
        "Conflict", "PreconditionFailed", "StaleObject", "StaleData", "OptimisticLock", r"(?<!\d)4(?:09|12)(?!\d)")),
    (_TIMEOUT, "timeout", _words("Time[_ ]?out", "DeadlineExceeded", "deadline_exceeded", r"(?<!\d)(?:408|504)(?!\d)")),
    ("transport", "unavailable", _words(
        "Connection(?:Refused|Reset|Aborted|Error)", "ECONN\\w+", "ENOTFOUND", "EAI_AGAIN", "BrokenPipe",
        "NetworkError", "ConnectError", "gaierror", "ServiceUnavailable", "BadGateway", "RateLimit", "TooManyRequests",
        r"(?<!\d)(?:429|5\d\d)(?!\d)")),
)  # fmt: skip
_MESSAGES: tuple[tuple[str, str, re.Pattern[str]], ...] = (
    ("policy_denial", "permission_denied", _words(
        "permission denied", "access denied", "not authori[sz]ed", "forbidden")),
    ("invocation", "invalid_call", _words(
        "validation error", "schema (?:mismatch|validation)", "missing (?:\\d+ )?required", "invalid arguments?",
        "unexpected keyword argument", "unknown tool")),
    ("state_conflict", "state_conflict", _words("precondition failed", "revision mismatch", "version conflict")),
    (_TIMEOUT, "timeout", _words(
        "timed out", "gateway time-?out", "deadline exceeded", "timeout (?:of|after|exceeded)")),
    ("transport", "unavailable", _words(
        "connection (?:was )?(?:refused|reset|aborted)", "connection closed by", "no route to host", "name resolution",
        "network is unreachable", "service unavailable", "bad gateway", "too many requests", "rate limit")),
)  # fmt: skip


def tool_error_class(
    span: OtelSpan, kind: str | None, error_code: str | None, details: str | None
) -> ToolErrorClass | None:
    """The class of a failed call; None where the span is no call or says nothing of the kind."""
    if kind not in _CALLS:
        return None
    for what, text, patterns in (
        ("status", _http_status(span), _TYPES),
        ("type", error_code, _TYPES),
        ("message", details, _MESSAGES),
    ):
        found = next((entry for entry in patterns if text and entry[2].search(text)), None)
        if found:
            return _named(span, kind, found[0], f"{found[1]}: the recorded {what} says {text[:80]!r}" if text else "")
    return None


def _http_status(span: OtelSpan) -> str | None:
    status = number_of(http_status_of(span), set())
    return None if status is None or status < 400 else str(int(status))


def _named(span: OtelSpan, kind: str, name: str, rule: str) -> ToolErrorClass:
    if name != _TIMEOUT:
        return ToolErrorClass(name, rule)
    if kind in _WITHOUT_EFFECT or _method(span) in _SAFE_METHODS:
        return ToolErrorClass("transport", f"{rule}, and a {kind} call has no effect that could have landed")
    return ToolErrorClass("unknown_outcome", f"{rule}, and the call's effect may have landed")


def _method(span: OtelSpan) -> str | None:
    method = http_method_of(span)
    return method.upper() if method else None
