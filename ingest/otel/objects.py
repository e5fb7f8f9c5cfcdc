"""JSON objects that stand in a text one after the other, with other text between them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ingest import json_text
from ingest.adapter import Place
from ingest.json_text import Decoded, Fault

_BEGINS = re.compile(r"^[ \t]*(?=\{)", re.MULTILINE)
# Where one object ends another may begin, without a new line.
_FOLLOWS = re.compile(r"\s*(?=\{)")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text: a JSON object, a broken one (Fault), or text that is none (None)."""

    place: Place
    text: str
    value: Decoded | Fault | None


def object_at(text: str, start: int) -> tuple[Decoded | Fault, int]:
    """The JSON object that begins at `start`, and where it ends; a broken one ends nowhere."""
    try:
        end = _DECODER.raw_decode(text, start)[1]
    except (ValueError, RecursionError):
        found = json_text.decode(text[start:])
        return found if isinstance(found, Fault) else Fault("not_json", "the object cannot be read"), start
    return json_text.decode(text[start:end]), end


def pieces(text: str) -> Iterator[Piece]:
    """Every object that begins a line, and what stands between them."""
    at, line = 0, 1
    while at < len(text):
        begins = _FOLLOWS.match(text, at) or _BEGINS.search(text, at)
        start = begins.end() if begins else len(text)
        yield from _between(text, at, start, line)
        line += text.count("\n", at, start)
        if not begins:
            return
        value, end = object_at(text, start)
        if isinstance(value, Fault):
            end = _next_line(text, start)
        yield Piece(Place(line), text[start:end], value)
        line += text.count("\n", start, end)
        at = end


def _next_line(text: str, start: int) -> int:
    """Where a broken object gives way: at the next one that begins in the first column."""
    follows = text.find("\n{", start)
    return len(text) if follows < 0 else follows + 1


def _between(text: str, start: int, end: int, line: int) -> Iterator[Piece]:
    if text[start:end].strip():
        yield Piece(Place(line), text[start:end], None)
