"""The JSON values of an export, whatever its layout: lines, a list, one document, or a list inside an envelope.

A list is taken apart by its brackets before it is decoded, so that one unreadable element, or a cut end,
never takes its neighbours with it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ingest.adapter import Place, Rejected, Skipped, unread
from ingest.json_text import UTF16_MARKS, Decoded, Fault, Line, decode, decoded_leniently, decoded_lines, lines
from ingest.source import Head, Source

_RAW = 2_000
_LOOKED_AT = 50
_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"|"|[{}\[\],]', re.DOTALL)
_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()
_OPENING, _CLOSING = frozenset("{["), frozenset("}]")


@dataclass(frozen=True, slots=True)
class Unit:
    """One JSON value of a file, where it stands and what had to be said about it."""

    value: Any
    place: Place
    raw: str
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Piece:
    """The text of one list element; not closed where the file ends inside it."""

    text: str
    offset: int
    closed: bool


def units(source: Source, *envelopes: str) -> Iterator[Unit | Rejected | Skipped]:
    """Every value of the file; a list under one of the `envelopes` keys counts as its elements."""
    if source.head.is_lines:
        yield from _line_units(source, envelopes)
    else:
        yield from _document_units(source, envelopes)


def glimpses(head: Head, *envelopes: str) -> Iterator[dict[str, Any]]:
    """The first objects of the file, as `units` would give them, to recognise it by."""
    if envelopes not in head.glimpsed:
        head.glimpsed[envelopes] = list(_glimpsed(head, envelopes))
    yield from head.glimpsed[envelopes]


def _glimpsed(head: Head, envelopes: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    if head.is_lines:
        found: Iterator[Any] = (item for value in head.first_records for item in _opened(value, envelopes))
    elif head.text.lstrip().startswith(("{", "[")):
        found = _document_glimpses(head, envelopes)
    else:
        return
    yield from (value for value, _ in zip(found, range(_LOOKED_AT), strict=False) if isinstance(value, dict))


def _document_glimpses(head: Head, envelopes: tuple[str, ...]) -> Iterator[Any]:
    start = _list_start(head.text, envelopes)
    closed = [] if start is None else [piece for piece in _pieces(head.text, start, _LOOKED_AT) if piece.closed]
    if not closed:
        yield from _opened(_first_value(head) if head.document is None else head.document, envelopes)
    for piece in closed:
        decoded = decode(piece.text)
        if isinstance(decoded, Decoded):
            yield decoded.value


def _first_value(head: Head) -> Any:
    """The value that the text begins with, where other values or other text follow it."""
    try:
        return _DECODER.raw_decode(head.text, _past_space(head.text, 0))[0]
    except (ValueError, RecursionError):
        return None


def is_single(head: Head) -> bool:
    """The file is one object, not rows of any kind."""
    return head.text.lstrip().startswith("{") and not head.is_lines


def _opened(value: Any, envelopes: tuple[str, ...]) -> list[Any]:
    if isinstance(value, list):
        return value
    if isinstance(value, dict):
        for key in envelopes:
            if isinstance(value.get(key), list):
                return list(value[key])
    return [value]


def _line_units(source: Source, envelopes: tuple[str, ...]) -> Iterator[Unit | Rejected | Skipped]:
    with source.open() as stream:
        yield from units_of(lines(stream), *envelopes)


def units_of(some: Iterable[Line], *envelopes: str) -> Iterator[Unit | Rejected | Skipped]:
    """Every value of these lines. Where a line is read in parts, the place says how many records come before."""
    for line, decoded in decoded_lines(some):
        place = Place(line.number, line.offset, ordinal=line.before or None)
        if isinstance(decoded, Decoded):
            for value in _opened(decoded.value, envelopes):
                yield Unit(value, place, line.text[:_RAW], decoded.flags)
        else:
            yield unread(place, line, decoded)


def _document_units(source: Source, envelopes: tuple[str, ...]) -> Iterator[Unit | Rejected | Skipped]:
    data = source.data()
    text = decoded_leniently(data)
    flags = _encoding_flags(data)
    start = _list_start(text, envelopes)
    if start is not None:
        yield from _element_units(text, start, flags)
        return
    whole = decode(text)
    if isinstance(whole, Fault):
        if not text.strip():
            return
        if whole.reason == "text_after_value":
            yield from _successive_units(text, envelopes, flags)
            return
        yield Rejected(Place(1, 0), whole.reason, whole.message, text[:_RAW])
        return
    yield from _opened_units(whole, Place(1, 0), text, envelopes, flags)


def _successive_units(text: str, envelopes: tuple[str, ...], flags: tuple[str, ...]) -> Iterator[Unit | Rejected]:
    """The values of a text that holds several, one after the other, as pretty printers write a stream."""
    line, at, offset = 1, 0, 0
    while (begin := _past_space(text, at)) < len(text):
        line += text.count("\n", at, begin)
        offset += begin - at
        place = Place(line, offset)
        try:
            at = _DECODER.raw_decode(text, begin)[1]
        except (ValueError, RecursionError):
            yield _text_after(text[begin:], place)
            return
        line += text.count("\n", begin, at)
        offset += len(text[begin:at].encode())
        whole = decode(text[begin:at])
        if isinstance(whole, Fault):
            yield Rejected(place, whole.reason, whole.message, text[begin:at][:_RAW])
        else:
            yield from _opened_units(whole, place, text[begin:at], envelopes, flags)


def _opened_units(
    whole: Decoded, place: Place, text: str, envelopes: tuple[str, ...], flags: tuple[str, ...]
) -> Iterator[Unit]:
    for value in _opened(whole.value, envelopes):
        yield Unit(value, place, text[:_RAW], (*whole.flags, *flags))


def _text_after(text: str, place: Place) -> Rejected:
    """What stands behind the last whole value: a value that is broken or cut, or no JSON at all."""
    fault = decode(text)
    if text.startswith(("{", "[")) and isinstance(fault, Fault):
        return Rejected(place, fault.reason, fault.message, text[:_RAW])
    return Rejected(place, "text_after_value", "there is text after the last JSON value", text[:_RAW])


def _encoding_flags(data: bytes) -> tuple[str, ...]:
    if data.startswith(UTF16_MARKS):
        return ()
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return ("not_utf8",)
    return ()


def _list_start(text: str, envelopes: tuple[str, ...]) -> int | None:
    """Where the elements begin: after the bracket of the document, or of the envelope that opens it."""
    keys = "|".join(re.escape(key) for key in envelopes)
    opening = re.compile(rf'\s*(?:\{{\s*"(?:{keys})"\s*:\s*)?\[') if keys else re.compile(r"\s*\[")
    found = opening.match(text)
    return found.end() if found else None


def _element_units(text: str, start: int, flags: tuple[str, ...]) -> Iterator[Unit | Rejected]:
    line, counted = 1, 0
    for piece in _pieces(text, start):
        line += text.count("\n", counted, piece.offset)
        counted = piece.offset
        yield _element_unit(piece, Place(line, piece.offset), flags)


def _element_unit(piece: _Piece, place: Place, flags: tuple[str, ...]) -> Unit | Rejected:
    if not piece.closed:
        return Rejected(place, "not_json", "the file ends inside this element", piece.text[:_RAW])
    decoded = decode(piece.text)
    if isinstance(decoded, Fault):
        return Rejected(place, decoded.reason, decoded.message, piece.text[:_RAW])
    return Unit(decoded.value, place, piece.text[:_RAW], (*decoded.flags, *flags))


def _pieces(text: str, start: int, most: int | None = None) -> Iterator[_Piece]:
    """The elements of the list whose bracket ends at `start`."""
    at, seen = _past_space(text, start), 0
    while at < len(text) and text[at] != "]" and seen != most:
        end = _whole_value_end(text, at)
        if end is None:
            end = _bracketed_end(text, at)
        if end is None:
            yield _Piece(text[at:], at, closed=False)
            return
        if text[at:end].strip():
            yield _Piece(text[at:end].strip(), at, closed=True)
            seen += 1
        at = _past_space(text, end + 1) if text[end : end + 1] == "," else end


def _past_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _whole_value_end(text: str, begin: int) -> int | None:
    """Where the element ends that begins here, if it can be read and a comma, a bracket or the file's end follows."""
    try:
        value, after = _DECODER.raw_decode(text, begin)
    except (ValueError, RecursionError):
        return None
    end = _past_space(text, after)
    if end == len(text):
        return end if isinstance(value, dict | list) else None
    return end if text[end] in ",]" else None


def _bracketed_end(text: str, begin: int) -> int | None:
    """Where an unreadable element ends, by its brackets alone; None where the file ends inside it."""
    depth = 0
    for token in _TOKENS.finditer(text, begin):
        mark = token[0]
        if mark in _OPENING:
            depth += 1
        elif mark in _CLOSING and depth:
            depth -= 1
        elif depth == 0 and mark in (",", "]"):
            return token.start()
    return None
