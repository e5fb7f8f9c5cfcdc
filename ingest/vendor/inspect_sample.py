"""An Inspect sample as a run: its outcome, scores, retries, and its events or, without those, its messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ingest.adapter import Item, Parsed, Place, Rejected
from ingest.records import ErrorEvent, Event, Record, RecoveryEvent, Run, RunStatus, Span, run_key
from ingest.vendor.error_text import exception_class, said
from ingest.vendor.failure import failure
from ingest.vendor.inspect_attachments import resolved
from ingest.vendor.inspect_events import Reading, event_records
from ingest.vendor.inspect_outcome import outcome
from ingest.vendor.inspect_tools import tool_error_class
from ingest.vendor.parsed import parsed
from ingest.vendor.span_runs import SpanRuns
from ingest.vendor.values import Notes, mapping, sequence, storable, text, words

SOURCE = "inspect"
_TAKEN = frozenset({"events", "messages", "attachments", "scores", "input", "error_retries"})
_RETRIED = "inspect_error_retries: the sample was run again after this error"


@dataclass(frozen=True, slots=True)
class Log:
    """What the head of a log says of all its samples."""

    evaluation: dict[str, Any]
    status: str | None
    stats: dict[str, Any]
    error: dict[str, Any]
    rest: dict[str, Any]
    is_transcript: bool = False

    @classmethod
    def of(cls, value: dict[str, Any], *, is_transcript: bool = False) -> Log:
        """The head of a log, from its header or its journal."""
        taken = {"eval", "status", "stats", "error", "samples", "plan", "reductions"}
        rest = {key: item for key, item in value.items() if key not in taken}
        error, stats = mapping(value.get("error")), mapping(value.get("stats"))
        return cls(mapping(value.get("eval")), text(value.get("status")), stats, error, rest, is_transcript)

    @property
    def native_id(self) -> str:
        """One evaluation: its own id, else the run's with the task's, as a run may hold several tasks."""
        named = text(self.evaluation.get("eval_id"))
        parts = (text(self.evaluation.get("run_id")), text(self.evaluation.get("task_id")))
        return named or "/".join(part for part in parts if part) or "log"

    @property
    def facts(self) -> dict[str, Any]:
        """What is kept of the evaluation on each of its runs."""
        wanted = ("run_id", "eval_id", "task", "model", "created", "tags", "metadata")
        return {key: self.evaluation[key] for key in wanted if self.evaluation.get(key)}


def log_items(log: Log, place: Place, flags: Iterable[str]) -> Iterator[Item]:
    """A log without samples is one run, of which only the head is known."""
    notes = Notes()
    notes.add(*flags)
    status, reason = outcome({}, log.status, log.error)
    run = Run(
        run_id=run_key(SOURCE, log.native_id),
        event_id="log",
        source=SOURCE,
        native_id=log.native_id,
        workload=text(log.evaluation.get("task")),
        name=text(log.evaluation.get("task")),
        status=status,
        status_reason=reason,
        started_at=notes.time("started_at", log.stats.get("started_at") or log.evaluation.get("created")),
        ended_at=notes.time("completed_at", log.stats.get("completed_at")),
        session_id=text(log.evaluation.get("run_id")),
        attributes=notes.attributes({**log.rest, "eval": log.evaluation, "stats": log.stats}),
        flags=notes.all(),
    )
    yield Parsed(place, (run,))


def sample_items(sample: dict[str, Any], log: Log, place: Place, flags: Iterable[str]) -> Iterator[Item]:
    """The run that a sample is, and everything that happened in it."""
    sample = resolved(sample)
    native_id = log.native_id if log.is_transcript else f"{log.native_id}/{sample['id']}_epoch_{sample.get('epoch', 1)}"
    run_id = run_key(SOURCE, native_id)
    events = [event for event in sequence(sample.get("events")) if isinstance(event, dict)]
    yield parsed(place, "", _run, sample, log, native_id, events, flags)
    if events:
        yield Parsed(place, SpanRuns().of(run_id))
    yield from (Parsed(place, (score,)) for score in _scores(sample, run_id, flags))
    yield from (Parsed(place, pair) for pair in _retries(sample, run_id))
    reading = Reading(run_id)
    for index, event in enumerate(sequence(sample.get("events"))):
        if isinstance(event, dict):
            item = parsed(place, str(event)[:2_000], event_records, event, reading, index)
            # The beginning of a span says nothing that its end will not say again.
            if not (isinstance(item, Parsed) and not item.records):
                yield item
        else:
            yield Rejected(place, "not_an_object", f"event {index} of sample {sample.get('id')} is no object")
    yield from (Parsed(place, (span,)) for span in reading.unfinished())
    if not events:
        yield from (Parsed(place, records) for records in _messages(sample, run_id))
    if (error := _error(sample, run_id, events)) is not None:
        yield Parsed(place, (error,))


def _run(
    sample: dict[str, Any], log: Log, native_id: str, events: list[dict[str, Any]], flags: Iterable[str]
) -> tuple[Record, ...]:
    notes = Notes()
    notes.add(*flags)
    status: RunStatus
    status, reason = (
        ("unknown", "a transcript without its log") if log.is_transcript else outcome(sample, log.status, {})
    )
    limit = mapping(sample.get("limit"))
    name = words(_question(sample.get("input"))) or text(log.evaluation.get("task"))
    run = Run(
        run_id=run_key(SOURCE, native_id),
        event_id="sample",
        source=SOURCE,
        native_id=native_id,
        identity="derived" if log.is_transcript else "recorded",
        workload=text(log.evaluation.get("task")),
        name=name,
        status=status,
        status_reason=reason,
        stop_reason=f"{limit['type']} limit" if limit.get("type") else None,
        started_at=_first_time(events) or notes.time("created", log.evaluation.get("created")),
        ended_at=_last_time(events) or notes.time("completed_at", sample.get("completed_at")),
        session_id=None if log.is_transcript else text(log.evaluation.get("run_id")),
        attributes=notes.attributes({**log.facts, **{k: v for k, v in sample.items() if k not in _TAKEN}}),
        flags=notes.all(),
    )
    return (run,)


def _question(value: Any) -> Any:
    """The text of the input: itself, or the last message that the user wrote."""
    asked = [mapping(message).get("content") for message in sequence(value) if mapping(message).get("role") == "user"]
    return asked[-1] if asked else value


def _first_time(events: list[dict[str, Any]]) -> datetime | None:
    return min(_times(events, "timestamp"), default=None)


def _last_time(events: list[dict[str, Any]]) -> datetime | None:
    return max((*_times(events, "timestamp"), *_times(events, "completed")), default=None)


def _times(events: list[dict[str, Any]], key: str) -> list[datetime]:
    notes = Notes()
    return [found for event in events if (found := notes.time(key, event.get(key)))]


def _scores(sample: dict[str, Any], run_id: str, flags: Iterable[str]) -> Iterator[Event]:
    scores = mapping(sample.get("scores")) or ({"score": sample["score"]} if sample.get("score") else {})
    lost = ("nan",) if "nan" in flags else ()
    for name, score in scores.items():
        judged = mapping(score) or {"value": score}
        value = judged.get("value")
        shown = "not a number" if value is None and lost else text(value)
        yield Event(
            run_id=run_id,
            event_id=f"score:{name}",
            kind="score",
            name=name,
            summary=f"{name}: {shown}" if shown else name,
            attributes=storable(judged),
            flags=lost if value is None else (),
        )


def _retries(sample: dict[str, Any], run_id: str) -> Iterator[tuple[Record, ...]]:
    """Every error after which the sample was run again, and the derived attempt that followed."""
    errors = sequence(sample.get("error_retries"))
    for number, value in enumerate(errors, start=1):
        error = _sample_error(mapping(value), run_id, f"retry-{number}", sample)
        last = number == len(errors)
        recovered = "RECOVERED" if last and not sample.get("error") else None
        yield (
            error,
            RecoveryEvent(
                run_id=run_id,
                event_id=f"retry-{number}/recovery",
                trigger=error.details,
                for_event=error.event_id,
                outcome=recovered,
                basis="derived",
                rule=_RETRIED,
            ),
        )


def _sample_error(value: dict[str, Any], run_id: str, event_id: str, sample: dict[str, Any]) -> ErrorEvent:
    message = text(value.get("message")) or text(value.get("traceback")) or ""
    code = exception_class(message) or exception_class(text(value.get("traceback")) or "")
    return ErrorEvent(
        run_id=run_id,
        event_id=event_id,
        type=code,
        error_code=code,
        details=said(message) or None,
        location=f"sample {sample.get('id')}",
        attributes=storable({key: item for key, item in value.items() if key != "traceback_ansi"}),
    )


def _error(sample: dict[str, Any], run_id: str, events: list[dict[str, Any]]) -> ErrorEvent | None:
    """The error that ended the sample, unless an event of it says the same."""
    error = mapping(sample.get("error"))
    if not error or any(mapping(event.get("error")).get("message") == error.get("message") for event in events):
        return None
    return _sample_error(error, run_id, "sample-error", sample)


def _messages(sample: dict[str, Any], run_id: str) -> Iterator[tuple[Record, ...]]:
    """The messages of a sample whose events were not logged: tool answers as calls, all others as events."""
    for index, value in enumerate(sequence(sample.get("messages"))):
        message = mapping(value)
        if message.get("role") == "tool":
            yield _tool_message(message, run_id, index)
        elif message:
            yield (
                Event(
                    run_id=run_id,
                    event_id=f"message-{index}",
                    recorded_seq=2 * index,
                    kind="message",
                    name=text(message.get("role")),
                    step_index=index,
                    summary=words(message.get("content")),
                    attributes=storable(message),
                ),
            )


def _tool_message(message: dict[str, Any], run_id: str, index: int) -> tuple[Record, ...]:
    error, function = mapping(message.get("error")), text(message.get("function"))
    span = Span(
        run_id=run_id,
        span_id=text(message.get("tool_call_id")) or f"message-{index}",
        recorded_seq=2 * index,
        kind="tool",
        name=function,
        tool=function,
        step_index=index,
        status="error" if error else "ok",
        attributes=storable(message),
    )
    if not error:
        return (span,)
    kind = text(error.get("type"))
    return span, failure(
        span, error.get("message"), code=kind, tool_error_class=tool_error_class(kind), seq=2 * index + 1
    )
