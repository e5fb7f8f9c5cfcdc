"""Charts on a page: a figure is built once for the same rows, because building it takes longer than all else there."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    import plotly.graph_objects as go

# A page has three at most; the last ones of about twenty pages are enough, however many rows each of them shows.
KEPT = 64
# Longer texts of what is drawn are not worth holding: such a figure is built anew.
LONGEST = 100_000
_FIGURES: OrderedDict[tuple[str, str], go.Figure] = OrderedDict()
_LOCK = Lock()


def draw_chart(draws: Callable[..., go.Figure], *of: object, key: str, alt: str) -> None:
    """What the function draws of these rows stands on the page, without Plotly's buttons."""
    st.plotly_chart(figure(draws, *of), key=key, config={"displayModeBar": False}, alt=alt)


def figure(draws: Callable[..., go.Figure], *of: object) -> go.Figure:
    """The figure of these rows; nobody may change it, it is everybody's."""
    asked = (f"{draws.__module__}.{draws.__qualname__}", repr(of))
    with _LOCK:
        if asked in _FIGURES:
            _FIGURES.move_to_end(asked)
            return _FIGURES[asked]
    made = draws(*of)
    # What is told by its place in memory may be another thing there next time.
    if len(asked[1]) <= LONGEST and " object at 0x" not in asked[1]:
        with _LOCK:
            _FIGURES[asked] = made
            while len(_FIGURES) > KEPT:
                _FIGURES.popitem(last=False)
    return made
