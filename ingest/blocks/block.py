"""What an event block is, before anything is made of it: its kind, place and fields."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

ERROR, RECOVERY, GUARDRAIL = "error_event", "recovery_event", "guardrail_event"
STEP_COMPLETE, STATE = "step_complete", "nexus_state"
HANDOFF, REFUSAL = "handoff", "handoff_refused"
METRICS, DIAGNOSIS = "reported_metrics", "diagnosis"

KIND_OF_NAME = {
    "_error_event": ERROR,
    "_recovery_event": RECOVERY,
    "_guardrail_event": GUARDRAIL,
    "_step_complete": STEP_COMPLETE,
    "_nexus_state": STATE,
    "nexus_handoff": HANDOFF,
    "_nexus_handoff": HANDOFF,
    "handoff_refused": REFUSAL,
    "_handoff_refused": REFUSAL,
    "recovery_metrics": METRICS,
    "_recovery_metrics": METRICS,
}
NAMES = "|".join(sorted(KIND_OF_NAME, key=len, reverse=True))
DIAGNOSIS_FIELDS = frozenset(
    {
        "observed_at", "originated_at", "trigger", "root_cause", "context_failure_class", "fix_at", "prevention_layer",
        "prevention", "durable", "status", "author",
    }
)  # fmt: skip
# What a block of the kind may say; an unindented body goes on for as long as its lines begin with one of these.
FIELDS: dict[str, frozenset[str]] = {
    ERROR: frozenset(
        {
            "level", "type", "step", "agent", "details", "action", "result", "phase", "location", "error_code",
            "observed_at", "originated_at", "trigger", "root_cause", "tool_error_class", "context_failure_class",
            "resource", "exit_code", "timestamp", "id", "branch",
        }
    ),
    RECOVERY: frozenset(
        {
            "chain", "trigger", "confidence", "auto_executed", "steps", "outcome", "duration", "artifacts", "for_event",
            "timestamp", "id",
        }
    ),
    GUARDRAIL: frozenset(
        {
            "id", "timestamp", "level", "trigger", "step", "branch", "agent", "details", "action", "result", "recovery",
            "decision", "reason_code", "destination", "data_classes", "blast_radius", "reversibility", "alternative",
        }
    ),
    STEP_COMPLETE: frozenset(
        {"agent", "status", "output", "next", "reason", "task_type", "handoff", "artifacts", "phase", "step"}
    ),
    STATE: frozenset(
        {"task", "type", "mode", "phase", "chain", "step", "status", "guardrail", "acceptance", "agent", "timestamp"}
    ),
    HANDOFF: frozenset(
        {"from", "to", "next", "step", "agent", "summary", "status", "artifacts", "risks", "next_action", "condition"}
    ),
    REFUSAL: frozenset({"from", "to", "next", "agent", "condition", "missing", "missing_item", "bounce", "reason"}),
    METRICS: frozenset({"chain_a", "chain_b", "chain_c", "escalation_rate"}),
    DIAGNOSIS: DIAGNOSIS_FIELDS,
}  # fmt: skip
# The field that a whole block of the kind ends with, or nearly; a block at the end of its text without it is cut.
CLOSING = {
    ERROR: "result",
    RECOVERY: "outcome",
    GUARDRAIL: "action",
    STEP_COMPLETE: "next",
    DIAGNOSIS: "originated_at",
}  # fmt: skip
_NOT_IN_A_NAME = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Block:
    """One block: `line` counts from 1 in its text, `fields` has lower-case keys, `raw` is how it stands there."""

    kind: str
    line: int
    fields: dict[str, Any]
    raw: str = ""
    flags: tuple[str, ...] = ()
    is_template: bool = False
    is_cut: bool = False
    written_at: Any = field(default=None, compare=False)


def field_name(key: Any) -> str:
    """The key in lower case with underscores, however it is spelled."""
    name = str(key)
    return _remembered_name(name) if len(name) <= _LONGEST_REMEMBERED else _field_name(name)


def _field_name(key: str) -> str:
    return _NOT_IN_A_NAME.sub("_", key.lower()).strip("_")


_LONGEST_REMEMBERED = 80
_remembered_name = lru_cache(maxsize=2_048)(_field_name)


def named_fields(value: dict[Any, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The fields by name, the first where one stands twice."""
    fields: dict[str, Any] = {}
    flags: tuple[str, ...] = ()
    for key, item in value.items():
        name = field_name(key)
        if name in fields:
            flags = ("duplicate_key",)
        else:
            fields[name] = item
    return fields, flags
