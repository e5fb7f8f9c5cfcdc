"""The events of an Inspect sample as records: spans, calls, errors, limits, approvals; the rest as events."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ingest.records import ContextOp, Event, GuardrailEvent, Record, Span
from ingest.vendor.failure import duration_checked, failure
from ingest.vendor.inspect_tools import tool_error_class
from ingest.vendor.values import Notes, given_digest, mapping, sequence, storable, text, words

EVENTS = frozenset(
    {
        "sample_init", "sample_limit", "sandbox", "state", "store", "model", "tool", "approval", "compaction", "input",
        "score", "score_edit", "error", "logger", "info", "span_begin", "span_end", "step", "subtask", "interrupt",
        "checkpoint", "branch",
    }
)  # fmt: skip
# The request as the provider got it repeats the messages; the log itself keeps it.
_LEFT_IN_THE_LOG = frozenset({"call", "events", "pending"})
_TAKEN = frozenset({"event", "timestamp", "completed", "id", "span_id", "parent_id", *_LEFT_IN_THE_LOG})


@dataclass(slots=True)
class Reading:
    """One sample's events on their way: spans that have begun, and the old steps, which have no ids."""

    run_id: str
    begun: dict[str, Span] = field(default_factory=dict)
    steps: list[str] = field(default_factory=list)
    counted: int = 0

    def next_id(self, kind: str) -> str:
        """An id for what has none: its kind and the how-many-th it is."""
        self.counted += 1
        return f"{kind}-{self.counted}"

    def unfinished(self) -> Iterator[Span]:
        """The spans that never ended."""
        yield from (span.model_copy(update={"status": "open"}) for span in self.begun.values())


@dataclass(frozen=True, slots=True)
class _At:
    """One event, with what all kinds of events have."""

    event: dict[str, Any]
    reading: Reading
    index: int
    notes: Notes

    @property
    def run_id(self) -> str:
        return self.reading.run_id

    @property
    def parent(self) -> str | None:
        """The span it happened in: the recorded one, else the innermost step."""
        recorded = text(self.event.get("span_id"))
        return recorded or (self.reading.steps[-1] if self.reading.steps else None)

    @property
    def event_id(self) -> str:
        return text(self.event.get("uuid")) or f"event-{self.index}"

    def attributes(self, *also_taken: str) -> dict[str, Any]:
        return self.notes.attributes(self.event, _TAKEN | set(also_taken))


def event_records(event: dict[str, Any], reading: Reading, index: int) -> tuple[Record, ...]:
    """The records of one event."""
    at = _At(event, reading, index, Notes())
    kind = str(event.get("event"))
    return tuple(_READERS.get(kind, _other)(at))


def _span_begin(at: _At) -> Iterator[Record]:
    parent = text(at.event.get("parent_id"))
    own = str(at.event.get("id"))
    kind, name = text(at.event.get("type")), text(at.event.get("name"))
    at.reading.begun[own] = Span(
        run_id=at.run_id,
        span_id=own,
        parent_span_id=None if parent == own else parent,
        kind=kind or "span",
        name=name,
        agent=name if kind == "agent" else None,
        started_at=at.notes.time("timestamp", at.event.get("timestamp")),
        attributes=at.attributes("type", "name"),
        flags=at.notes.all(),
    )
    yield from ()


def _span_end(at: _At) -> Iterator[Record]:
    begun = at.reading.begun.pop(str(at.event.get("id")), None)
    if begun is None:
        yield from _other(at)
    else:
        yield _ended(begun, at)


def _ended(begun: Span, at: _At) -> Span:
    """Inspect says when a span ended, not how: its status is unset."""
    _, ended_at = duration_checked(at.notes, begun.started_at, at.notes.time("timestamp", at.event.get("timestamp")))
    flags = (*begun.flags, *at.notes.all())
    return begun.model_copy(update={"ended_at": ended_at, "status": "unset", "flags": flags})


def _step(at: _At) -> Iterator[Record]:
    """The steps of older logs: begin and end without ids, nested."""
    if at.event.get("action") == "begin":
        own = at.reading.next_id("step")
        parent = at.parent
        at.reading.steps.append(own)
        at.reading.begun[own] = Span(
            run_id=at.run_id,
            span_id=own,
            parent_span_id=parent,
            kind=text(at.event.get("type")) or "step",
            name=text(at.event.get("name")),
            started_at=at.notes.time("timestamp", at.event.get("timestamp")),
            flags=at.notes.all(),
        )
    elif at.reading.steps and (begun := at.reading.begun.pop(at.reading.steps.pop(), None)):
        yield _ended(begun, at)


def _subtask(at: _At) -> Iterator[Record]:
    own = at.reading.next_id("subtask")
    yield _call_span(at, own, kind="subtask", name=text(at.event.get("name")))
    yield from _nested(at, own)


def _nested(at: _At, parent: str) -> Iterator[Record]:
    """Older logs keep the events of a call inside it."""
    inner = Reading(at.run_id, at.reading.begun, [*at.reading.steps, parent], at.reading.counted)
    for number, event in enumerate(sequence(at.event.get("events"))):
        if isinstance(event, dict):
            yield from event_records(event, inner, at.index * 10_000 + number)
    at.reading.counted = inner.counted


def _call_span(at: _At, own: str, *, kind: str, name: str | None, given: Any = None, **more: Any) -> Span:
    started_at, ended_at = duration_checked(
        at.notes,
        at.notes.time("timestamp", at.event.get("timestamp")),
        at.notes.time("completed", at.event.get("completed")),
    )
    failed = bool(at.event.get("error")) or at.event.get("failed") is True
    waiting = at.event.get("pending") is True and ended_at is None
    return Span(
        run_id=at.run_id,
        span_id=own,
        parent_span_id=at.parent,
        kind=kind,
        name=name,
        started_at=started_at,
        ended_at=ended_at,
        status="error" if failed else "open" if waiting else "ok",
        attributes={**at.attributes(), **given_digest(given)},
        flags=at.notes.all(),
        **more,
    )


def _tool(at: _At) -> Iterator[Record]:
    function = text(at.event.get("function"))
    own = text(at.event.get("id")) or at.reading.next_id("tool")
    span = _call_span(
        at,
        own,
        kind="tool",
        name=function,
        tool=function,
        agent=text(at.event.get("agent")),
        given=at.event.get("arguments"),
    )
    yield span
    error = mapping(at.event.get("error"))
    if span.status == "error":
        kind = text(error.get("type"))
        message = error.get("message") or at.event.get("result")
        given = at.event.get("arguments")
        yield failure(span, message, code=kind, given=given, tool_error_class=tool_error_class(kind))
    yield from _nested(at, own)


def _model(at: _At) -> Iterator[Record]:
    output = mapping(at.event.get("output"))
    usage = mapping(output.get("usage"))
    span = _call_span(
        at,
        at.event_id if at.event.get("uuid") else at.reading.next_id("model"),
        kind="llm",
        name=text(at.event.get("model")),
        given=at.event.get("input"),
        model=text(output.get("model")) or text(at.event.get("model")),
        input_tokens=at.notes.count("input_tokens", usage.get("input_tokens")),
        output_tokens=at.notes.count("output_tokens", usage.get("output_tokens")),
    )
    yield span
    if at.event.get("error"):
        yield failure(span, at.event["error"], given=at.event.get("input"))
    if at.event.get("retries"):
        yield _event(
            at, "retry", f"{span.span_id}/retries", summary=f"{at.event['retries']} retries", span_id=span.span_id
        )


def _error(at: _At) -> Iterator[Record]:
    """An error that no call has: it belongs to the span it happened in."""
    error = mapping(at.event.get("error"))
    place = Span(
        run_id=at.run_id,
        span_id=at.parent or "sample",
        name=at.parent,
        started_at=at.notes.time("timestamp", at.event.get("timestamp")),
    )
    found = failure(place, error.get("message") or error.get("traceback") or "", attributes=storable(error))
    yield found.model_copy(update={"event_id": at.event_id, "span_id": at.parent, "location": None})


def _sample_limit(at: _At) -> Iterator[Record]:
    """A limit that stopped the sample; the kind of limit is named."""
    yield _guardrail(
        at,
        trigger=f"{at.event.get('type')} limit",
        decision="limit",
        reason_code="budget_exhausted",
        details=text(at.event.get("message")),
    )


def _approval(at: _At) -> Iterator[Record]:
    """Somebody decided about a call: approve, modify, reject, escalate or terminate, as recorded."""
    call = mapping(at.event.get("call"))
    yield _guardrail(
        at,
        trigger=f"approval of {call.get('function')}" if call.get("function") else "approval",
        agent=text(at.event.get("approver")),
        decision=text(at.event.get("decision")),
        details=text(at.event.get("explanation")) or text(at.event.get("message")),
    )


def _guardrail(at: _At, **columns: str | None) -> GuardrailEvent:
    return GuardrailEvent(
        run_id=at.run_id,
        event_id=at.event_id,
        occurred_at=at.notes.time("timestamp", at.event.get("timestamp")),
        attributes=storable({**at.attributes(), **({"span_id": at.parent} if at.parent else {})}),
        flags=at.notes.all(),
        **columns,
    )


def _context_op(at: _At) -> Iterator[Record]:
    yield ContextOp(
        run_id=at.run_id,
        event_id=at.event_id,
        occurred_at=at.notes.time("timestamp", at.event.get("timestamp")),
        op=str(at.event["event"]),
        details=words(at.event.get("type") or at.event.get("source")),
        attributes=at.attributes(),
        flags=at.notes.all(),
    )


def _other(at: _At) -> Iterator[Record]:
    yield _event(at, str(at.event.get("event")), at.event_id, summary=_summary(at.event), span_id=at.parent)


def _event(at: _At, kind: str, event_id: str, *, summary: str | None, span_id: str | None) -> Event:
    """The event; the request of a model is not repeated with its retries, nor the state with its beginning."""
    plain = kind not in {"retry", "sample_init"}
    return Event(
        run_id=at.run_id,
        event_id=event_id,
        occurred_at=at.notes.time("timestamp", at.event.get("timestamp")),
        span_id=span_id,
        kind="score_event" if kind == "score" else kind,
        name=text(at.event.get("name")) or text(at.event.get("scorer")),
        summary=summary,
        attributes=at.attributes() if plain else {},
        flags=at.notes.all(),
    )


def _summary(event: dict[str, Any]) -> str | None:
    if "changes" in event:
        return f"{len(sequence(event['changes']))} changes"
    if "score" in event:
        return words(mapping(event["score"]).get("value"))
    return words(event.get("message") or event.get("data") or event.get("source") or event.get("input"))


_READERS: dict[str, Callable[[_At], Iterator[Record]]] = {
    "span_begin": _span_begin,
    "span_end": _span_end,
    "step": _step,
    "subtask": _subtask,
    "tool": _tool,
    "model": _model,
    "error": _error,
    "sample_limit": _sample_limit,
    "approval": _approval,
    "compaction": _context_op,
    "checkpoint": _context_op,
}
