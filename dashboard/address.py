"""What the address asks for and cannot have is said on the page, before a widget puts its own value there."""

from __future__ import annotations

from collections.abc import Collection

import streamlit as st

from dashboard.notices import not_in_this_store


def say_unknown(key: str, known: Collection[str], claim: str) -> None:
    """Every value of this key in the address that is not known is said."""
    for value in st.query_params.get_all(key):
        if value and value not in known:
            not_in_this_store(claim, value)


def pager(key: str, last: int) -> int:
    """The number of the page that is open in a list of so many."""
    say_unknown(
        key, [str(number) for number in range(1, last + 1)], "The list has no page of this number, its first is shown"
    )
    return st.pagination(last, key=key, bind="query-params") if last > 1 else 1
