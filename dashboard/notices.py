"""What a page says when there is nothing to draw, or when the address asks for what is not there."""

from __future__ import annotations

import streamlit as st

from dashboard.filters import filters
from dashboard.reading import reading, store_argument


def not_in_this_store(claim: str, value: str, badge: str = "Not in this store") -> None:
    """A value of the address that the store does not have is said, and never replaced by another."""
    with st.container(border=True):
        st.badge(badge, icon=":material/link_off:", color="orange")
        st.text(f"{claim}:")
        st.code(value, language=None, wrap_lines=True)


def nothing(what: str, *, next_step: str | None = None) -> None:
    """An empty place says what would stand here and what to do next."""
    with st.container(border=True):
        st.text(what)
        if next_step:
            st.caption(next_step)


def no_runs() -> None:
    """There is nothing to look at: nothing was ingested, or the filters leave nothing."""
    if filters().is_open or reading().lease.as_of is None:
        _nothing_ingested()
    else:
        nothing(
            "No run passes the filters.",
            next_step="Widen them in the sidebar: clear the workload, the source or the dates.",
        )


def _nothing_ingested() -> None:
    with st.container(border=True):
        missing = reading().lease.as_of is None
        st.text("There is no store here yet." if missing else "This store holds no runs yet.")
        st.caption("Load the samples into a throw-away store and look round:")
        st.code("faultlens demo", language="bash")
        st.caption("Or ingest your own runs; this page shows them a few seconds later:")
        st.code(f"faultlens ingest PATH --store {store_argument()}", language="bash")


def unusable(message: str) -> None:
    """The store cannot be read; the message says why and what to do."""
    st.error("The store cannot be used.", icon=":material/error:")
    st.code(message, language=None, wrap_lines=True)
