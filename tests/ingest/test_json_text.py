"""JSON as people have it: every kind of damage has its reason, everything else keeps its value."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from ingest import json_text
from ingest.json_text import Decoded, Fault, decode, first_values, lines, values

KEPT: list[tuple[str, str, Any, tuple[str, ...]]] = [
    ("a plain object", '{"a": 1}', {"a": 1}, ()),
    ("space around it", '  {"a": 1}\t', {"a": 1}, ()),
    ("twenty digits", '{"a": 12345678901234567890}', {"a": 12345678901234567890}, ()),
    ("a key that stands twice", '{"a": 1, "a": 2}', {"a": 2}, ("duplicate_key",)),
    ("a key that stands twice, deep inside", '{"b": [{"a": 1, "a": 2}]}', {"b": [{"a": 2}]}, ("duplicate_key",)),
    ("NaN", '{"a": NaN}', {"a": None}, ("nan",)),
    ("Infinity", '{"a": [Infinity, -Infinity]}', {"a": [None, None]}, ("nan",)),
    ("NaN as text", '{"a": "NaN"}', {"a": "NaN"}, ()),
    ("half of a pair", r'{"a": "x\ud83dy"}', {"a": "x\ufffdy"}, ("lone_surrogate",)),
    ("the other half", r'{"a": "\ude00"}', {"a": "\ufffd"}, ("lone_surrogate",)),
    ("half of a pair in a key", r'{"\ud83d": 1}', {"\ufffd": 1}, ("lone_surrogate",)),
    ("a whole pair", r'{"a": "\ud83d\ude00"}', {"a": "\U0001f600"}, ()),
    ("an escaped backslash before u", r'{"a": "\\ud83d"}', {"a": r"\ud83d"}, ()),
    ("an escaped NUL", r'{"a": "\u0000"}', {"a": "\0"}, ()),
    ("a long exponent that is finite", '{"a": 1e-400}', {"a": 0.0}, ()),
    ("no object", "[1, null]", [1, None], ()),
]
REFUSED = [
    ("a bad escape in the middle", r'{"a": "C:\qux", "b": 1}', "bad_escape", False),
    ("a bad unicode escape in the middle", r'{"a": "\u12", "b": 1}', "bad_escape", False),
    ("text after the object", '{"a": 1} done', "text_after_value", False),
    ("a second object", '{"a": 1}{"b": 2}', "text_after_value", False),
    ("a raw NUL", '{"a": "\0"}', "control_character", False),
    ("a raw line feed", '{"a": "x\ny"}', "control_character", False),
    ("no JSON", "starting the agent", "not_json", False),
    ("single quotes", "{'a': 1}", "not_json", False),
    ("a number of 5,000 digits", f'{{"a": {"9" * 5000}}}', "bad_number", False),
    ("a number larger than any double", '{"a": 1e999}', "bad_number", False),
    ("nested 100,000 deep", "[" * 100_000, "too_deep", False),
    ("cut in a text", '{"a": "x', "not_json", True),
    ("cut after a key", '{"a"', "not_json", True),
    ("cut in a word", '{"a": tru', "not_json", True),
    ("cut after a backslash", '{"a": "x\\', "not_json", True),
    ("cut in a unicode escape", r'{"a": "\u12', "bad_escape", True),
]


@pytest.mark.parametrize(("text", "value", "flags"), [case[1:] for case in KEPT], ids=[case[0] for case in KEPT])
def test_what_can_be_kept_is_kept_with_a_flag(text: str, value: Any, flags: tuple[str, ...]) -> None:
    assert decode(text) == Decoded(value, flags)


@pytest.mark.parametrize(("text", "reason", "cut"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_what_cannot_be_kept_has_a_stable_reason(text: str, reason: str, *, cut: bool) -> None:
    fault = decode(text)
    assert isinstance(fault, Fault)
    assert (fault.reason, fault.cut) == (reason, cut)


@pytest.mark.parametrize("at", range(1, len('{"a": [1, "x\\u00e9", {"b": null}]}')))
def test_every_beginning_of_an_object_could_still_become_one(at: int) -> None:
    fault = decode('{"a": [1, "x\\u00e9", {"b": null}]}'[:at])
    assert isinstance(fault, Fault)
    assert fault.cut


def test_300_levels_are_kept_as_they_are() -> None:
    text = '{"a":' * 300 + "1" + "}" * 300
    decoded = decode(text)
    assert isinstance(decoded, Decoded)
    assert json.dumps(decoded.value, separators=(",", ":")) == text


def test_depth_that_cannot_be_walked_is_a_fault_also_beside_a_lone_surrogate() -> None:
    fault = decode(r'["\ud800",' + "[" * 900 + "]" * 900 + "]")
    assert isinstance(fault, Fault)
    assert fault.reason == "too_deep"


PLACES: list[tuple[str, bytes, list[tuple[int, int, str, bool]]]] = [
    ("two lines", b"a\nb\n", [(1, 0, "a", True), (2, 2, "b", True)]),
    ("no last line end", b"a\nb", [(1, 0, "a", True), (2, 2, "b", False)]),
    ("CRLF", b"a\r\nb\r\n", [(1, 0, "a", True), (2, 3, "b", True)]),
    ("blank lines count and are not records", b"a\n\n \t\nb\n", [(1, 0, "a", True), (4, 6, "b", True)]),
    ("a blank first line", b"\na\nb\n", [(2, 1, "a", True), (3, 3, "b", True)]),
    ("two blank first lines", b"\n\na\n", [(3, 2, "a", True)]),
    ("CRLF first", b"\r\na\n", [(2, 2, "a", True)]),
    ("one character", b"a", [(1, 0, "a", False)]),
    ("one character and a line end", b"a\nbc\n", [(1, 0, "a", True), (2, 2, "bc", True)]),
    ("a UTF-8 mark", b"\xef\xbb\xbfa\nb\n", [(1, 3, "a", True), (2, 5, "b", True)]),
    ("only a mark", b"\xef\xbb\xbf", []),
    ("empty", b"", []),
    ("only blank lines", b"\n\n", []),
    ("a line separator inside a line", "a\u2028b\n".encode(), [(1, 0, "a\u2028b", True)]),
    ("UTF-16", "\ufeffa\nb".encode("utf-16-le"), [(1, 2, "a", True), (2, 6, "b", False)]),
    ("UTF-16 big endian", "\ufeffa\r\nb\n".encode("utf-16-be"), [(1, 2, "a", True), (2, 8, "b", True)]),
    ("separators inside UTF-16", "\ufeffa\u2028b\x85c\n".encode("utf-16-le"), [(1, 2, "a\u2028b\x85c", True)]),
]


@pytest.mark.parametrize(("data", "expected"), [case[1:] for case in PLACES], ids=[case[0] for case in PLACES])
def test_every_line_has_its_number_and_offset(data: bytes, expected: list[tuple[int, int, str, bool]]) -> None:
    found = lines(io.BytesIO(data))
    assert [(line.number, line.offset, line.text, line.ended) for line in found] == expected


def test_a_line_that_is_not_utf8_says_where() -> None:
    ((_line, fault),) = values(io.BytesIO(b'{"a": "caf\xe9 au lait"}\n'))
    assert isinstance(fault, Fault)
    assert (fault.reason, fault.message, fault.cut) == ("not_utf8", "byte 11 of the line is not UTF-8", False)


def test_a_line_cut_inside_a_character_could_still_become_whole() -> None:
    ((line, fault),) = values(io.BytesIO('{"a": "é'.encode()[:-1]))
    assert isinstance(fault, Fault)
    assert (fault.reason, fault.cut, line.ended) == ("not_utf8", True, False)


def test_a_line_longer_than_can_be_held_is_one_fault_and_the_next_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_text, "MAX_LINE", 100)
    data = b'{"a": 1}\n' + b'{"b": "' + b"x" * 350 + b'"}\n' + b'{"c": 3}\n'
    found = list(values(io.BytesIO(data)))
    assert [(line.number, line.offset) for line, _ in found] == [(1, 0), (2, 9), (3, data.index(b'{"c"'))]
    middle = found[1][1]
    assert isinstance(middle, Fault)
    assert (middle.reason, middle.cut) == ("line_too_long", False)
    assert found[2][1] == Decoded({"c": 3})


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'{"a": 1}\n{"b": 2}\n', True),
        (b'{"a": 1}\n', False),
        (b'{\n"a": 1}\n', False),
        (b"[\n1\n]\n", False),
        (b"", False),
    ],
)
def test_lines_are_told_from_a_document(data: bytes, *, expected: bool) -> None:
    assert json_text.is_lines(io.BytesIO(data)) is expected


@pytest.mark.parametrize("text", [case[1] for case in KEPT], ids=[case[0] for case in KEPT])
def test_a_line_that_holds_a_value_is_among_the_first_ones(text: str) -> None:
    value = json.loads(text, parse_constant=lambda _: None)
    found = list(first_values(io.BytesIO(f"{text} \r\n".encode(errors="surrogatepass")), 5))
    assert found == [value] or "\ufffd" in str(found)


@pytest.mark.parametrize("line", ["{", "[", '"name": "x",', "},", "]", "}", '"list": [', '"last": 1', ",", ":"])
def test_a_piece_of_a_document_is_no_first_value(line: str) -> None:
    assert list(first_values(io.BytesIO(f"{line}\n7\n".encode()), 5)) == [7]


def test_only_so_many_lines_are_looked_at_for_the_first_values() -> None:
    assert list(first_values(io.BytesIO(b"1\n\n{\n2\n3\n"), 3)) == [1, 2]
