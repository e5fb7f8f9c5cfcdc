"""Lines of the application log as events. The log outlives a call: only the lines of this call are its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ingest.adapter import Item, Parsed, Place, Rejected, Skipped, unread
from ingest.bijux.agent_results import Identity
from ingest.bijux.agent_shapes import Shape, shape_of
from ingest.bijux.agent_values import Flags, first_line, last_name, mapping, text, without
from ingest.json_text import Decoded, Fault, Line, values
from ingest.records import Event
from ingest.source import Source

_CALL_STARTS = "Bijux Agent pipeline starting"
_FILES_DONE = "Processing completed"
_FILE_STARTS = re.compile(r"Processing file: (?P<path>.+?) with task goal: ")


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line with its value, or why it has none; `time` is the logger's own, of no named zone."""

    place: Place
    line: Line
    decoded: Decoded | Fault
    time: datetime | None

    @property
    def value(self) -> dict[str, Any]:
        """The line's object, empty where it is none."""
        return mapping(self.decoded.value) if isinstance(self.decoded, Decoded) else {}


@dataclass(frozen=True, slots=True)
class Call:
    """A stretch of the log that is one call of the command line: from its first line to the next call's."""

    since: datetime | None = None
    until: datetime | None = None

    def holds(self, line: LogLine) -> bool:
        """Lines without a time cannot be placed and stay with the call."""
        if line.time is None:
            return True
        return (self.since is None or line.time >= self.since) and (self.until is None or line.time < self.until)


def log_lines(source: Source, logs: list[Path] | None = None) -> list[LogLine]:
    """All lines of the main file, or of the logs among the companions."""
    if logs is None:
        with source.open() as stream:
            return [_log_line(None, line, decoded) for line, decoded in values(stream)]
    found: list[LogLine] = []
    for log in logs:
        with source.open(log) as stream:
            found += [_log_line(source.part(log), line, decoded) for line, decoded in values(stream)]
    return found


def _log_line(part: str | None, line: Line, decoded: Decoded | Fault) -> LogLine:
    place = Place(line.number, line.offset, part)
    time = Flags().time(mapping(decoded.value).get("timestamp")) if isinstance(decoded, Decoded) else None
    return LogLine(place, line, decoded, time)


def call_of(lines: list[LogLine], ended: datetime | None) -> Call:
    """The call that a trace written at `ended` belongs to: the last one started before it, else the last one."""
    starts = sorted({(line.time, _started(line)) for line in lines if line.time and _is_start(line)})
    if not starts:
        return Call()
    before = [index for index, (_, started) in enumerate(starts) if ended is not None and started <= ended]
    chosen = before[-1] if before else len(starts) - 1
    until = starts[chosen + 1][0] if chosen + 1 < len(starts) else None
    # What stands before the first call of the log is start-up of that call.
    return Call(starts[chosen][0] if chosen else None, until)


def _is_start(line: LogLine) -> bool:
    return line.value.get("message") == _CALL_STARTS


def _started(line: LogLine) -> datetime:
    """When the call says it started: the one time in the log that is written with its zone."""
    said = Flags().time(mapping(line.value.get("context")).get("start_time"))
    return said or line.time or datetime.min.replace(tzinfo=UTC)


def files_said(lines: list[LogLine], call: Call) -> tuple[LogLine, dict[str, Any]] | None:
    """The line of the call that holds the list of its files and their results, with that list."""
    for line in lines:
        said = mapping(line.value.get("context")).get("result")
        if call.holds(line) and shape_of(said) is Shape.PROCESS_FILES:
            return line, mapping(said)
    return None


def input_at(lines: list[LogLine]) -> Callable[[LogLine], str | None]:
    """Which input a line is about: the one it names, else the one being processed at its time."""
    marks = sorted(mark for line in lines if line.time and (mark := _mark(line.time, line.value)))

    def named(line: LogLine) -> str | None:
        context = mapping(line.value.get("context"))
        if path := text(context.get("file_path")):
            return last_name(path)
        current = [name for time, name in marks if line.time and time <= line.time]
        return (current[-1] or None) if current else None

    return named


def _mark(time: datetime, value: dict[str, Any]) -> tuple[datetime, str] | None:
    message = text(value.get("message")) or ""
    if match := _FILE_STARTS.match(message):
        return time, last_name(match["path"])
    return (time, "") if message.startswith(_FILES_DONE) else None


def log_items(lines: list[LogLine], call: Call, owner: Callable[[LogLine], Identity]) -> Iterator[Item]:
    """Every line as an event of its run; lines of another call are left out and counted."""
    for line in lines:
        if isinstance(line.decoded, Fault):
            yield unread(line.place, line.line, line.decoded)
        elif not isinstance(line.decoded.value, dict):
            yield Rejected(line.place, "not_an_object", "the log line is no JSON object", line.line.text)
        elif not call.holds(line):
            yield Skipped(line.place, "line_of_another_call")
        else:
            yield Parsed(line.place, (_event(owner(line), line, line.decoded.flags),))


def _event(identity: Identity, line: LogLine, said: tuple[str, ...]) -> Event:
    flags = Flags()
    flags.add(*said)
    level = text(line.value.get("level"))
    message = text(line.value.get("message")) or ""
    return Event(
        run_id=identity.run_id,
        occurred_at=flags.time(line.value.get("timestamp")),
        kind="log",
        name=level,
        summary=f"{level}: {first_line(message)}" if level else first_line(message),
        attributes=without(line.value, "timestamp"),
        flags=flags.all(),
    )
