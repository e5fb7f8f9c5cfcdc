"""Figures and facts as they stand on a page, each with its evidence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from dashboard.literal import labelled
from dashboard.why import why
from dashboard.wording import clipped
from queries.reader import Answer


def figure(
    label: str,
    value: str,
    beside: str,
    answer: Answer[Any],
    *,
    counted: str,
    left_out: Mapping[str, int] | None = None,
    note: str | None = None,
) -> None:
    """A figure in a card: the number, what it is out of, and why it is that number."""
    with st.container(border=True, height="stretch", gap="xsmall"):
        st.metric(label, value)
        st.caption(beside)
        st.space("stretch")
        why(answer, counted, left_out, note=note)


def facts(values: Mapping[str, str], columns: int = 4, *, at_once: bool = False) -> None:
    """Recorded facts as a compact list; their text is shown literally.

    `at_once` is for what a page begins with: a browser has texts and captions from the start, and the part that shows
    escaped HTML only a second later, which is then the quicker one.
    """
    if not at_once:
        labelled(values, columns)
        return
    with st.grid(columns, gap="small", min_column_width=132):
        for label, value in values.items():
            with st.container(gap=None):
                st.caption(label)
                st.text(clipped(value))


def heading(title: str, explained: str | None = None) -> None:
    """A section's heading with one line that says what it answers."""
    st.subheader(title, anchor=False)
    if explained:
        st.caption(explained)
