"""Event blocks as JSON objects: `{"_ERROR_EVENT": {…}}`, alone, in a list, or in the middle of a text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ingest.blocks.block import DIAGNOSIS, DIAGNOSIS_FIELDS, KIND_OF_NAME, NAMES, Block, field_name, named_fields
from ingest.blocks.body import without_nothing
from ingest.blocks.template import fields_told, is_template
from ingest.json_text import Decoded, decode
from ingest.json_writing import writer

_NAMED = re.compile(rf'"(?:{NAMES}|originated_at)"\s*:', re.IGNORECASE)
_TIMES = ("timestamp", "ts", "time")
_written = writer(compact=False)
_MOST_LINES = 2_000
_GLANCE = 40
_RAW = 4_000


@dataclass(frozen=True, slots=True)
class Found:
    """The blocks of a JSON value in a text, and the line after it."""

    blocks: tuple[Block, ...]
    end: int


def blocks_of(value: Any, line: int = 1, flags: tuple[str, ...] = ()) -> Iterator[Block]:
    """The blocks of a JSON value."""
    if isinstance(value, list):
        for item in value:
            yield from blocks_of(item, line, flags)
    elif isinstance(value, dict):
        yield from _of_object(value, line, flags)


def _of_object(value: dict[str, Any], line: int, flags: tuple[str, ...]) -> Iterator[Block]:
    written_at = next((value[key] for key in _TIMES if value.get(key)), None)
    found = False
    for key, body in value.items():
        if kind := KIND_OF_NAME.get(key.lower()):
            found = True
            for one in body if isinstance(body, list) else [body]:
                yield _block(kind, one, line, flags, written_at)
    if not found and is_diagnosis(value):
        yield _block(DIAGNOSIS, value, line, flags, written_at)


def _block(kind: str, body: Any, line: int, flags: tuple[str, ...], written_at: Any) -> Block:
    fields, twins = named_fields(without_nothing(body)) if isinstance(body, dict) else ({}, ())
    raw = _written(body)[:_RAW]
    template = is_template(kind, fields_told(fields))
    return Block(kind, line, fields, raw, (*flags, *twins), template, written_at=written_at)


def is_diagnosis(value: Any) -> bool:
    """A bare diagnosis: both places, and nothing that makes it another format's record."""
    if not isinstance(value, dict):
        return False
    names = {field_name(key) for key in value}
    return {"observed_at", "originated_at"} <= names <= DIAGNOSIS_FIELDS | set(_TIMES)


def holds_block(value: Any) -> bool:
    """The object is one of these blocks."""
    return isinstance(value, dict) and (any(key.lower() in KIND_OF_NAME for key in value) or is_diagnosis(value))


def json_blocks(lines: Sequence[str], at: int) -> Found | None:
    """The blocks of the JSON value that begins on this line; None where there is none."""
    alone = decode(lines[at])
    if isinstance(alone, Decoded):
        found = tuple(blocks_of(alone.value, at + 1, alone.flags))
        return Found(found, at + 1) if found else None
    if not _NAMED.search("\n".join(lines[at : at + _GLANCE])):
        return None
    is_list = lines[at].lstrip().startswith("[")
    text = "\n".join(lines[at:] if is_list else lines[at : at + _MOST_LINES])
    blocks: list[Block] = []
    line, seen = at + 1, 0
    for start, end in _values(text, is_list=is_list):
        line, seen = line + text.count("\n", seen, start), start
        decoded = decode(text[start:end])
        if isinstance(decoded, Decoded):
            named = blocks_of(decoded.value, line, decoded.flags)
            blocks += [_at_its_name(block, text[start:end], line) for block in named]
        line, seen = line + text.count("\n", seen, end), end
    return Found(tuple(blocks), line) if blocks else None


def _at_its_name(block: Block, text: str, first_line: int) -> Block:
    """The block with the line its name stands on."""
    names = "|".join(name for name, kind in KIND_OF_NAME.items() if kind == block.kind)
    found = re.compile(f'"(?:{names})"', re.IGNORECASE).search(text) if names else None
    return replace(block, line=first_line + text.count("\n", 0, found.start())) if found else block


def _values(text: str, *, is_list: bool) -> Iterator[tuple[int, int]]:
    """Where each object of the text begins and ends: the one value, or the elements of its list."""
    decoder = json.JSONDecoder(strict=False)
    at = text.index("[") + 1 if is_list else 0
    while (start := text.find("{", at)) >= 0:
        try:
            _, at = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            return
        yield start, at
        if not is_list or text[at : at + _GLANCE].lstrip()[:1] != ",":
            return
