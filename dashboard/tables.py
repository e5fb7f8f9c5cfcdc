"""Tables of recorded text: cells are drawn, never read as markup."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.wording import ABSENT, OUTCOMES, outcome

ROW_HEIGHT = 32
_HEADER = 38
# Where something stands is told by its digits, as in the record; how many there are is told as in the texts.
_PLACES = ("Line", "Seq")
_NEEDS_SEPARATORS = 1_000
# Embeddings, overrides and isolates of Unicode's bidirectional algorithm.
_DIRECTIONS = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)], "\ufffd")


def table(
    rows: Sequence[Any],
    cells: Mapping[str, Callable[[Any], object]],
    *,
    alt: str,
    config: Mapping[str, Any] | None = None,
    shown_rows: int = 12,
    optional: Collection[str] = (),
    **options: Any,
) -> Any:
    """A table with one column for each name in `cells`, at most `shown_rows` high before it scrolls.

    An `optional` column is left away where no row has a value for it.
    """
    columns = {name: [_literal(cell(row)) for row in rows] for name, cell in cells.items()}
    there = {name: column for name, column in columns.items() if name not in optional or any(column)}
    frame = pd.DataFrame(there)
    config = {name: count_column() for name, column in there.items() if _are_counts(name, column)} | dict(config or {})
    height = _HEADER + ROW_HEIGHT * max(1, min(len(rows), shown_rows))
    return st.dataframe(
        frame,
        hide_index=True,
        row_height=ROW_HEIGHT,
        height=height,
        alt=alt,
        column_config=config,
        placeholder=ABSENT,
        **options,
    )


def count_column(**options: Any) -> Any:
    """A column of whole numbers, written as in the texts whatever the language of the browser."""
    return st.column_config.NumberColumn(format="accounting", step=1, **options)


def _literal(value: Any) -> Any:
    """A text without marks that would show it in another order than it was recorded in."""
    return value.translate(_DIRECTIONS) if isinstance(value, str) and not value.isascii() else value


def _are_counts(name: str, column: Collection[object]) -> bool:
    """The column tells numbers of things, of which one is large enough for separators."""
    numbers = [value for value in column if type(value) is int]
    is_of_numbers = len(numbers) == sum(value is not None for value in column)
    return name not in _PLACES and is_of_numbers and max(numbers, default=0) >= _NEEDS_SEPARATORS


def more(shown: int, matching: int, noun: str) -> None:
    """The rows that a table leaves out are told."""
    if matching > shown:
        st.caption(f"{matching - shown:,} more {noun} not shown here.")


def outcome_column(label: str = "Outcome") -> Any:
    """A column of outcomes as coloured pills, each with glyph and word."""
    return st.column_config.MultiselectColumn(
        label,
        options=[outcome(status) for status in OUTCOMES],
        color=[sign.colour for sign in OUTCOMES.values()],
        width=128,
    )


def outcome_cell(status: str | None) -> list[str]:
    """The cell of an outcome column."""
    return [outcome(status)]


def widest(values: Iterable[int]) -> int:
    """The longest bar of a column of counts, for its scale."""
    return max([*values, 1])
