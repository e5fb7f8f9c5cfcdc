from __future__ import annotations

from typing import Any

import pytest

from ingest.vendor.values import Notes, digest, real, storable, whole, within, words


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (3, 3),
        ("3", 3),
        (" -3 ", -3),
        (3.0, 3),
        (3.5, None),
        (True, None),
        ("3.5", None),
        ("", None),
        ("9" * 5_000, None),
        (float("nan"), None),
        (float("inf"), None),
        ("٣", None),
        ([], None),
    ],
)
def test_whole_numbers(value: Any, expected: int | None) -> None:
    assert whole(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.5, 0.5), ("0.5", 0.5), (2, 2.0), ("nan", None), ("1e999", None), (10**400, None), (True, None), ("x", None)],
)
def test_real_numbers(value: Any, expected: float | None) -> None:
    assert real(value) == expected


def test_a_number_too_large_for_a_column_keeps_its_digits() -> None:
    notes = Notes()
    assert notes.count("tokens", 2**64 - 1) is None
    assert (notes.all(), notes.kept) == (("out_of_range",), {"tokens": 18446744073709551615})


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('{"a": 1}', {"a": 1}),
        ("[1]", [1]),
        ("{not json", "{not json"),
        ("plain", "plain"),
        ("", ""),
        (5, 5),
        ('"x"', "x"),
    ],
)
def test_json_inside_a_text(value: Any, expected: Any) -> None:
    assert within(value) == expected


def test_what_is_nested_too_deep_becomes_text() -> None:
    deep: Any = 1
    for _ in range(300):
        deep = {"a": deep}
    notes = Notes()
    kept = storable({"deep": deep, "flat": {"b": [1]}}, notes)
    assert isinstance(kept["deep"], str)
    assert kept["flat"] == {"b": [1]}
    assert notes.all() == ("too_deep",)


def test_equal_inputs_have_one_digest() -> None:
    assert digest('{"a": 1, "b": 2}') == digest({"b": 2, "a": 1})
    assert digest({}) is digest(None) is digest("") is None


def test_words_are_one_line() -> None:
    assert words("a\n  b\tc") == "a b c"
    assert len(words("x" * 900) or "") == 200
