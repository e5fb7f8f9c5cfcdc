"""Which generation of the store the page shows, and the next one as soon as there is one."""

from __future__ import annotations

import streamlit as st

from dashboard.reading import Reading, store
from dashboard.wording import moment
from ingest.store import FaultlensError

EVERY_S = 4


def draw_freshness(reading: Reading) -> None:
    """“Data as of” stands in the sidebar; the page is drawn anew when the store has changed."""
    _watch(reading.url, reading.lease.generation, moment(reading.lease.as_of) if reading.lease.as_of else None)


@st.fragment(run_every=EVERY_S)
def _watch(url: str, generation: str, as_of: str | None) -> None:
    if _newest(url) not in {generation, None}:
        st.rerun(scope="app")
    st.caption("Data as of")
    st.text(as_of or "no store yet")
    st.caption(f"Generation {generation[:8]}, looked at every {EVERY_S} s")


def _newest(url: str) -> str | None:
    """The newest generation, or None where the store cannot be read just now: the page keeps what it shows."""
    try:
        with store(url).lease() as lease:
            return lease.generation
    except FaultlensError:
        return None
