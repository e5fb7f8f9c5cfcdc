"""What a block says, as records: the fields of DOMAIN by name, everything else kept as attributes.

Levels, results, chains, shares and steps are read as the native format reads them. A value that cannot
be of its column's type stays as it is among the attributes, flagged `unknown_value`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

from ingest import native
from ingest.blocks.block import DIAGNOSIS, ERROR, GUARDRAIL, HANDOFF, METRICS, RECOVERY, REFUSAL, STATE, Block
from ingest.blocks.location import location_in
from ingest.records import ErrorEvent, Event, Record
from ingest.times import utc_time
from ingest.vendor.values import storable
from ingest.vocabulary import Vocabulary

STEP_STATUS = Vocabulary(("SUCCESS", "PARTIAL", "BLOCKED", "FAILED"))
STATE_STATUS = Vocabulary(("ON_TRACK", "BLOCKED", "RECOVERING", "PAUSED"))
_WHOLE = re.compile(r"\s*(\d{1,9})(?: *steps?)?\s*", re.IGNORECASE)
_TRUTHS = {"true": True, "yes": True, "false": False, "no": False}
_CHAIN_FIELD = re.compile(r"chain_[abc]")
_CONDITION = re.compile(r"(?:condition\s*)?#?([1-5])\b.*", re.IGNORECASE | re.DOTALL)
# Which word of a nested field is the field itself.
_MAIN = {
    "details": ("description", "message", "summary", "text"),
    "action": ("type", "name", "action"),
    "result": ("status", "result", "outcome"),
    "trigger": ("type", "name", "description"),
}
_TEXTS: dict[str, tuple[str, ...]] = {
    ERROR: (
        "level", "type", "error_code", "tool_error_class", "context_failure_class", "agent_error_code", "category",
        "phase", "agent", "details", "action", "result", "observed_at", "originated_at", "trigger", "root_cause",
        "location", "state_hash", "resource", "checked_state", "checked_by", "artifact_state", "exit_code",
    ),
    RECOVERY: ("trigger", "outcome", "for_event"),
    GUARDRAIL: (
        "level", "trigger", "agent", "action", "details", "recovery", "decision", "reason_code", "destination",
        "blast_radius", "reversibility", "alternative", "result",
    ),
    DIAGNOSIS: (
        "observed_at", "originated_at", "trigger", "root_cause", "context_failure_class", "fix_at", "prevention_layer",
        "prevention", "status", "author",
    ),
}  # fmt: skip
_CLAIMS = {RECOVERY: ("auto_executed",), ERROR: ("transient", "recoverable"), DIAGNOSIS: ("durable",)}
_COUNTS = {RECOVERY: ("duration",)}
_LISTS = {RECOVERY: ("artifacts",), GUARDRAIL: ("data_classes",)}


class _Reading:
    """A block on its way to a native object: columns taken by type, the rest kept."""

    def __init__(self, block: Block, occurred_at: datetime | None) -> None:
        self.block = block
        self.rest = dict(block.fields)
        self.flags = [*block.flags, *(("incomplete",) if block.is_cut else ())]
        self.occurred_at = self._time() or occurred_at

    def _time(self) -> datetime | None:
        said = self.rest.get("timestamp") or self.block.written_at
        time, flags = utc_time(said if isinstance(said, str | int | float) else None)
        self.flags += flags
        if time is not None:
            self.rest.pop("timestamp", None)
        return time

    def text(self, name: str) -> str | None:
        """A field as text; of a nested one its main word, the whole staying among the attributes."""
        value = self.rest.get(name)
        if isinstance(value, dict):
            words = (as_text(value[key]) for key in _MAIN.get(name, ()) if value.get(key) is not None)
            return next(words, as_text(value))
        self.rest.pop(name, None)
        return as_text(value)

    def claim(self, name: str) -> bool | None:
        """A field as true or false."""
        value = self.rest.get(name)
        if value is None:
            return None
        truth = value if isinstance(value, bool) else _TRUTHS.get(str(value).strip().lower())
        self._note_taken(name, is_read=truth is not None)
        return truth

    def count(self, name: str) -> int | None:
        """A field as a whole number."""
        value = self.rest.get(name)
        if value is None:
            return None
        match = _WHOLE.fullmatch(as_text(value) or "")
        number = int(match[1]) if match else None
        self._note_taken(name, is_read=number is not None)
        return number

    def texts(self, name: str) -> list[str] | None:
        """A field as a list of texts; a single one is a list of one."""
        if name not in self.rest:
            return None
        value = self.rest.pop(name)
        found = [as_text(item) for item in (value if isinstance(value, list) else [value])]
        return [item for item in found if item is not None]

    def _note_taken(self, name: str, *, is_read: bool) -> None:
        if is_read:
            self.rest.pop(name)
        else:
            self.flags.append("unknown_value")

    def records(self, kind: str, run_id: str, columns: dict[str, Any], event_id: str | None) -> tuple[Record, ...]:
        """The records of a native object with these columns."""
        given = {name: value for name, value in columns.items() if value is not None}
        native_object = {
            "record": kind,
            "run_id": run_id,
            **given,
            **({"occurred_at": self.occurred_at} if self.occurred_at else {}),
            **({"event_id": event_id} if event_id else {}),
            "attributes": storable(self.rest),
        }
        return native.records_of(native_object, dict.fromkeys(self.flags), run_id=run_id)


def as_text(value: Any) -> str | None:
    """The value as one text: a list joined, an object as JSON, nothing as None."""
    if isinstance(value, str):
        return value or None
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list) and not any(isinstance(item, dict | list) for item in value):
        return ", ".join(str(item) for item in value) or None
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def records_of(
    block: Block,
    run_id: str,
    *,
    occurred_at: datetime | None = None,
    event_id: str | None = None,
    phase: str | None = None,
) -> tuple[Record, ...]:
    """The records of a block; raises native.Invalid where it is none. `phase` is what the last state said."""
    reading = _Reading(block, occurred_at)
    if isinstance(reading.rest.get("id"), str | int):
        del reading.rest["id"]
    reader = _READERS.get(block.kind, _event)
    return reader(reading, run_id, event_id, phase)


def _columns(reading: _Reading) -> dict[str, Any]:
    kind, there = reading.block.kind, reading.rest
    columns: dict[str, Any] = {name: reading.text(name) for name in _TEXTS.get(kind, ()) if name in there}
    columns |= {name: reading.claim(name) for name in _CLAIMS.get(kind, ()) if name in there}
    columns |= {name: reading.count(name) for name in _COUNTS.get(kind, ()) if name in there}
    columns |= {name: reading.texts(name) for name in _LISTS.get(kind, ()) if name in there}
    return columns


def _failure(reading: _Reading, run_id: str, event_id: str | None, _phase: str | None) -> tuple[Record, ...]:
    columns = {**_columns(reading), "step": reading.text("step")}
    found = reading.records("error_event", run_id, columns, event_id)
    return tuple(_located(record) if isinstance(record, ErrorEvent) else record for record in found)


def _located(error: ErrorEvent) -> ErrorEvent:
    """The error with the place that its Details name, where it records none of its own."""
    place = location_in(error.details or "") if error.location is None else None
    if place is None:
        return error
    kept = {**error.attributes, "location_from": "details: the first path:line in it", "location_line": place.line}
    return error.model_copy(update={"location": place.path, "attributes": kept})


def _recovery(reading: _Reading, run_id: str, event_id: str | None, _phase: str | None) -> tuple[Record, ...]:
    columns = {**_columns(reading), "chain": reading.text("chain"), "confidence": reading.rest.pop("confidence", None)}
    steps = reading.rest.get("steps")
    if isinstance(steps, list):
        del reading.rest["steps"]
        columns["steps"] = [_step(step) for step in steps]
    elif steps is not None:
        reading.flags.append("unknown_value")
    return reading.records("recovery_event", run_id, columns, event_id)


def _step(step: Any) -> Any:
    if not isinstance(step, dict):
        return as_text(step)
    named = {str(key).strip().lower(): item for key, item in step.items()}
    number = _WHOLE.fullmatch(str(named.get("step")))
    for word in {"agent", "action", "result"} & named.keys():
        named[word] = as_text(named[word])
    return {**named, "step": int(number[1])} if number else named


def _guardrail(reading: _Reading, run_id: str, event_id: str | None, _phase: str | None) -> tuple[Record, ...]:
    columns = {**_columns(reading), "step": reading.text("step")}
    return reading.records("guardrail_event", run_id, columns, event_id)


def _diagnosis(reading: _Reading, run_id: str, event_id: str | None, _phase: str | None) -> tuple[Record, ...]:
    return reading.records("diagnosis", run_id, {**_columns(reading), "diagnosis_id": event_id}, None)


def _handoff(reading: _Reading, run_id: str, event_id: str | None, _phase: str | None) -> tuple[Record, ...]:
    refused = reading.block.kind == REFUSAL
    columns = {
        "from_agent": _first(reading, "from_agent", "from", "agent"),
        "to_agent": _first(reading, "to_agent", "to", "next", "suggested_next_agent"),
        "status": reading.text("status") or ("refused" if refused else None),
        "condition": _condition(reading),
        "bounce": _bounce(reading),
        "details": _first(reading, "missing_item", "missing", "details", "reason", "summary"),
    }
    return reading.records("handoff", run_id, columns, event_id)


def _first(reading: _Reading, *names: str) -> str | None:
    """The first of the fields that says something; the others stay among the attributes."""
    name = next((name for name in names if reading.rest.get(name) is not None), None)
    return as_text(reading.rest.pop(name)) if name else None


def _condition(reading: _Reading) -> str | None:
    """The number of the condition; words beside it stay among the attributes."""
    said = _first(reading, "condition", "condition_number")
    match = _CONDITION.fullmatch(said or "")
    if match and match[1] != said:
        reading.rest["condition"] = said
    return match[1] if match else said


def _bounce(reading: _Reading) -> int | None:
    said = as_text(reading.rest.get("bounce"))
    if said is not None and said.lower() in _TRUTHS:
        reading.rest["bounce"] = str(int(_TRUTHS[said.lower()]))
    return reading.count("bounce")


def _metrics(reading: _Reading, run_id: str, event_id: str | None, _phase: str | None) -> tuple[Record, ...]:
    """A row for each chain; the escalation rate is of all of them and stands in the first."""
    names = [name for name in reading.rest if _CHAIN_FIELD.fullmatch(name) and isinstance(reading.rest[name], dict)]
    chains: dict[str | None, dict[str, Any]] = {name: reading.rest.pop(name) for name in names}
    rate = reading.rest.pop("escalation_rate", None)
    found: tuple[Record, ...] = ()
    if not chains:
        chains[None] = {}
    for number, (name, said) in enumerate(chains.items()):
        columns = {**_chain_metrics(reading, said), "chain": name and name[-1].upper()}
        columns["escalation_rate"] = rate if number == 0 else None
        found += reading.records("reported_metrics", run_id, columns, event_id and f"{event_id}/{name}")
    return found


def _chain_metrics(reading: _Reading, said: dict[str, Any]) -> dict[str, Any]:
    attempts = _WHOLE.fullmatch(as_text(said.get("attempts")) or "")
    if not attempts and said.get("attempts") is not None:
        reading.flags.append("unknown_value")
    counted = {"attempts": int(attempts[1])} if attempts else {"reported_attempts": said.get("attempts")}
    return {**{key: item for key, item in said.items() if key != "attempts"}, **counted}


def _event(reading: _Reading, run_id: str, event_id: str | None, phase: str | None) -> tuple[Record, ...]:
    """A completed step or a state: its fields are the attributes, in lower case."""
    kind = reading.block.kind
    fields = {**reading.rest, **{key: as_text(reading.rest[key]) for key in ("next",) if key in reading.rest}}
    status = as_text(fields.get("status"))
    known = STATE_STATUS if kind == STATE else STEP_STATUS
    if status is not None:
        fields["status"] = known.matched(status) or status
        reading.flags += [] if known.matched(status) else ["unknown_value"]
    columns, flags = native.step_of(as_text(fields.get("step")))
    said = as_text(fields.get("phase"))
    if said is None and phase is not None and kind != STATE:
        fields["phase_from"] = "the last _NEXUS_STATE before it"
    return (
        Event(
            run_id=run_id,
            event_id=event_id,
            occurred_at=reading.occurred_at,
            kind=kind,
            name=as_text(fields.get("status")) or as_text(fields.get("task")),
            phase=said or (None if kind == STATE else phase),
            agent=as_text(fields.get("agent")),
            step_index=columns.get("step_index"),
            summary=_summary(fields),
            attributes=storable(fields),
            flags=tuple(dict.fromkeys((*reading.flags, *flags))),
        ),
    )


def _summary(fields: dict[str, Any]) -> str | None:
    told = (as_text(fields.get(key)) for key in ("task", "phase", "status", "next", "reason"))
    return " · ".join(word for word in told if word) or None


_READERS: dict[str, Callable[[_Reading, str, str | None, str | None], tuple[Record, ...]]] = {
    ERROR: _failure,
    RECOVERY: _recovery,
    GUARDRAIL: _guardrail,
    DIAGNOSIS: _diagnosis,
    HANDOFF: _handoff,
    REFUSAL: _handoff,
    METRICS: _metrics,
}
