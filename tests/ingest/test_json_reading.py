"""What is read is what the standard library reads: digests follow from it."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.json_reading import value_of

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
TEXTS = (
    "-0", "-0.0", "1E400", "-1e999", "1e-400", "2.2250738585072011e-308", "9007199254740993.0", "0.1000000000000000055",
    "[18446744073709551616, 1.0, 1]", '{"a": 1, "b": 2, "a": 3}', "[Infinity, -Infinity]", '"\\ud83d\\ude00"',
    # Half of a surrogate pair, as an escape and as it is.
    '"\\ud800"', '"\ud800"', '"\\u0000"', '"\u2028"', " [1]\r\n", f"{'[' * 500}{']' * 500}",
)  # fmt: skip
NO_VALUES = ("", "[", "[1,]", '{"a":1,}', "01", "+1", "[1] 2", '"\t"', "'a'", "\ufeff[]", "[\u00a01]", "9" * 5_000)


@given(value=VALUES, spaced=st.booleans(), ascii_only=st.booleans())
def test_it_is_the_value_of_the_standard_library(value: Any, *, spaced: bool, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=1 if spaced else None)
    assert repr(value_of(text)) == repr(json.loads(text))


@pytest.mark.parametrize("text", TEXTS)
def test_so_it_is_where_readers_differ(text: str) -> None:
    assert repr(value_of(text)) == repr(json.loads(text))


def test_no_number_is_a_value() -> None:
    assert math.isnan(value_of("[NaN]")[0])


@pytest.mark.parametrize("text", NO_VALUES)
def test_what_it_refuses_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - which text of which reader says so is of no account
        json.loads(text)
    with pytest.raises(ValueError):  # noqa: PT011
        value_of(text)


def test_what_is_nested_without_end_is_refused() -> None:
    with pytest.raises(RecursionError):
        value_of("[" * 100_000)
