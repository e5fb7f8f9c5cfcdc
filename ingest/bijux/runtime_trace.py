"""Runs from trace JSON: the same events as in the store, without the run's id and its plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from ingest.adapter import Item, Place, Rejected
from ingest.bijux.runtime_records import units
from ingest.bijux.runtime_run import RuntimeEvent, RuntimeRun
from ingest.derive.runtime_outcome import EventFact

_HEADER = frozenset({"flow_id", "tenant_id", "plan_hash", "finalized", "events"})
_EVENT_COLUMNS = frozenset({"event_index", "step_index", "event_type", "payload", "payload_hash"})


def is_trace(value: Any) -> bool:
    """An object with a runtime trace's header and its list of events."""
    return isinstance(value, dict) and value.keys() >= _HEADER and isinstance(value["events"], list)


def items(
    trace: dict[str, Any], place: Place, found_at: str, run_id: str | None = None, flags: Sequence[str] = ()
) -> Iterator[Item]:
    """The header's unit, then one for every event; an event that cannot be read is rejected alone."""
    read = [_event(value) for value in trace["events"]]
    events = _distinct([event for event in read if isinstance(event, RuntimeEvent)])
    run = RuntimeRun(
        tenant=_text(trace["tenant_id"]),
        flow=_text(trace["flow_id"]),
        events=tuple(events),
        finalized=trace["finalized"] is True,
        recorded_id=run_id,
        fallback_id=found_at,
        plan_hash=_text(trace["plan_hash"]),
        non_certifiable=trace.get("non_certifiable") is True,
        kept={key: value for key, value in trace.items() if key not in _HEADER} | {"plan_hash": trace["plan_hash"]},
        flags=tuple(flags),
    )
    yield from units(run, place, {})
    for fault, value in zip(read, trace["events"], strict=True):
        if isinstance(fault, str):
            yield Rejected(place, "event_shape", fault, str(value))


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _event(value: Any) -> RuntimeEvent | str:
    """The event, or what is wrong with it."""
    if not isinstance(value, dict):
        return f"an event is an object, this is {type(value).__name__}"
    index, step, event_type = value.get("event_index"), value.get("step_index"), value.get("event_type")
    if not isinstance(event_type, str):
        return "the event has no event_type"
    if not _is_whole(index):
        return "the event has no whole number as event_index"
    payload = value.get("payload")
    readable = payload if isinstance(payload, dict) else {}
    return RuntimeEvent(
        event_id=str(index),
        fact=EventFact(index, event_type, step if _is_whole(step) else None, readable),
        payload_hash=_text(value.get("payload_hash")),
        kept=_kept(value),
        flags=() if isinstance(payload, dict) else ("payload_unreadable",),
    )


def _kept(value: dict[str, Any]) -> dict[str, Any]:
    """The columns that a store has too; the trace's own format version stands on the run."""
    return {key: kept for key, kept in value.items() if key not in _EVENT_COLUMNS and key != "spec_version"}


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _distinct(events: list[RuntimeEvent]) -> list[RuntimeEvent]:
    """Indexes that restart or overlap stay apart: the second event of an index gets an id of its own and a flag."""
    seen: Counter[str] = Counter()
    distinct = []
    for event in events:
        seen[event.event_id] += 1
        if seen[event.event_id] == 1:
            distinct.append(event)
            continue
        again = f"{event.event_id}#{seen[event.event_id]}"
        flags = (*event.flags, "repeated_event_index")
        distinct.append(RuntimeEvent(again, event.fact, event.payload_hash, event.kept, flags))
    return distinct
