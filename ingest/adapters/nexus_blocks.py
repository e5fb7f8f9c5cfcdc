"""Event blocks of nexus where they stand by themselves: journals, CI logs, JSON lines.

A file is a run, and position is its order. No block carries a run id: `native_id` is the path below the
given argument; the run's key adds a digest of the first block, so that equal paths of two projects stay
two runs while a file that grows stays the same one.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from typing import Any, BinaryIO

from ingest import json_text
from ingest.adapter import Adapter, Item, Parsed, Place, Rejected, Skipped, unread
from ingest.blocks.block import DIAGNOSIS, NAMES, STATE, Block
from ingest.blocks.items import Reader, skipped_as
from ingest.blocks.meaning import as_text
from ingest.blocks.objects import blocks_of, holds_block
from ingest.blocks.text import blocks_in_lines, mentions_block
from ingest.json_text import Decoded, Line, decoded_leniently
from ingest.json_writing import writer
from ingest.records import Run, file_run_key
from ingest.source import Head, Source, as_stream, is_text
from ingest.times import utc_time

SOURCE = "nexus"
_LOOKED_AT = 32 * 1024 * 1024
_ANY_NAME = re.compile(rf"(?:{NAMES}|originated_at)".encode(), re.IGNORECASE)
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_LOG_TIME = re.compile(r"^(?P<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)) ?")
_TITLE = re.compile(r"^#\s+(?P<title>\S.*?)\s*#*\s*$")
_MOST_NAME = 200
_written = writer(sort_keys=True, compact=False, ascii_only=True)


def recognise(head: Head) -> bool:
    """JSON lines that are blocks, or a text with at least one block in it."""
    if any(holds_block(value) for value in head.first_records):
        return True
    if not is_text(head.sample) or _is_other_json(head) or not _names_block(head):
        return False
    return _begins_with_blocks(head) or _tells(_Lines.of(head.source))


def _begins_with_blocks(head: Head) -> bool:
    """A block stands among the first lines; the last one there may go on below them, and is not looked at."""
    if head.sample.startswith(json_text.UTF16_MARKS):
        return False
    lines = _Lines.read(as_stream(head.sample[: head.sample.rfind(b"\n") + 1]))
    return any(_is_telling(block) for block, _ in pairwise(blocks_in_lines(lines.texts, ended=True)))


def _tells(lines: _Lines) -> bool:
    return any(_is_telling(block) for block in blocks_in_lines(lines.texts, ended=lines.ended))


def _is_telling(block: Block) -> bool:
    """A block has fields; a diagnosis, which is known by them alone, has to say something in them."""
    return bool(block.fields) and not (block.kind == DIAGNOSIS and block.is_template)


def _is_other_json(head: Head) -> bool:
    """Lines of JSON, or a document, that are no blocks: what their texts hold is another adapter's matter."""
    if any(isinstance(value, dict) for value in head.first_records):
        return head.text.lstrip("\ufeff \t\r\n")[:1] in ("{", "[")
    value = head.document[0] if isinstance(head.document, list) and head.document else head.document
    return value is not None and not holds_block(value)


def _names_block(head: Head) -> bool:
    if mentions_block(head.text):
        return True
    if head.sample.startswith(json_text.UTF16_MARKS):
        return mentions_block(decoded_leniently(head.source.data()))
    with head.source.open() as stream:
        return bool(_ANY_NAME.search(stream.read(_LOOKED_AT)))


@dataclass(frozen=True, slots=True)
class _Lines:
    """The lines of a text file, the blank ones included, with what a log wrote before them taken off."""

    texts: list[str]
    offsets: dict[int, int]
    times: dict[int, str]
    unreadable: frozenset[int]
    ended: bool

    @classmethod
    def of(cls, source: Source) -> _Lines:
        with source.open() as stream:
            return cls.read(stream)

    @classmethod
    def read(cls, stream: BinaryIO) -> _Lines:
        lines = list(json_text.lines(stream))
        texts = [""] * (lines[-1].number if lines else 0)
        times: dict[int, str] = {}
        for line in lines:
            texts[line.number - 1] = _without_log_time(line, times)
        return cls(
            texts,
            {line.number: line.offset for line in lines},
            times,
            frozenset(line.number for line in lines if line.fault),
            lines[-1].ended if lines else True,
        )

    def place(self, block: Block) -> Place:
        return Place(block.line, self.offsets.get(block.line))

    def time(self, block: Block) -> datetime | None:
        return utc_time(self.times.get(block.line))[0]

    def flagged(self, block: Block, until: int) -> Block:
        """The block, flagged where one of its lines has bytes that could not be decoded."""
        spoilt = any(block.line <= number < until for number in self.unreadable)
        return replace(block, flags=(*block.flags, "not_utf8")) if spoilt else block


def _without_log_time(line: Line, times: dict[int, str]) -> str:
    """The text without colours and without the time that a CI log puts before every line."""
    text = _ESCAPES.sub("", line.text) if "\x1b" in line.text else line.text
    match = _LOG_TIME.match(text) if text[4:5] == "-" else None
    if not match:
        return text
    times[line.number] = match["time"]
    return text[match.end() :]


def read(source: Source) -> Iterator[Item]:
    """Every block as its records."""
    file = _File(source)
    if any(holds_block(value) for value in source.head.first_records) and _is_json_lines(source.head):
        yield from file.json_lines()
    else:
        yield from file.text()


def _is_json_lines(head: Head) -> bool:
    return head.text.lstrip("\ufeff \t\r\n").startswith("{")


class _File:
    """A file on its way to a run, which begins with its first block."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._reader: Reader | None = None
        self._title: str | None = None
        self._is_named = False
        self._like: Counter[str] = Counter()
        self._count = 0

    def text(self) -> Iterator[Item]:
        lines = _Lines.of(self._source)
        self._title = next((match["title"] for text in lines.texts[:5] if (match := _TITLE.match(text))), None)
        blocks = list(blocks_in_lines(lines.texts, ended=lines.ended))
        ends = [*(block.line for block in blocks), len(lines.texts) + 1][1:]
        for block, until in zip(blocks, ends, strict=False):
            yield self._item(lines.flagged(block, until), lines.place(block), lines.time(block))

    def json_lines(self) -> Iterator[Item]:
        with self._source.open() as stream:
            for line, decoded in json_text.values(stream):
                place = Place(line.number, line.offset)
                if isinstance(decoded, Decoded):
                    yield from self._of_line(place, decoded, line)
                else:
                    yield unread(place, line, decoded)

    def _of_line(self, place: Place, decoded: Decoded, line: Line) -> Iterator[Item]:
        if not isinstance(decoded.value, dict | list):
            yield Rejected(place, "not_an_object", "the line is no JSON object", line.text)
            return
        blocks = list(blocks_of(decoded.value, line.number, decoded.flags))
        if not blocks:
            yield Skipped(place, "no_block")
        for block in blocks:
            yield self._item(block, place, None)

    def _item(self, block: Block, place: Place, occurred_at: datetime | None) -> Item:
        if reason := skipped_as(block):
            return Skipped(place, reason)
        begins = self._reader is None
        reader = self._reader or Reader(_run_id(self._source, block))
        item = reader.item(block, place, event_id=self._event_id(block), order=self._order(), occurred_at=occurred_at)
        if isinstance(item, Parsed):
            self._reader = reader
            runs = (self._run(reader),) if begins else ()
            return Parsed(place, (*runs, *self._naming(reader, block), *item.records))
        return item

    def _event_id(self, block: Block) -> str:
        """Kind, content, and the how-many-th of its like: three identical attempts are three events."""
        content = _digest([block.kind, block.fields])
        self._like[content] += 1
        return _digest([self._source.below, content, self._like[content]])

    def _order(self) -> int:
        self._count += 1
        return self._count

    def _run(self, reader: Reader) -> Run:
        return Run(
            run_id=reader.run_id,
            event_id="file",
            source=SOURCE,
            native_id=self._source.below,
            name=self._title and self._title[:_MOST_NAME],
        )

    def _naming(self, reader: Reader, block: Block) -> Iterator[Run]:
        """The first task that a state names is the run's name."""
        task = as_text(block.fields.get("task")) if block.kind == STATE else None
        if task and not self._is_named:
            self._is_named = True
            native_id = self._source.below
            yield Run(
                run_id=reader.run_id, event_id="task", source=SOURCE, native_id=native_id, recorded_seq=1,
                name=task[:_MOST_NAME],
            )  # fmt: skip


def _run_id(source: Source, first: Block) -> str:
    return file_run_key(SOURCE, source.below, [first.kind, first.fields])


def _digest(value: Any) -> str:
    return hashlib.sha256(_written(value).encode()).hexdigest()[:16]


ADAPTER = Adapter(
    name="nexus_blocks",
    version=1,
    title="nexus event blocks in journals, logs and JSON lines",
    recognised_by="a line such as _ERROR_EVENT: or _STEP_COMPLETE: with fields below it, or JSON with such keys",
    yields=("runs", "errors", "recoveries", "guardrails", "handoffs", "diagnoses", "reported metrics", "events"),
    recognise=recognise,
    read=read,
    record_is="block",
)
