"""What the address asks for and cannot have is said on the page, before a widget puts its own value there."""

from __future__ import annotations

from collections.abc import Collection

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dashboard.notices import not_in_this_store

# The fields that search while one types.
TYPED = ("search", "find", "pick")


def read_address() -> None:
    """What the browser's address says now is known to this run of the page.

    Streamlit learns it when a page is opened, not when a field writes into it. Where a field is then set by the program
    (a list goes back to its first page), it sends the address as it knew it: what was just typed would be lost from it.
    """
    context = get_script_run_ctx()
    if context is None:
        return
    with context.session_state.query_params() as known:
        known.populate_from_query_string(context.query_string)
        # A search is asked while it is typed, perhaps a moment before it stands in the address.
        for key in TYPED:
            if key not in st.session_state or not known.is_bound(key):
                continue
            if typed := st.session_state[key]:
                known.set_with_no_forward_msg(key, str(typed))
            else:
                known.discard_param_no_forward_msg(key)


def say_unknown(key: str, known: Collection[str], claim: str, badge: str = "Not in this store") -> None:
    """Every value of this key in the address that is not known is said."""
    for value in st.query_params.get_all(key):
        if value and value not in known:
            not_in_this_store(claim, value, badge)
