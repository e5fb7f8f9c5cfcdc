"""The report of a run, to take away: made when the button is pressed."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from dashboard.reading import store, store_url
from dashboard.report.bundle import page_name
from dashboard.report.postmortem import report

SHAPES = {"html": ("Report as HTML", "text/html"), "md": ("Report as Markdown", "text/markdown")}


def report_panel(run_id: str) -> None:
    """Buttons that download the postmortem of this run, which is made from a lease of its own."""
    for form, (label, mime) in SHAPES.items():
        st.download_button(
            label, _made(run_id, form), page_name(run_id, form), mime, key=f"report_{form}", on_click="ignore",
            icon=":material/description:", help="The facts of this run, and what people wrote about it.",
        )  # fmt: skip


def _made(run_id: str, form: str) -> Callable[[], str]:
    url = store_url()

    def made() -> str:
        with store(url).lease() as own:
            return report(own, run_id, form)

    return made
