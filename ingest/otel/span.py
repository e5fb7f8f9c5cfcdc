"""One span, with ids, times, kind and status in one spelling. Every format of spans ends here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any

from ingest.otel import ids
from ingest.otel.shape import Shape, shape_of
from ingest.otel.values import as_text, storable
from ingest.times import utc_time

KINDS = ("unspecified", "internal", "server", "client", "producer", "consumer")
STATUSES = ("unset", "ok", "error")
# Of these days, and too many for another unit.
_NANOSECOND_DIGITS = (18, 19)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Malformed(ValueError):
    """The object is no span; `reason` is a stable code."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanEvent:
    """Something that happened at one moment of a span: an exception, a message."""

    name: str | None = None
    at: datetime | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class OtelSpan:
    """A span as recorded. `more` is what has no field here and is kept beside the attributes."""

    trace_id: str
    span_id: str
    parent_span_id: str | None = None
    name: str | None = None
    kind: str | None = None
    start: datetime | None = None
    end: datetime | None = None
    open: bool = False
    status_code: str = "unset"
    status_message: str | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)
    events: tuple[SpanEvent, ...] = ()
    resource: Mapping[str, Any] = field(default_factory=dict)
    more: Mapping[str, Any] = field(default_factory=dict)
    flags: tuple[str, ...] = ()

    @cached_property
    def shape(self) -> Shape:
        """Which attributes it has."""
        return shape_of(tuple(self.attributes))


def moment(value: Any) -> tuple[datetime | None, tuple[str, ...]]:
    """The time in UTC; 0 is how spans say that there is none."""
    if isinstance(value, str):
        if len(value) in _NANOSECOND_DIGITS and value.isascii() and value.isdigit():
            return _EPOCH + timedelta(microseconds=int(value) // 1000), ()
        return (None, ()) if value.strip() == "0" else utc_time(value)
    if value == 0 and not isinstance(value, bool):
        return None, ()
    return utc_time(value)


def span_event(name: Any, at: Any, attributes: Mapping[str, Any]) -> SpanEvent:
    """An event from raw values."""
    flags: set[str] = set()
    time, time_flags = moment(at)
    kept = storable(attributes, flags)
    if time is None and at:
        kept["otel.time"] = storable(at, flags)
    return SpanEvent(name=as_text(name), at=time, attributes=kept, flags=tuple(sorted({*flags, *time_flags})))


def kept(more: Mapping[str, Any], flags: set[str]) -> dict[str, Any]:
    """What is kept of this beside the attributes: whatever says something."""
    said = {key: item for key, item in more.items() if item is not None}
    return {key: item for key, item in storable(said, flags).items() if item not in (None, "", [], {})}


def span_of(
    *,
    trace_id: Any,
    span_id: Any,
    parent_span_id: Any = None,
    name: Any = None,
    kind: Any = None,
    start: Any = None,
    end: Any = None,
    status: Any = None,
    status_message: Any = None,
    attributes: Mapping[str, Any] | None = None,
    events: Iterable[SpanEvent] = (),
    resource: Mapping[str, Any] | None = None,
    more: Mapping[str, Any] | None = None,
    flags: Iterable[str] = (),
) -> OtelSpan:
    """A span from raw values as any encoding has them; raises Malformed where an id is missing."""
    noted = _Notes(set(flags), dict(more or {}))
    trace, own, parent = noted.ids(trace_id, span_id, parent_span_id)
    began, ended = noted.interval(start, end)
    return OtelSpan(
        trace_id=trace,
        span_id=own,
        parent_span_id=parent,
        name=as_text(name),
        kind=noted.word("kind", kind, KINDS),
        start=began,
        end=ended,
        open=ended is None and "negative_duration" not in noted.flags,
        status_code=noted.word("status", status, STATUSES) or "unset",
        status_message=as_text(status_message) or None,
        attributes=storable(attributes or {}, noted.flags),
        events=tuple(events),
        resource=storable(resource or {}, noted.flags),
        more=kept(noted.more, noted.flags),
        flags=tuple(sorted(noted.flags)),
    )


@dataclass
class _Notes:
    """What had to be assumed or changed while a span was read."""

    flags: set[str]
    more: dict[str, Any]

    def ids(self, trace_id: Any, span_id: Any, parent_span_id: Any) -> tuple[str, str, str | None]:
        trace = self._id("trace_id", trace_id, ids.TRACE_BYTES)
        own = self._id("span_id", span_id, ids.SPAN_BYTES)
        if trace is None or own is None:
            missing = "trace_id" if trace is None else "span_id"
            raise Malformed(f"missing_{missing}", f"a span needs a {missing}")
        parent = self._id("parent_span_id", parent_span_id, ids.SPAN_BYTES)
        if ids.is_zero(trace) or ids.is_zero(own):
            self.flags.add("zero_id")
        if parent == own:
            self.flags.add("parent_is_itself")
            return trace, own, None
        return trace, own, None if parent is None or ids.is_zero(parent) else parent

    def _id(self, name: str, value: Any, size: int) -> str | None:
        """The id in its one spelling; the recorded one is kept where that differs."""
        recorded = ids.plain_id(value)
        if recorded is None:
            return None
        found = ids.normalised(recorded, size)
        if found != recorded:
            self.more.setdefault("recorded_ids", {})[name] = recorded
        return found

    def interval(self, start: Any, end: Any) -> tuple[datetime | None, datetime | None]:
        """Beginning and end; an end before its beginning is no end."""
        began, ended = self._time("start", start), self._time("end", end)
        if began is not None and ended is not None and ended < began:
            self.flags.add("negative_duration")
            self.more["recorded_end"] = as_text(end)
            return began, None
        return began, ended

    def _time(self, name: str, value: Any) -> datetime | None:
        time, flags = moment(value)
        if flags:
            self.flags.update(flags)
        if ("bad_time" in flags and time is None) or _finer_than_kept(value):
            self.more[f"recorded_{name}"] = as_text(value)
        return time

    def word(self, name: str, value: Any, known: tuple[str, ...]) -> str | None:
        """The word for a number, an enum's name or a word; another one is kept and flagged."""
        if value is None or value == "":
            return None
        if type(value) is int and 0 <= value < len(known):
            return known[value]
        if isinstance(value, int | float) and not isinstance(value, bool) and value in range(len(known)):
            return known[int(value)]
        word = str(value).rpartition(".")[2].removeprefix("SPAN_KIND_").removeprefix("STATUS_CODE_").casefold()
        if word in known:
            return word
        if word.isdigit() and int(word) < len(known):
            return known[int(word)]
        self.flags.add("unknown_value")
        self.more[f"recorded_{name}"] = as_text(value)
        return None


def _finer_than_kept(value: Any) -> bool:
    """Nanoseconds that a column of microseconds does not hold."""
    digits = str(value) if isinstance(value, int) else value
    return isinstance(digits, str) and len(digits) > 17 and not digits.endswith("000") and digits.isdigit()
