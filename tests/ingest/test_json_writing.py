"""What is written is what the standard library writes: digests and stored texts follow from it."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.json_writing import writer

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize("ascii_only", [False, True])
@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize("sort_keys", [False, True])
@given(value=VALUES)
def test_it_is_the_text_of_the_standard_library(
    value: Any, *, sort_keys: bool, compact: bool, ascii_only: bool
) -> None:
    write = writer(sort_keys=sort_keys, compact=compact, ascii_only=ascii_only)
    separators = (",", ":") if compact else None
    assert write(value) == json.dumps(
        value, ensure_ascii=ascii_only, sort_keys=sort_keys, separators=separators, default=str
    )


def test_an_object_that_json_does_not_know_is_written_as_text() -> None:
    assert writer()({"at": 2 + 1j}) == '{"at":"(2+1j)"}'


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_no_number_is_refused_where_it_is_not_allowed(value: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        writer(allow_nan=False)([value])


def test_what_is_nested_without_end_is_refused() -> None:
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]
    with pytest.raises(RecursionError):
        writer()(value)
