"""Long lists, a page at a time: its number is in the address, and how many rows stand elsewhere is said."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

import streamlit as st

from dashboard.address import say_unknown
from dashboard.reading import ask
from dashboard.wording import counted
from queries.reader import Answer

R = TypeVar("R")
ROWS = 50
# A page of more digits begins where no count of rows comes to.
_MOST_DIGITS = 12


def in_pages(
    key: str,
    query: Callable[..., Answer[R]],
    draw: Callable[[Answer[R]], object],
    *,
    noun: tuple[str, str],
    rows: int = ROWS,
    **asked: Any,
) -> Answer[R]:
    """The page of the list that the address names is drawn, with the way to the others; returned is what it shows.

    The query takes `limit` and `offset` and says in every row how many match. Of an empty answer nothing is drawn.
    Another question begins at its first page.
    """
    is_another = _is_another(key, asked)
    if is_another:
        # Before anything is asked: should that take too long, the list still begins at its first page.
        st.session_state[key] = 1
    number = _named(key)
    shown = ask(query, **asked, limit=rows, offset=(number - 1) * rows)
    if not shown.rows and number > 1:
        shown = ask(query, **asked, limit=rows, offset=0)
    if not shown.rows:
        return shown
    slot = st.container()
    chosen = pager(key, math.ceil(matching(shown) / rows), is_another=is_another)
    if chosen != number and shown.parameters["offset"] != (chosen - 1) * rows:
        shown = ask(query, **asked, limit=rows, offset=(chosen - 1) * rows)
    with slot:
        draw(shown)
        st.caption(_told(shown, (chosen - 1) * rows, noun))
    return shown


def _told(shown: Answer[Any], before: int, noun: tuple[str, str]) -> str:
    """Which rows of how many are shown."""
    everything, last = counted(matching(shown), *noun), before + len(shown)
    if len(shown) == matching(shown):
        return f"All {everything}." if len(shown) > 1 else f"{everything}."
    return f"Rows {before + 1:,} to {last:,} of {everything}; {matching(shown) - last:,} more after these."


def matching(shown: Answer[Any]) -> int:
    """How many rows the list has in all, as each row of it says; none where it shows none."""
    return shown.first.matching if shown.first else 0


def pager(key: str, last: int, *, is_another: bool = False) -> int:
    """The number of the open page in a list of so many. Of another list than before, the address says nothing yet."""
    if not is_another:
        say_unknown(
            key, _numbers_to(last, key), "The list has no page of this number, its first is shown", "No such page"
        )
    return st.pagination(last, key=key, bind="query-params") if last > 1 else 1


def _numbers_to(last: int, key: str) -> list[str]:
    """Of the numbers in the address those that the list has."""
    return [text for text in st.query_params.get_all(key) if 1 <= _number(text) <= last]


def _is_another(key: str, asked: dict[str, Any]) -> bool:
    """Whether this session asked something else of this list before."""
    remembered = f"_{key}_of"
    before = st.session_state.get(remembered)
    st.session_state[remembered] = asked
    return before is not None and before != asked


def _named(key: str) -> int:
    """The page that was chosen, or that the address names."""
    return _number(str(st.session_state.get(key, st.query_params.get(key)))) or 1


def _number(text: str) -> int:
    """The number that an address names; 0 where it is none, or larger than a list can be long."""
    return int(text) if text.isdecimal() and len(text) <= _MOST_DIGITS else 0
