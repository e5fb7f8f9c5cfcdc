"""Is a file valid native format? Every fault with its line, stricter than ingest, which keeps what it can."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ingest import native, vocabulary
from ingest.json_text import Decoded, Line, values
from ingest.json_text import Fault as Unread
from ingest.source import DAMAGE, as_stream, unpacked

_EXTRA_KEYS = {
    "error_event": {"step", "seq"},
    "guardrail_event": {"step", "seq"},
    "recovery_event": {"duration", "seq", "error_event_id", "steps"},
    "context": {"required", "retrieved", "eligible", "composed", "consumed", "current", "seq"},
    "diagnosis": {"event_id", "diagnosis_id", "seq"},
}
_SAID = {
    "duplicate_key": "a key stands twice; the last one is read",
    "nan": "NaN or Infinity is no JSON; it is read as absent",
    "lone_surrogate": "half of a surrogate pair; it is read as U+FFFD",
    "naive_time": "a time has no zone; UTC is assumed",
    "bad_time": "a time cannot be read; it is kept as an attribute",
    "time_never_set": "a time in the year 1 was never set; it is read as absent",
    "unknown_value": "a value is outside its list; it is kept as it is",
    "unknown_step": "`step` is neither a number nor X/Y; it stays text",
    "out_of_range": "a share is not within 0 and 1; it is kept as an attribute",
}


@dataclass(frozen=True)
class Fault:
    """What is wrong in a line."""

    line: int
    reason: str
    message: str


def faults(file: Path, data: bytes | None = None) -> Iterator[Fault]:
    """Every fault of a file, or of the given bytes."""
    number = 0
    try:
        with as_stream(data) if data is not None else unpacked(file) as stream:
            for line, decoded in values(stream):
                number = line.number
                yield from _faults_in(line, decoded)
    except DAMAGE as error:
        yield Fault(number + 1, "damaged_archive", f"the archive is damaged or cut from here on: {error}")
        return
    if not number:
        yield Fault(1, "empty_file", "there is no record")


def _faults_in(line: Line, decoded: Decoded | Unread) -> Iterator[Fault]:
    if isinstance(decoded, Decoded):
        yield from _faults_of(line.number, decoded)
    elif decoded.cut and not line.ended:
        yield Fault(line.number, "incomplete_last_line", "the last line is cut")
    else:
        yield Fault(line.number, decoded.reason, decoded.message)


def _faults_of(number: int, decoded: Decoded) -> Iterator[Fault]:
    try:
        records = native.records_of(decoded.value, decoded.flags)
    except native.Invalid as fault:
        yield Fault(number, fault.reason, str(fault))
        return
    for flag in sorted({flag for record in records for flag in record.flags}):
        yield Fault(number, flag, _SAID.get(flag, flag))
    for key in unknown_keys(decoded.value):
        yield Fault(
            number, "unknown_key", f"`{key}` is no column of {decoded.value['record']}; it becomes an attribute"
        )


def unknown_keys(value: dict[str, Any]) -> list[str]:
    """The keys that the kind has no column for."""
    kind = value["record"]
    known = {"record", "run_id", "attributes", *native.columns_of(kind), *_EXTRA_KEYS.get(kind, {"seq"})}
    return sorted(key for key in value if key not in known)


def described_values(kind: str, column: str) -> tuple[str, ...] | None:
    """The closed list of a column, None where any text is allowed."""
    found = vocabulary.CLOSED.get((kind, column)) or vocabulary.CLOSED.get(("", column))
    return found.values if found else None
