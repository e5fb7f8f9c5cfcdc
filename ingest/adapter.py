"""What an adapter is: one format, recognised by its content; a source in, records out.

A file in `ingest/adapters/` that defines `ADAPTER` is found by the registry; nothing else has to be told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ingest.json_text import Fault, Line
from ingest.records import Record
from ingest.source import DAMAGE, Head, Source


class Place(NamedTuple):
    """Where a record stands: the line (from 1) and byte offset in a file, `part` naming a companion file.

    `ordinal` (from 0) tells apart what stands on one line and may be read apart from the rest of it.
    """

    line: int | None = None
    offset: int | None = None
    part: str | None = None
    ordinal: int | None = None


class Parsed(NamedTuple):
    """One record of the source (a line, block, span, row) and everything that follows from it.

    A `Diagnosis` without `for_event` that follows an `ErrorEvent` in the same unit belongs to it. What was `held_back`
    until the file was read stands behind everything else of it.
    """

    place: Place
    records: tuple[Record, ...]
    held_back: bool = False


@dataclass(frozen=True, slots=True)
class Rejected:
    """A record that cannot be kept: `reason` is a stable code, `message` says what is wrong with it."""

    place: Place
    reason: str
    message: str
    raw: str = ""


@dataclass(frozen=True, slots=True)
class Skipped:
    """Records left out on purpose: a template, a quotation, a logs line, the incomplete last line."""

    place: Place
    reason: str
    count: int = 1


Item = Parsed | Rejected | Skipped


def unread(place: Place, line: Line, fault: Fault) -> Rejected | Skipped:
    """A line that holds no JSON value: refused, unless it is the last one and may still be written."""
    if fault.cut and not line.ended:
        return Skipped(place, "incomplete_last_line")
    return Rejected(place, fault.reason, fault.message, line.text)


@dataclass(frozen=True, slots=True)
class Bundle:
    """A main file with the files beside it that belong to it and are no sources of their own."""

    main: Path
    companions: tuple[Path, ...] = ()


def _stands_alone(_path: Path) -> Bundle | None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapter:
    """One format. `version` goes up when the same bytes would give other records.

    A `fallback` is asked only where no other adapter claims the content.
    """

    name: str
    version: int
    title: str
    recognised_by: str
    yields: tuple[str, ...]
    recognise: Callable[[Head], bool]
    read: Callable[[Source], Iterable[Item]]
    bundle: Callable[[Path], Bundle | None] = _stands_alone
    record_is: str = "line"
    fallback: bool = False


class Unreadable(Exception):
    """Raised by an adapter for a whole file it cannot read (a newer schema, a damaged archive)."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


def items_of(adapter: Adapter, source: Source) -> Iterator[Item]:
    """The adapter's items; any exception of its becomes one rejection that names the adapter."""
    try:
        yield from adapter.read(source)
    except Unreadable:
        raise
    except DAMAGE as error:
        yield Rejected(Place(), "damaged_archive", f"the archive is damaged or cut from here on: {error}")
    except Exception as error:  # noqa: BLE001 - an adapter's fault must not take the other files with it
        yield Rejected(Place(), "adapter_fault", f"{adapter.name} stopped here: {type(error).__name__}: {error}")
