"""A row of any file as records, by its mapping: a step with its error, or an event."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from ingest.mapping import MappingFile, found
from ingest.records import ErrorEvent, Event, Record, Run, RunStatus, Span, run_key
from ingest.vendor.failure import duration_checked, failure
from ingest.vendor.span_runs import SpanRuns
from ingest.vendor.values import Notes, storable, text, words
from ingest.vocabulary import RUN_STATUS, SEVERITY_LEVEL

SOURCE = "mapped"
_NO_ERROR = frozenset({"", "false", "null", "none", "0", "[]", "{}", "nan"})
_ERROR_LEVELS = frozenset({"error", "fatal", "critical", "err"})
_RUN_FIELDS = ("session", "workload", "tenant", "run_name", "run_status")
_RUN_WORDS: dict[str, RunStatus] = {"ok": "succeeded", "error": "failed", "open": "running"}


class NoRun(ValueError):
    """The row does not say which run it belongs to, and its mapping wants it to."""


class Row:
    """One row and its mapping."""

    def __init__(self, value: dict[str, Any], mapping: MappingFile, below: str, line: int | None) -> None:
        self.value = value
        self.mapping = mapping
        self.notes = Notes()
        self.line = line
        self.native_id, self.is_recorded = self._run_id(below)
        self.run_id = run_key(SOURCE, self.native_id)

    def _run_id(self, below: str) -> tuple[str, bool]:
        """The row's run; in a mapping without a run the file is the run."""
        if self.mapping.fields.run is None:
            return below, False
        recorded = text(self.of("run"))
        if recorded is None:
            raise NoRun(f"the row has no `{self.mapping.fields.run}`, which is its run")
        return recorded, True

    def of(self, field: str) -> Any:
        """The value of a field; None where the mapping or the row has none."""
        key = getattr(self.mapping.fields, field)
        return None if key is None else found(self.value, key)

    def text(self, field: str) -> str | None:
        """The value of a field as text."""
        return text(self.of(field))

    def rest(self) -> dict[str, Any]:
        """What no field took, with a number or time that none could hold."""
        fields = set(self.mapping.fields.set_ones().values()) - {self.mapping.fields.text}
        return self.notes.attributes(self.value, fields)


def row_records(row: Row, runs: SpanRuns, flags: Iterable[str]) -> tuple[Record, ...]:
    """The records of a row."""
    row.notes.add(*flags)
    started_at, ended_at = _interval(row)
    error = _error_text(row)
    status = _status(row, error)
    step = row.text("step")
    about_run = _run(row)
    if step is None and ended_at is None and status != "error":
        return (*about_run, _event(row, started_at))
    span = _span(row, step or f"line-{row.line}", started_at, ended_at, status)
    return (*about_run, *runs.of(row.run_id), span, *((_error(row, span, error),) if status == "error" else ()))


def _interval(row: Row) -> tuple[datetime | None, datetime | None]:
    started_at = row.notes.time("time", row.of("time"))
    ended_at = row.notes.time("end", row.of("end"))
    seconds = row.notes.amount("duration_s", row.of("duration_s"))
    milliseconds = row.notes.amount("duration_ms", row.of("duration_ms"))
    lasted = seconds if seconds is not None else None if milliseconds is None else milliseconds / 1000
    if ended_at is None and started_at and lasted is not None:
        ended_at = _after(started_at, lasted)
    return duration_checked(row.notes, started_at, ended_at)


def _after(started_at: datetime, seconds: float) -> datetime | None:
    try:
        return started_at + timedelta(seconds=seconds)
    except OverflowError:
        return None


def _error_text(row: Row) -> str | None:
    recorded = row.text("error")
    return None if recorded is None or recorded.strip().casefold() in _NO_ERROR else recorded


def _status(row: Row, error: str | None) -> str | None:
    """What the row says of its end: an error text, an error level, or a status word that the mapping knows."""
    level = (row.text("level") or "").casefold()
    if error or level in _ERROR_LEVELS or SEVERITY_LEVEL.matched(level):
        return "error"
    recorded = row.text("status")
    if recorded is None:
        return None
    known = row.mapping.step_status(recorded)
    if known is None:
        row.notes.add("unknown_value")
        row.notes.kept["status"] = recorded
    return known


def _run(row: Row) -> tuple[Run, ...]:
    """What the row says of its run, where the mapping has such fields."""
    if row.is_recorded and not any(row.text(field) for field in _RUN_FIELDS):
        return ()
    recorded = row.text("run_status")
    status, reason = _run_status(row, recorded)
    return (
        Run(
            run_id=row.run_id,
            event_id=f"said:{recorded}" if recorded else "row",
            source=SOURCE,
            native_id=row.native_id,
            identity="recorded" if row.is_recorded else "derived",
            workload=row.text("workload"),
            tenant=row.text("tenant"),
            name=row.text("run_name"),
            status=status,
            status_reason=reason,
            session_id=row.text("session"),
        ),
    )


def _run_status(row: Row, recorded: str | None) -> tuple[RunStatus | None, str | None]:
    if recorded is None:
        return None, None
    known: Any = RUN_STATUS.matched(recorded) or _RUN_WORDS.get(row.mapping.step_status(recorded) or "")
    if known is None:
        row.notes.add("unknown_value")
        return "unknown", f"recorded status {recorded!r} is no run outcome that the mapping knows"
    return known, f"recorded: {row.mapping.fields.run_status} {recorded}"


def _event(row: Row, occurred_at: datetime | None) -> Event:
    return Event(
        run_id=row.run_id,
        recorded_seq=row.notes.count("seq", row.of("seq")),
        occurred_at=occurred_at,
        span_id=row.text("parent"),
        kind=row.text("kind") or "row",
        name=row.text("name"),
        phase=row.text("phase"),
        agent=row.text("agent"),
        step_index=row.notes.count("index", row.of("index")),
        summary=words(row.of("text")),
        attributes=row.rest(),
        flags=row.notes.all(),
    )


def _span(row: Row, span_id: str, started_at: datetime | None, ended_at: datetime | None, status: str | None) -> Span:
    parent = row.text("parent")
    if parent == span_id:
        row.notes.add("parent_is_itself")
        parent = None
    return Span(
        run_id=row.run_id,
        span_id=span_id,
        parent_span_id=parent,
        recorded_seq=row.notes.count("seq", row.of("seq")),
        kind=row.text("kind"),
        name=row.text("name"),
        phase=row.text("phase"),
        agent=row.text("agent"),
        step_index=row.notes.count("index", row.of("index")),
        started_at=started_at,
        ended_at=ended_at,
        status=status or _unsaid(row, ended_at),
        tool=row.text("tool"),
        model=row.text("model"),
        input_tokens=row.notes.count("input_tokens", row.of("input_tokens")),
        output_tokens=row.notes.count("output_tokens", row.of("output_tokens")),
        cost_usd=row.notes.amount("cost", row.of("cost")),
        attributes=row.rest(),
        flags=row.notes.all(),
    )


def _unsaid(row: Row, ended_at: datetime | None) -> str:
    """Without a status a step that has an end is over, and one that has none is open."""
    return "open" if ended_at is None and "negative_duration" not in row.notes.flags else "unset"


def _error(row: Row, span: Span, error: str | None) -> ErrorEvent:
    level = SEVERITY_LEVEL.matched(row.text("level") or "")
    recorded = failure(span, error or row.of("text") or "", code=row.text("error_code"), attributes=_nested(row))
    return recorded.model_copy(update={"level": level, "location": row.text("location") or recorded.location})


def _nested(row: Row) -> dict[str, Any] | None:
    """An error that is an object keeps its parts."""
    value = row.of("error")
    return storable({"error": value}) if isinstance(value, dict) else None
