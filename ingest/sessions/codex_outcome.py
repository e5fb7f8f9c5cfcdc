"""How a tool call of a Codex session ended: its output in any of its shapes, and the event that closes it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from ingest.sessions.said import text_of
from ingest.sessions.tool_failure import Said, said_in
from ingest.vendor.values import mapping, text, within

# What only a text says is taken for a failure where the call never ran.
_NEVER_RAN = ("policy_denial", "invocation")
_FAILED = ("failed", "declined", "error")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is known of the end of a call; `rule` says why a failure is believed that no field records."""

    told: str
    time: datetime | None
    is_failed: bool
    said: Said
    rule: str | None = None
    facts: tuple[tuple[str, Any], ...] = ()

    def with_more(self, other: Outcome) -> Outcome:
        """Both reports of one call as one: the earlier end, the longer text, a failure if either says so."""
        worse = self if self.is_failed or not other.is_failed else other
        return replace(
            worse,
            told=max(self.told, other.told, key=len),
            time=min((time for time in (self.time, other.time) if time), default=None),
            rule=None if any(one.is_failed and one.rule is None for one in (self, other)) else worse.rule,
            facts=tuple(dict((*self.facts, *other.facts)).items()),
        )


def outcome_of(kind: str, payload: dict[str, Any], time: datetime | None) -> Outcome:
    """The outcome that one row reports."""
    if kind.endswith("_output"):
        return _of_output(payload.get("output"), time)
    if kind == "mcp_tool_call_end":
        return _of_mcp(payload.get("result"), time)
    told = text(payload.get("aggregated_output")) or text(payload.get("stderr")) or text(payload.get("stdout")) or ""
    said = said_in(told, text(payload.get("exit_code")))
    is_failed = _is_bad(said.exit_code) or payload.get("success") is False or payload.get("status") in _FAILED
    if payload.get("status") == "declined":
        said = Said("policy_denial", "stated: status declined", said.exit_code)
    return Outcome(told, time, is_failed, said)


def _is_bad(exit_code: str | None) -> bool:
    return exit_code not in (None, "0")


def _of_output(output: Any, time: datetime | None) -> Outcome:
    """The output is a text, a JSON text with its metadata, an object, or a list of parts."""
    value = within(output)
    inner = mapping(value)
    if "output" in inner or "content" in inner:
        told = text_of(inner.get("output", inner.get("content"))) or text(inner.get("output")) or ""
    else:
        told = text_of(output) or text(output) or ""
    recorded = text(mapping(inner.get("metadata")).get("exit_code"))
    said = said_in(told, recorded)
    if _is_bad(said.exit_code) or inner.get("success") is False:
        return Outcome(told, time, is_failed=True, said=said, facts=_facts(inner))
    if said.tool_error_class in _NEVER_RAN and said.exit_code is None:
        return Outcome(told, time, is_failed=True, said=said, rule=f"text_says_no: {said.rule}", facts=_facts(inner))
    return Outcome(told, time, is_failed=False, said=said, facts=_facts(inner))


def _facts(value: dict[str, Any]) -> tuple[tuple[str, Any], ...]:
    """The single figures and short words of an output, such as the id of the agent it started."""
    return tuple(
        (key, item)
        for key, item in value.items()
        if key not in ("output", "content") and (isinstance(item, bool | int | float) or _is_word(item))
    )


def _is_word(item: Any) -> bool:
    return isinstance(item, str) and len(item) <= 200


def _of_mcp(result: Any, time: datetime | None) -> Outcome:
    found = mapping(result)
    answer = mapping(found.get("Ok", found))
    is_failed = "Err" in found or answer.get("isError") is True or answer.get("is_error") is True
    told = text(found.get("Err")) or text_of(answer.get("content"))
    return Outcome(told, time, is_failed, said_in(told))
