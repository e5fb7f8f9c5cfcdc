"""Native objects into records: the meaning of CONTRACT §3, shared by the reader, lint and the schema.

Everything the table of a kind has no column for is kept in `attributes`. A value outside a closed list is
kept as it is and flagged `unknown_value`; a value that cannot be of its column's type refuses the record.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, get_args

from pydantic import ValidationError

from ingest import records as kinds
from ingest import vocabulary
from ingest.native_reading import (
    ALSO,
    RECORDS,
    RUNLESS,
    SHARES,
    TIMES,
    Invalid,
    Reading,
    as_text,
    columns_of,
    settable,
    text_id,
)
from ingest.records import Record, run_key
from ingest.times import utc_time

__all__ = [
    "ALSO",
    "DIAGNOSIS_BESIDE",
    "RECORDS",
    "RUNLESS",
    "SHARES",
    "SOURCE",
    "TIMES",
    "Invalid",
    "columns_of",
    "context_item",
    "diagnosis_beside",
    "is_native",
    "records_of",
    "settable",
    "step_of",
]

SOURCE = "faultlens"
_STEP = re.compile(r"\s*([0-9]{1,18})(?:\s*/\s*([0-9]{1,18}))?\s*")
_SHOWN = 60


def is_native(value: Mapping[str, Any]) -> bool:
    """The object says of itself which kind of native record it is."""
    kind = value.get("record")
    return isinstance(kind, str) and kind in RECORDS


def records_of(value: Any, flags: Iterable[str] = (), *, run_id: str | None = None) -> tuple[Record, ...]:
    """The records of one native object; raises Invalid with a reason where it is none.

    They are of the run with this id, where the object stands for a record of another format.
    """
    if not isinstance(value, dict):
        raise Invalid("not_an_object", f"a record is a JSON object; this is {type(value).__name__}")
    kind = value.get("record")
    if not isinstance(kind, str) or kind not in RECORDS:
        raise Invalid("unknown_record", f"`record` is {repr(kind)[:_SHOWN]}; known are: {', '.join(RECORDS)}")
    native_id = text_id(value.get("run_id")) or ""
    if not native_id and kind not in RUNLESS:
        raise Invalid("missing_run_id", f"a {kind} record needs a run_id")
    body = dict(value)
    del body["record"]
    body.pop("run_id", None)
    if run_id is None:
        run_id = kinds.CATALOGUE if kind in RUNLESS else run_key(SOURCE, native_id)
    reading = Reading(kind, run_id, body, list(flags))
    try:
        return _READERS.get(kind, _one)(reading, native_id)
    except ValidationError as error:
        raise Invalid("invalid_field", _first_fault(error)) from None


def _first_fault(error: ValidationError) -> str:
    fault = error.errors(include_url=False, include_input=False, include_context=False)[0]
    return f"`{'.'.join(str(part) for part in fault['loc'])}`: {fault['msg']}"


def step_of(step: Any) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The columns of a step: X/Y or a number; any other text stays in `step` as it is, flagged."""
    if step is None:
        return {}, ()
    if isinstance(step, int) and not isinstance(step, bool):
        return {"step_index": step}, ()
    text = as_text(step)
    if match := _STEP.fullmatch(text):
        return {"step_index": int(match[1]), **({"step_total": int(match[2])} if match[2] else {})}, ()
    return {"step": text}, ("unknown_step",)


def _step(reading: Reading) -> dict[str, Any]:
    columns, flags = step_of(reading.take("step"))
    for flag in flags:
        reading.flag(flag)
    return columns


def _one(reading: Reading, _native_id: str) -> tuple[Record, ...]:
    seq = reading.take("seq")
    return (reading.build(recorded_seq=seq),)


def _run(reading: Reading, native_id: str) -> tuple[Record, ...]:
    status = reading.body.get("status")
    if status is not None and vocabulary.RUN_STATUS.matched(as_text(status)) is None:
        reading.flag("unknown_value")
        reading.attributes["status"] = reading.take("status")
        reading.body["status"] = "unknown"
        reading.body["status_reason"] = f"recorded status {status!r} is no run outcome"
    elif status is not None:
        reading.body.setdefault("status_reason", f"recorded: status {as_text(status)}")
    if reading.body.get("clock") not in (None, *get_args(kinds.Clock)):
        reading.flag("unknown_value")
        reading.attributes["clock"] = reading.take("clock")
    return (reading.build(source=SOURCE, native_id=native_id, recorded_seq=reading.take("seq")),)


def _error_event(reading: Reading, _native_id: str) -> tuple[Record, ...]:
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


def _guardrail_event(reading: Reading, _native_id: str) -> tuple[Record, ...]:
    return (reading.build(recorded_seq=reading.take("seq"), **_step(reading)),)


def _recovery_event(reading: Reading, _native_id: str) -> tuple[Record, ...]:
    recorded = reading.take("chain")
    chain = None if recorded is None else vocabulary.chain(as_text(recorded))
    if recorded is not None and chain is None:
        reading.flag("unknown_value")
    steps = reading.take("steps") or ()
    if not isinstance(steps, list | tuple):
        raise Invalid("invalid_field", "`steps`: a list is wanted")
    return (
        reading.build(
            recorded_seq=reading.take("seq"),
            chain=chain or (None if recorded is None else as_text(recorded)),
            chain_recorded=None if recorded is None else as_text(recorded),
            steps=tuple(_recovery_step(number, step) for number, step in enumerate(steps, start=1)),
        ),
    )


def _recovery_step(number: int, step: Any) -> kinds.RecoveryStep:
    if not isinstance(step, dict):
        return kinds.RecoveryStep(step=number, action=as_text(step))
    rest = {key: item for key, item in step.items() if key not in {"step", "agent", "action", "result"}}
    recorded = step.get("step")
    result = step.get("result")
    return kinds.RecoveryStep(
        step=recorded if isinstance(recorded, int) else number,
        agent=None if step.get("agent") is None else as_text(step["agent"]),
        action=None if step.get("action") is None else as_text(step["action"]),
        result=None if result is None else (vocabulary.STEP_RESULT.matched(as_text(result)) or as_text(result)),
        attributes=rest,
    )


def _context(reading: Reading, _native_id: str) -> tuple[Record, ...]:
    step_id = text_id(reading.take("step_id"))
    if step_id is None:
        raise Invalid("missing_step_id", "a context record needs a step_id")
    sets = {name: reading.take(name) for name in kinds.SET_NAMES if name in reading.body}
    sets = {name: members for name, members in sets.items() if members is not None}
    if not sets:
        raise Invalid("no_context_set", f"a context record needs one of: {', '.join(kinds.SET_NAMES)}")
    seq = reading.take("seq")
    given = text_id(reading.take("event_id"))
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
        item_id = text_id(member.get("id"))
        if not item_id:
            raise Invalid("invalid_field", f"`{name}`: an item needs an id")
        return kinds.ContextItem(item_id=item_id, revision=text_id(member.get("revision")))
    text = text_id(member)
    if not text:
        raise Invalid("invalid_field", f"`{name}`: an item is text or an object with id and revision")
    item_id, mark, revision = text.rpartition("@")
    if mark and item_id and revision:
        return kinds.ContextItem(item_id=item_id, revision=revision)
    return kinds.ContextItem(item_id=text)


def _catalogue(reading: Reading, _native_id: str) -> tuple[Record, ...]:
    """An item with its revision, apart or as `id@revision`. A time that cannot be read would make it valid for ever."""
    given = reading.take("item_id")
    revision = reading.take("revision")
    item = context_item("item_id", given if revision is None else {"id": given, "revision": revision})
    if reading.body.get("valid_from") not in (None, "") and utc_time(reading.body["valid_from"])[0] is None:
        raise Invalid("invalid_field", "`valid_from`: no time can be read")
    return (reading.build(item_id=item.item_id, revision=item.revision, recorded_seq=reading.take("seq")),)


_READERS: dict[str, Callable[[Reading, str], tuple[Record, ...]]] = {
    "run": _run,
    "error_event": _error_event,
    "guardrail_event": _guardrail_event,
    "recovery_event": _recovery_event,
    "context": _context,
    "catalogue": _catalogue,
}
