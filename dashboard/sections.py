"""The sections of a page, each for itself: one whose query takes too long says so, and the others stand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import streamlit as st

from dashboard.answers import QueryTooSlow, Question
from dashboard.reading import ANSWERS, reading
from dashboard.settings import QUERY_SECONDS


def draw(*sections: Callable[[], object]) -> None:
    """The sections are drawn one below the other."""
    for section in sections:
        with section_of_its_own():
            section()


@contextmanager
def section_of_its_own() -> Iterator[None]:
    """What is drawn inside ends where a query takes too long, and only that."""
    try:
        yield
    except QueryTooSlow as slow:
        say_slow(slow)


def say_slow(slow: QueryTooSlow) -> None:
    """Which query was stopped and what to do; once a page where several sections need it."""
    name = slow.question.query
    if slow.question in reading().said_slow:
        st.caption(f"Nothing to show here: {name} was stopped, see above.")
        return
    reading().said_slow.add(slow.question)
    with st.container(border=True):
        st.badge("Took too long", icon=":material/timer_off:", color="orange")
        st.text(f"The query {name} took longer than {slow.seconds:g} s and was stopped. The rest of the page stands.")
        st.caption(
            "Narrow the filters in the sidebar (a workload, a few days), or give queries more time: "
            f"start the server with {QUERY_SECONDS} over {slow.seconds:g}."
        )
        st.button(
            "Ask once more", key=f"ask_again_{hash(slow.question):x}", icon=":material/refresh:", type="tertiary",
            on_click=_again, args=(slow.question,),
        )  # fmt: skip


def _again(question: Question) -> None:
    ANSWERS.forget(question)
