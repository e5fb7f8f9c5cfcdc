"""Guardrails that said no and work that changed hands: no convention names them, so a rule does.

Neither table has a column for basis and rule; both stand in the attributes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ingest.otel.meaning import agent_of, kind_of, tool_of
from ingest.otel.span import OtelSpan, SpanEvent
from ingest.otel.values import as_text, first_of, text_of
from ingest.records import GuardrailEvent, Handoff

_TRIGGERED = ("guardrail.triggered", "guardrail.blocked", "guardrail.tripwire_triggered", "gen_ai.guardrail.triggered")
_DECISION = ("guardrail.decision", "guardrail.action", "gen_ai.guardrail.decision")
_BLOCKED = re.compile(r"^\W*(?:blocked|denied|rejected|refused|deny|block|reject)\b", re.IGNORECASE)
HANDOFF_EVENTS = frozenset({"handoff", "hand_off", "escalation", "escalate", "human_handoff", "human_escalation"})
# Only the words are of either case: to look for the arrow in either takes a hundred times as long to compile.
_CHANGES_HANDS = re.compile(
    r"(?i:hand[ _-]?off|transfer|escalate|escalation)(?:[: ]+(?i:from )?(?P<giver>[^→]+?))?"
    r"(?:[ _](?i:to)[ _]| ?(?:→|->) ?)(?P<taker>.+)"
)
_TAKERS = ("escalation.target", "handoff.to", "handoff.to_agent", "gen_ai.handoff.to_agent", "to_agent", "target")
_GIVERS = ("handoff.from", "handoff.from_agent", "gen_ai.handoff.from_agent", "from_agent")
_REASONS = ("escalation.reason", "handoff.reason", "reason")


def guardrail_of(span: OtelSpan, run_id: str) -> GuardrailEvent | None:
    """The guardrail that a span ran, with its decision where it records one."""
    if kind_of(span) != "guardrail":
        return None
    details = text_of(span.attributes, "output.value") or span.status_message
    decision = _decision(span, details)
    rule = "guardrail_span: a span of kind guardrail ran this check"
    return GuardrailEvent(
        run_id=run_id,
        event_id=f"{span.span_id}/guardrail",
        occurred_at=span.end or span.start,
        trigger=span.name,
        agent=agent_of(span),
        details=details,
        decision=decision,
        attributes={"basis": "derived", "rule": rule, "span_id": span.span_id},
    )


def _decision(span: OtelSpan, details: str | None) -> str | None:
    recorded = text_of(span.attributes, *_DECISION)
    if recorded:
        return "deny" if _BLOCKED.match(recorded) else recorded
    triggered = first_of(span.attributes, _TRIGGERED)
    if triggered is not None:
        return "deny" if as_text(triggered) in {"true", "True", "1"} else "allow"
    if span.status_code == "error" or (details and _BLOCKED.match(details)):
        return "deny"
    return None


def handoffs_of(span: OtelSpan, run_id: str) -> Iterator[Handoff]:
    """The handovers that the span's name, its tool or its events name."""
    for name in (tool_of(span), span.name):
        if name and (match := _CHANGES_HANDS.fullmatch(name.strip())):
            rule = f"handoff_by_name: the name {name[:80]!r} says that work changed hands"
            yield _handoff(span, run_id, "handoff", _named(span.attributes, match.groupdict()), at=span.end, rule=rule)
            break
    for index, event in enumerate(span.events):
        if event.name and event.name.casefold() in HANDOFF_EVENTS:
            rule = f"handoff_by_event: the span event {event.name!r} says that work changed hands"
            yield _handoff(
                span, run_id, f"handoff/{index}", _named(event.attributes, {}), at=_when(event, span), rule=rule
            )


def _when(event: SpanEvent, span: OtelSpan) -> Any:
    return event.at or span.end or span.start


def _named(attributes: Mapping[str, Any], in_name: Mapping[str, str | None]) -> dict[str, str | None]:
    return {
        "from_agent": text_of(attributes, *_GIVERS) or in_name.get("giver"),
        "to_agent": text_of(attributes, *_TAKERS) or in_name.get("taker"),
        "condition": text_of(attributes, *_REASONS),
    }


def _handoff(span: OtelSpan, run_id: str, part: str, named: dict[str, str | None], *, at: Any, rule: str) -> Handoff:
    return Handoff(
        run_id=run_id,
        event_id=f"{span.span_id}/{part}",
        occurred_at=at or span.start,
        from_agent=named["from_agent"] or agent_of(span),
        to_agent=named["to_agent"],
        condition=named["condition"],
        attributes={"basis": "derived", "rule": rule, "span_id": span.span_id},
    )
