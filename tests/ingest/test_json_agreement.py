"""The quick JSON reader and the strict one agree on every text; only the strict one can say what is wrong."""

from __future__ import annotations

import random

import pytest

from ingest import json_text
from ingest.json_text import Decoded, decode

TEXTS = (
    '{"a": 1}', "[]", "0", "-0", "-0.0", "1e5", "1E+5", "1e-400", "1e400", "-1e400", "0.1e1000", "1" * 400 + ".5",
    "9" * 30, "9223372036854775808", "9" * 5_000, "1.", ".5", "01", "NaN", "[Infinity]", "-Infinity", "tru", "null",
    '"\\ud83d\\ude00"', '"\\ud83d"', '"\\ude00\\ud83d"', '"\\u0000"', '"\\x"', '"\t"', '"\x7f"', '"caf\xe9 \u2028"',
    '{"a": 1, "a": 2}', '{"a": 1, "\\u0061": 2}', '{"a": {"b": 1, "b": 1}}', '{"a": 1,}', "[1,]", "{1: 2}", "1 2",
    "", " ", "\ufeff1", "\x0c1", "1\x00", "[" * 150 + "]" * 150, "[" * 250 + "]" * 250, "[" * 100_000, "\ud800",
    '{"near": [1.0, -1.0, 1.7976931348623157e308]}', '{"text": "g\\u0000\\u0000\\u0000\\u0000\\u0000\\u0000"}',
)  # fmt: skip
PIECES = (
    '"',
    ",",
    ":",
    "{",
    "}",
    "[",
    "]",
    "\\",
    "\\ud800",
    "1e400",
    "-0",
    "NaN",
    "\t",
    "\u00e9",
    '"a": 1, "a": 2',
    " ",
)


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: ascii(text[:20]))
def test_both_say_the_same(text: str) -> None:
    assert repr(decode(text)) == repr(json_text._decoded_strictly(text))


def test_both_say_the_same_of_texts_that_were_damaged() -> None:
    chance = random.Random(4)  # noqa: S311 - data, no secret
    texts = [text for text in TEXTS if len(text) < 100]
    for _ in range(4_000):
        text = chance.choice(texts)
        for _ in range(chance.randrange(1, 4)):
            at = chance.randrange(len(text) + 1)
            text = text[:at] + chance.choice(PIECES) + text[at + chance.choice((0, 0, 1, 3)) :]
        assert repr(decode(text)) == repr(json_text._decoded_strictly(text)), text


def test_what_is_common_never_reaches_the_strict_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(json_text, "_decoded_strictly")
    assert decode('{"a": [1.0, 2, "\\u00e9", null, true, {"b": -0.5e3}]}') == Decoded(
        {"a": [1.0, 2, "\u00e9", None, True, {"b": -500.0}]}
    )
