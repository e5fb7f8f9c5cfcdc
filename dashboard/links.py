"""Links between pages. They go through the address, because views do not know one another."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlencode

import streamlit as st

VIEWS = Path(__file__).parent / "views"
# Page → its label here, its icon, and the parameter of its address that names the run.
ABOUT_A_RUN = {
    "walkthrough.py": ("Walk through it", ":material/co_present:", "run"),
    "origins.py": ("Where it began", ":material/conversion_path:", "run"),
    "context_diff.py": ("Context Diff", ":material/filter_list:", "run"),
    "compare.py": ("Compare with another run", ":material/compare_arrows:", "run_a"),
}


def open_run(run_id: str, event_id: str | None = None) -> None:
    """From another page: the run's page opens, with the record of an event if one is given."""
    # The filters are not named: they are bound to the address, where only their own fields may write, and stay.
    st.switch_page(VIEWS / "run.py", query_params={"run": run_id} | ({"event": event_id} if event_id else {}))


def open_run_of_row(key: str, run_ids: tuple[str, ...]) -> None:
    """From another page: the page of the run whose button was pressed in the table with this key."""
    if run_id := row_pressed(key, run_ids):
        open_run(run_id)


def pages_about_run(run_id: str) -> None:
    """Links to every other page that tells something of this run."""
    with st.container(horizontal=True, gap="small"):
        for view, (label, icon, parameter) in ABOUT_A_RUN.items():
            st.page_link(VIEWS / view, label=label, icon=icon, query_params={parameter: run_id})


def copied_link(label: str, run_id: str, event_id: str | None = None, *, explained: str) -> None:
    """The link, to be copied, opens on demand: what shows code in Streamlit takes longer to load than most pages."""
    with st.popover(label, icon=":material/link:"):
        st.caption(explained)
        st.code(permalink(run_id, event_id), language=None, wrap_lines=True)


def row_pressed(key: str, ids: tuple[str | None, ...]) -> str | None:
    """The id of the row whose button was pressed in the table with this key."""
    clicked = st.session_state.get(key)
    return ids[clicked.row] if clicked is not None and 0 <= clicked.row < len(ids) else None


def permalink(run_id: str, event_id: str | None = None) -> str:
    """The address of a run, or of one event of it, below the address of the dashboard."""
    return "/run?" + urlencode({"run": run_id} | ({"event": event_id} if event_id else {}))
