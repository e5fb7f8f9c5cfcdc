"""Native objects into records: the meaning of CONTRACT §3, shared by the reader, lint and the schema.

Everything the table of a kind has no column for is kept in `attributes`. A value outside a closed list is
kept as it is and flagged `unknown_value`; a value that cannot be of its column's type refuses the record.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import cache
from typing import Any, get_args

from pydantic import ValidationError

from ingest import records as kinds
from ingest import vocabulary
from ingest.records import Record, run_key
from ingest.times import utc_time

SOURCE = "faultlens"
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
_STEP = re.compile(r"\s*([0-9]{1,18})(?:\s*/\s*([0-9]{1,18}))?\s*")
_SHOWN = 60
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


def is_native(value: Mapping[str, Any]) -> bool:
    """The object says of itself which kind of native record it is."""
    kind = value.get("record")
    return isinstance(kind, str) and kind in RECORDS


def columns_of(kind: str) -> list[str]:
    """The columns of a kind that a producer may set."""
    hidden = {*_NOT_TO_BE_SET, "run_id", "attributes"}
    return [name for name in RECORDS[kind].model_fields if name not in hidden]


def records_of(value: Any, flags: Iterable[str] = (), *, run_id: str | None = None) -> tuple[Record, ...]:
    """The records of one native object; raises Invalid with a reason where it is none.

    They are of the run with this id, where the object stands for a record of another format.
    """
    if not isinstance(value, dict):
        raise Invalid("not_an_object", f"a record is a JSON object; this is {type(value).__name__}")
    kind = value.get("record")
    if not isinstance(kind, str) or kind not in RECORDS:
        raise Invalid("unknown_record", f"`record` is {repr(kind)[:_SHOWN]}; known are: {', '.join(RECORDS)}")
    native_id = _text_id(value.get("run_id")) or ""
    if not native_id and kind not in RUNLESS:
        raise Invalid("missing_run_id", f"a {kind} record needs a run_id")
    body = dict(value)
    del body["record"]
    body.pop("run_id", None)
    if run_id is None:
        run_id = kinds.CATALOGUE if kind in RUNLESS else run_key(SOURCE, native_id)
    reading = _Reading(kind, run_id, body, list(flags))
    try:
        return _READERS.get(kind, _one)(reading, native_id)
    except ValidationError as error:
        raise Invalid("invalid_field", _first_fault(error)) from None


def _first_fault(error: ValidationError) -> str:
    fault = error.errors(include_url=False, include_input=False, include_context=False)[0]
    return f"`{'.'.join(str(part) for part in fault['loc'])}`: {fault['msg']}"


def _text_id(value: Any) -> str | None:
    """Ids are text: a number keeps its digits."""
    if type(value) is str:
        return value
    if value is None or isinstance(value, bool | float | list | dict):
        return None
    return str(value)


class _Reading:
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
        return self.body.pop(key, None)

    def flag(self, name: str) -> None:
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
        text = value if type(value) is str else _as_text(value)
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


def _as_text(value: Any) -> str:
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


def step_of(step: Any) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The columns of a step: X/Y or a number; any other text stays in `step` as it is, flagged."""
    if step is None:
        return {}, ()
    if isinstance(step, int) and not isinstance(step, bool):
        return {"step_index": step}, ()
    text = _as_text(step)
    if match := _STEP.fullmatch(text):
        return {"step_index": int(match[1]), **({"step_total": int(match[2])} if match[2] else {})}, ()
    return {"step": text}, ("unknown_step",)


def _step(reading: _Reading) -> dict[str, Any]:
    columns, flags = step_of(reading.take("step"))
    for flag in flags:
        reading.flag(flag)
    return columns


def _one(reading: _Reading, _native_id: str) -> tuple[Record, ...]:
    seq = reading.take("seq")
    return (reading.build(recorded_seq=seq),)


def _run(reading: _Reading, native_id: str) -> tuple[Record, ...]:
    status = reading.body.get("status")
    if status is not None and vocabulary.RUN_STATUS.matched(_as_text(status)) is None:
        reading.flag("unknown_value")
        reading.attributes["status"] = reading.take("status")
        reading.body["status"] = "unknown"
        reading.body["status_reason"] = f"recorded status {status!r} is no run outcome"
    elif status is not None:
        reading.body.setdefault("status_reason", f"recorded: status {_as_text(status)}")
    if reading.body.get("clock") not in (None, *get_args(kinds.Clock)):
        reading.flag("unknown_value")
        reading.attributes["clock"] = reading.take("clock")
    return (reading.build(source=SOURCE, native_id=native_id, recorded_seq=reading.take("seq")),)


def _error_event(reading: _Reading, _native_id: str) -> tuple[Record, ...]:
    seq = reading.take("seq")
    error = reading.build(recorded_seq=seq, **_step(reading))
    if not isinstance(error, kinds.ErrorEvent) or not (error.observed_at and error.originated_at):
        return (error,)
    return error, diagnosis_beside(error)


# What a diagnosis takes over from the failure that it stands beside.
DIAGNOSIS_BESIDE = (
    "recorded_seq", "occurred_at", "observed_at", "originated_at", "trigger", "root_cause", "context_failure_class",
)  # fmt: skip


def diagnosis_beside(error: kinds.ErrorEvent) -> kinds.Diagnosis:
    """The diagnosis that an error event carries inline."""
    return kinds.Diagnosis(run_id=error.run_id, **{name: getattr(error, name) for name in DIAGNOSIS_BESIDE})


def _guardrail_event(reading: _Reading, _native_id: str) -> tuple[Record, ...]:
    return (reading.build(recorded_seq=reading.take("seq"), **_step(reading)),)


def _recovery_event(reading: _Reading, _native_id: str) -> tuple[Record, ...]:
    recorded = reading.take("chain")
    chain = None if recorded is None else vocabulary.chain(_as_text(recorded))
    if recorded is not None and chain is None:
        reading.flag("unknown_value")
    steps = reading.take("steps") or ()
    if not isinstance(steps, list | tuple):
        raise Invalid("invalid_field", "`steps`: a list is wanted")
    return (
        reading.build(
            recorded_seq=reading.take("seq"),
            chain=chain or (None if recorded is None else _as_text(recorded)),
            chain_recorded=None if recorded is None else _as_text(recorded),
            steps=tuple(_recovery_step(number, step) for number, step in enumerate(steps, start=1)),
        ),
    )


def _recovery_step(number: int, step: Any) -> kinds.RecoveryStep:
    if not isinstance(step, dict):
        return kinds.RecoveryStep(step=number, action=_as_text(step))
    rest = {key: item for key, item in step.items() if key not in {"step", "agent", "action", "result"}}
    recorded = step.get("step")
    result = step.get("result")
    return kinds.RecoveryStep(
        step=recorded if isinstance(recorded, int) else number,
        agent=None if step.get("agent") is None else _as_text(step["agent"]),
        action=None if step.get("action") is None else _as_text(step["action"]),
        result=None if result is None else (vocabulary.STEP_RESULT.matched(_as_text(result)) or _as_text(result)),
        attributes=rest,
    )


def _context(reading: _Reading, _native_id: str) -> tuple[Record, ...]:
    step_id = _text_id(reading.take("step_id"))
    if step_id is None:
        raise Invalid("missing_step_id", "a context record needs a step_id")
    sets = {name: reading.take(name) for name in kinds.SET_NAMES if name in reading.body}
    sets = {name: members for name, members in sets.items() if members is not None}
    if not sets:
        raise Invalid("no_context_set", f"a context record needs one of: {', '.join(kinds.SET_NAMES)}")
    seq = reading.take("seq")
    given = _text_id(reading.take("event_id"))
    return tuple(
        reading.build(
            step_id=step_id,
            set_name=name,
            members=_members(name, members),
            recorded_seq=seq,
            # One record, up to six sets: each needs an id of its own.
            event_id=given and f"{given}/{name}",
        )
        for name, members in sets.items()
    )


def _members(name: str, members: Any) -> tuple[kinds.ContextItem, ...]:
    if not isinstance(members, list | tuple):
        raise Invalid("invalid_field", f"`{name}`: a list of items is wanted")
    return tuple(context_item(name, member) for member in members)


def context_item(name: str, member: Any) -> kinds.ContextItem:
    """An item from `id`, `id@revision` or {"id", "revision"}."""
    if isinstance(member, dict):
        item_id = _text_id(member.get("id"))
        if not item_id:
            raise Invalid("invalid_field", f"`{name}`: an item needs an id")
        return kinds.ContextItem(item_id=item_id, revision=_text_id(member.get("revision")))
    text = _text_id(member)
    if not text:
        raise Invalid("invalid_field", f"`{name}`: an item is text or an object with id and revision")
    item_id, mark, revision = text.rpartition("@")
    if mark and item_id and revision:
        return kinds.ContextItem(item_id=item_id, revision=revision)
    return kinds.ContextItem(item_id=text)


def _catalogue(reading: _Reading, _native_id: str) -> tuple[Record, ...]:
    """An item with its revision, apart or as `id@revision`. A time that cannot be read would make it valid for ever."""
    given = reading.take("item_id")
    revision = reading.take("revision")
    item = context_item("item_id", given if revision is None else {"id": given, "revision": revision})
    if reading.body.get("valid_from") not in (None, "") and utc_time(reading.body["valid_from"])[0] is None:
        raise Invalid("invalid_field", "`valid_from`: no time can be read")
    return (reading.build(item_id=item.item_id, revision=item.revision, recorded_seq=reading.take("seq")),)


_READERS: dict[str, Callable[[_Reading, str], tuple[Record, ...]]] = {
    "run": _run,
    "error_event": _error_event,
    "guardrail_event": _guardrail_event,
    "recovery_event": _recovery_event,
    "context": _context,
    "catalogue": _catalogue,
}
