"""JSON as people have it: one strict reader with named reasons, used by every adapter.

Nothing is repaired in silence. What can be kept is kept with a flag (`duplicate_key`, `nan`,
`lone_surrogate`); what cannot is a fault with a stable reason and the place where it stands.
"""

from __future__ import annotations

import json
import marshal
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, BinaryIO, NamedTuple

import jiter

UTF8_MARK = b"\xef\xbb\xbf"
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_INFINITY, _MINUS_INFINITY = (marshal.dumps(number, 2) for number in (math.inf, -math.inf))
# Only the sign tells them apart, which stands in the last byte.
_BOTH_BEGIN = _INFINITY[:-1]
_MAY_HOLD_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_UNFINISHED_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,4})?\Z")
MAX_LINE = 64 * 1024 * 1024
_SHOWN = 4096
_CLOSES = {"{": "}", "[": "]", '"': '"', "}": "", "]": "", ",": ""}


class Decoded(NamedTuple):
    """A JSON value and what had to be said about it."""

    value: Any
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a text is no JSON value. `cut` is true where more text could still make it one."""

    reason: str
    message: str
    cut: bool = False


class Line(NamedTuple):
    """One line of a file: its number from 1, byte offset, text, and whether a line end closes it.

    Of a line that is read in parts, `before` is how many records of it come before those of this part.
    """

    number: int
    offset: int
    text: str
    ended: bool
    fault: Fault | None = None
    before: int = 0


_TOO_LONG = Fault("line_too_long", f"the line is longer than {MAX_LINE} bytes")


class _Pairs:
    """Collects what json.loads would hide: keys that stand twice."""

    __slots__ = ("flags",)

    def __init__(self) -> None:
        self.flags: set[str] = set()

    def object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) != len(pairs):
            self.flags.add("duplicate_key")
        return value

    def constant(self, _name: str) -> None:
        self.flags.add("nan")


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return _LONE_SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_without_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    return value


def _may_hold_surrogates(text: str) -> bool:
    """Cheap for what is common: plain ASCII without escapes is not searched at all."""
    escaped = "\\u" in text and _MAY_HOLD_SURROGATE.search(text)
    return bool(escaped) or (not text.isascii() and _LONE_SURROGATE.search(text) is not None)


def _finite(text: str) -> float:
    """The number; raises where it is larger than any double, which json would read as Infinity."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:40]} is larger than any number that can be kept")
    return number


def _fault(error: json.JSONDecodeError) -> Fault:
    message = f"{error.msg} at character {error.pos + 1}"
    if error.msg == "Extra data":
        return Fault("text_after_value", f"there is text after the JSON value, from character {error.pos + 1}")
    rest = len(error.doc) - error.pos
    if error.msg.startswith("Invalid \\"):
        unfinished = _UNFINISHED_ESCAPE.search(error.doc)
        return Fault("bad_escape", message, cut=unfinished is not None and error.pos >= unfinished.start())
    if error.msg.startswith("Invalid control"):
        return Fault("control_character", message)
    return Fault("not_json", message, cut=error.msg.startswith("Unterminated string") or rest <= 5)


def decode(text: str) -> Decoded | Fault:
    """The one JSON value of a text, or why there is none.

    What the quick reader refuses (a key that stands twice, NaN, a lone surrogate, great depth, what is no JSON) goes to
    the one that can say what it is and where. They agree on everything else; a test holds them to it.
    """
    try:
        value = jiter.from_json(text.encode(), allow_inf_nan=False, catch_duplicate_keys=True)
    except ValueError:
        return _decoded_strictly(text)
    return _decoded_strictly(text) if _holds_infinity(value) else Decoded(value)


def _holds_infinity(value: Any) -> bool:
    """A number was larger than any double. To look for its bytes is quicker than to visit every number."""
    written = marshal.dumps(value, 2)
    return _BOTH_BEGIN in written and (_INFINITY in written or _MINUS_INFINITY in written)


def _decoded_strictly(text: str) -> Decoded | Fault:
    pairs = _Pairs()
    try:
        value = json.loads(text, object_pairs_hook=pairs.object, parse_constant=pairs.constant, parse_float=_finite)
        if _may_hold_surrogates(text):
            clean = _without_surrogates(value)
            if clean != value:
                return Decoded(clean, (*sorted(pairs.flags), "lone_surrogate"))
    except json.JSONDecodeError as error:
        return _fault(error)
    except RecursionError:
        return Fault("too_deep", "the value is nested deeper than can be read")
    except ValueError as error:
        return Fault("bad_number", f"a number cannot be read: {error}")
    return Decoded(value, tuple(sorted(pairs.flags)))


def decoded_leniently(data: bytes) -> str:
    """Bytes as text for looking at: marks resolved, undecodable bytes replaced."""
    if data.startswith(UTF16_MARKS):
        return data[: len(data) // 2 * 2].decode("utf-16", errors="replace")
    return data.removeprefix(UTF8_MARK).decode("utf-8", errors="replace")


def _text_of(raw: bytes) -> tuple[str, Fault | None]:
    try:
        return raw.decode("utf-8"), None
    except UnicodeDecodeError as error:
        return raw.decode("utf-8", errors="replace"), Fault(
            "not_utf8",
            f"byte {error.start + 1} of the line is not UTF-8",
            cut=error.reason == "unexpected end of data",
        )


def lines(stream: BinaryIO) -> Iterator[Line]:
    """Every line that is not blank, with number and byte offset; UTF-8 and UTF-16 marks are resolved."""
    mark = stream.read(2)
    if mark in UTF16_MARKS:
        yield from _utf16_lines(mark + stream.read())
        return
    yield from _byte_lines(mark, stream)


def _byte_lines(first: bytes, stream: BinaryIO) -> Iterator[Line]:
    offset = 0
    for number, raw in enumerate(_raw_lines(first, stream), start=1):
        size = len(raw)
        # Nothing is wrong with most lines, and the last byte of those is a line feed.
        if size < MAX_LINE and number > 1 and raw.endswith(b"\n"):
            body = raw.rstrip(b"\r\n")
            if body and not body.isspace():
                try:
                    yield Line(number, offset, body.decode(), ended=True)
                except UnicodeDecodeError:
                    yield from line_of(raw, number, offset)
        else:
            yield from line_of(raw, number, offset)
            size += rest_of_line(stream) if is_overlong(raw) else 0
        offset += size


def _raw_lines(first: bytes, stream: BinaryIO) -> Iterator[bytes]:
    """The lines with their ends; `first` was read to look for a mark and may itself hold line ends."""
    head, mark, rest = first.rpartition(b"\n")
    if mark:
        yield from (head + mark).splitlines(keepends=True)
    if pending := rest + stream.readline(MAX_LINE):
        yield pending
        yield from iter(partial(stream.readline, MAX_LINE), b"")


def rest_of_line(stream: BinaryIO) -> int:
    """The bytes up to the end of the line, passed over and not held in memory."""
    size = 0
    while piece := stream.readline(MAX_LINE):
        size += len(piece)
        if piece.endswith(b"\n"):
            break
    return size


def is_overlong(raw: bytes) -> bool:
    """As many bytes as a line may have, and still no line end."""
    return len(raw) >= MAX_LINE and not raw.endswith(b"\n")


def line_of(raw: bytes, number: int, offset: int) -> Iterator[Line]:
    """The line of these bytes, which have its end; none where it is blank."""
    if line := _line_of(raw, number, offset):
        yield line


def _line_of(raw: bytes, number: int, offset: int) -> Line | None:
    if is_overlong(raw):
        return Line(number, offset, raw[:_SHOWN].decode("utf-8", errors="replace"), ended=True, fault=_TOO_LONG)
    mark = len(UTF8_MARK) if number == 1 and raw.startswith(UTF8_MARK) else 0
    body = raw[mark:].rstrip(b"\r\n")
    if not body or body.isspace():
        return None
    text, fault = _text_of(body)
    return Line(number, offset + mark, text, raw.endswith(b"\n"), fault)


def _utf16_lines(data: bytes) -> Iterator[Line]:
    offset = 2
    text = decoded_leniently(data)
    # Only a line feed ends a line: splitlines would also break at U+2028 and U+0085 inside a value.
    *ended, last = text.split("\n")
    for number, line in enumerate((*ended, last), start=1):
        body = line.rstrip("\r")
        if body.strip():
            yield Line(number, offset, body, number <= len(ended))
        offset += len(f"{line}\n".encode("utf-16-le"))


def values(stream: BinaryIO) -> Iterator[tuple[Line, Decoded | Fault]]:
    """Every line with its JSON value or its fault.

    A fault that is `cut` on an unended line is the incomplete last line of a file that may still be written.
    """
    yield from decoded_lines(lines(stream))


def decoded_lines(some: Iterable[Line]) -> Iterator[tuple[Line, Decoded | Fault]]:
    """The lines, each with its JSON value or its fault."""
    for line in some:
        yield line, line.fault or decode(line.text)


def first_values(stream: BinaryIO, most: int) -> Iterator[Any]:
    """The values of the first lines that hold one; at most `most` lines are looked at."""
    for line in islice(lines(stream), most):
        if line.fault is None and _may_be_whole(line.text) and isinstance(decoded := decode(line.text), Decoded):
            yield decoded.value


def _may_be_whole(text: str) -> bool:
    """The text ends as the value that it begins: a line of a document that is spread over many mostly does not."""
    told = text.strip(" \t\r\n")
    return told[-1:] == _CLOSES.get(told[:1], told[-1:])


def is_lines(stream: BinaryIO) -> bool:
    """The first line is a whole value and another line follows: then the file is no single document."""
    found = lines(stream)
    first = next(found, None)
    return first is not None and next(found, None) is not None and isinstance(decode(first.text), Decoded)


def may_begin_document(line: str) -> bool:
    """More lines can make one value of it; what opens with a key is mostly a record that was cut."""
    if not line.startswith(("{", "[")) or line.startswith('{"'):
        return False
    decoded = decode(line)
    return isinstance(decoded, Decoded) or decoded.reason != "text_after_value"


def is_value(text: str) -> bool:
    """The text is one JSON value."""
    return isinstance(decode(text), Decoded)


def whole_document(data: bytes) -> Any:
    """The file as one JSON value, or None where it is not one."""
    decoded = decode(decoded_leniently(data))
    return decoded.value if isinstance(decoded, Decoded) else None
