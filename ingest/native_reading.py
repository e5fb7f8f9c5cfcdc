"""One native object on its way to a record: each key as its column wants it, and what no column takes as attribute."""

from __future__ import annotations

import re
from datetime import datetime
from functools import cache
from typing import Any, get_args

from ingest import records as kinds
from ingest import vocabulary
from ingest.records import Record
from ingest.times import utc_time

RECORDS: dict[str, type[Record]] = {
    "run": kinds.Run,
    "span": kinds.Span,
    "error_event": kinds.ErrorEvent,
    "recovery_event": kinds.RecoveryEvent,
    "guardrail_event": kinds.GuardrailEvent,
    "context": kinds.ContextSet,
    "context_op": kinds.ContextOp,
    "diagnosis": kinds.Diagnosis,
    "delegation": kinds.Delegation,
    "wait": kinds.Wait,
    "task_owner": kinds.TaskOwner,
    "handoff": kinds.Handoff,
    "replay": kinds.Replay,
    "reported_metrics": kinds.ReportedMetric,
    "catalogue": kinds.CatalogueItem,
}
# Kinds whose records belong to no run.
RUNLESS = frozenset({"catalogue"})
TIMES = frozenset({"occurred_at", "started_at", "ended_at", "since", "until", "deadline", "recorded_at", "valid_from"})
SHARES = frozenset({"confidence", "avg_confidence", "success_rate", "escalation_rate"})
_PERCENT = re.compile(r"\s*([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*%\s*")
_CLOSED = vocabulary.CLOSED
# Names that are read as another column: the contract's examples use the short ones.
ALSO: dict[str, dict[str, str]] = {
    "recovery_event": {"duration": "steps_completed", "error_event_id": "for_event"},
    "diagnosis": {"event_id": "for_event", "diagnosis_id": "event_id"},
}
_NOT_TO_BE_SET = frozenset(
    {"source", "native_id", "identity", "event_digest", "recorded_seq", "chain_recorded", "flags"}
)


class Invalid(ValueError):
    """The object is no native record; `reason` is a stable code."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


def columns_of(kind: str) -> list[str]:
    """The columns of a kind that a producer may set."""
    hidden = {*_NOT_TO_BE_SET, "run_id", "attributes"}
    return [name for name in RECORDS[kind].model_fields if name not in hidden]


def text_id(value: Any) -> str | None:
    """Ids are text: a number keeps its digits."""
    if type(value) is str:
        return value
    if value is None or isinstance(value, bool | float | list | dict):
        return None
    return str(value)


class Reading:
    """One native object on its way to a record: takes values by column, keeps the rest as attributes."""

    def __init__(self, kind: str, run_id: str, body: dict[str, Any], flags: list[str]) -> None:
        self.kind = kind
        self.model = RECORDS[kind]
        self.run_id = run_id
        self.flags = flags
        also = ALSO.get(kind)
        self.body = {also.get(key, key): item for key, item in body.items()} if also else body
        self._closed = _closed(kind)
        self.attributes: dict[str, Any] = {}

    def take(self, key: str) -> Any:
        """The value under the key, which is no longer left."""
        return self.body.pop(key, None)

    def flag(self, name: str) -> None:
        """The record says so, once."""
        if name not in self.flags:
            self.flags.append(name)

    def build(self, model: type[Record] | None = None, **extra: Any) -> Record:
        """The record of what is left in the body: columns by type, the rest as attributes."""
        chosen = model or self.model
        sorts = settable(chosen)
        columns: dict[str, Any] = {}
        rest: dict[str, Any] = {}
        for key, item in self.body.items():
            sort = sorts.get(key)
            if sort is None:
                if key not in extra:
                    rest[key] = item
            elif item is None or sort == "value" or (sort == "text" and type(item) is str and key not in self._closed):
                columns[key] = item
            else:
                columns[key] = self._column(key, item, sort)
        given = rest.pop("attributes", None)
        if given is not None and not isinstance(given, dict):
            rest["attributes"] = given
        attributes = {**(given if isinstance(given, dict) else {}), **rest, **self.attributes}
        found = {**columns, **extra, "run_id": self.run_id, "attributes": attributes, "flags": tuple(self.flags)}
        return chosen.model_validate(found)

    def _column(self, key: str, value: Any, sort: str) -> Any:
        if sort == "text":
            return self._text(key, value)
        if sort == "time":
            return self._time(key, value)
        return self._share(key, value)

    def _time(self, key: str, value: Any) -> datetime | None:
        time, flags = utc_time(value)
        for flag in flags:
            self.flag(flag)
        if time is None:
            self.attributes[key] = value
        return time

    def _share(self, key: str, value: Any) -> float | None:
        share = share_of(value)
        if share is None:
            self.flag("out_of_range")
            self.attributes[key] = value
        return share

    def _text(self, key: str, value: Any) -> str:
        if isinstance(value, list | dict):
            raise Invalid("invalid_field", f"`{key}`: text is wanted, not {type(value).__name__}")
        text = value if type(value) is str else as_text(value)
        known = self._closed.get(key)
        if known is None:
            return text
        value_of_list = known.matched(text)
        if value_of_list is not None:
            return value_of_list
        self.flag("unknown_value")
        if key == "basis":  # decides what rates count, so it is never taken over unknown
            self.attributes[key] = text
            return "recorded"
        return text


@cache
def _closed(kind: str) -> dict[str, vocabulary.Vocabulary]:
    """The columns of a kind that take only the words of a list."""
    everywhere = {column: words for (only, column), words in _CLOSED.items() if not only}
    return everywhere | {column: words for (only, column), words in _CLOSED.items() if only == kind}


@cache
def settable(model: type[Record]) -> dict[str, str]:
    """The columns that a producer may set, with how each is read: as time, share, text, or as it is."""
    hidden = {*_NOT_TO_BE_SET, "attributes", "run_id"}
    return {name: _sort(name, field.annotation) for name, field in model.model_fields.items() if name not in hidden}


def _sort(name: str, annotation: Any) -> str:
    if name in TIMES:
        return "time"
    if name in SHARES:
        return "share"
    return "text" if annotation is str or str in get_args(annotation) else "value"


def as_text(value: Any) -> str:
    """The value as text, as JSON writes what is true and false."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def share_of(value: Any) -> float | None:
    """A share 0-1 from a number or a text such as "80%"; None where it is neither or out of range."""
    if isinstance(value, str) and (percent := _PERCENT.fullmatch(value)):
        value = float(percent[1]) / 100
    if isinstance(value, bool):
        return None
    try:
        share = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return share if 0 <= share <= 1 else None
