"""The runs, to be searched and opened."""

from __future__ import annotations

import streamlit as st

from dashboard.address import say_unknown
from dashboard.filters import filters, options_with_asked
from dashboard.links import open_run_of_row
from dashboard.notices import no_runs, not_in_this_store, nothing
from dashboard.page import Page
from dashboard.paging import in_pages
from dashboard.tables import outcome_cell, outcome_column, table
from dashboard.why import why
from dashboard.wording import OUTCOMES, counted, duration
from queries.reader import Answer
from queries.runs.runs import RunRow, runs

PAGE = Page("Runs", "Incident review", 2, "list_alt", "Every run with how it really ended: search, sort, open one.")
ROWS_A_PAGE = 25
SORTS = {"newest": "Newest", "oldest": "Oldest", "longest": "Longest", "most_errors": "Most errors", "name": "Name"}


def render() -> None:
    """The page is drawn."""
    st.title("Runs", anchor=False)
    status, search, sort = _controls()
    if status and status not in OUTCOMES:
        not_in_this_store("There is no outcome of this name", status)
    asked = {**filters().parameters, "status": status, "search": search or None, "sort": sort}
    shown = in_pages("page", runs, _list, noun=("run", "runs"), rows=ROWS_A_PAGE, **asked)
    if shown.first is None:
        _none(is_narrowed=bool(status or search))
    else:
        why(shown, counted(shown.first.matching, "run"))


def _controls() -> tuple[str | None, str, str]:
    options = options_with_asked("status", list(OUTCOMES))
    say_unknown("sort", SORTS.values(), "The list cannot be sorted by this; the newest runs stand first")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        search = st.text_input(
            "Search", key="search", type="search", bind="query-params", live="400ms",
            placeholder="Name, id, workload, outcome, reason",
        )  # fmt: skip
        status = st.selectbox(
            "Outcome", options, index=None, placeholder="Any", key="status", bind="query-params", width=180
        )
        sort = st.selectbox("Sort", list(SORTS), key="sort", bind="query-params", format_func=_sort_word, width=160)
    return status, search or "", sort


def _sort_word(sort: str) -> str:
    return SORTS.get(sort, sort)


def _list(shown: Answer[RunRow]) -> None:
    run_ids = tuple(row.run_id for row in shown)
    table(
        shown.rows,
        {
            "Open": lambda _: "Open",
            "Outcome": lambda r: outcome_cell(r.status),
            "Run": lambda r: r.name or r.native_id,
            "Workload": lambda r: r.workload,
            "Why": lambda r: r.status_reason,
            "Started": lambda r: r.started_at,
            "Duration": lambda r: duration(r.duration_s) if r.clock == "wall" else "no clock",
            "Errors": lambda r: r.errors,
            "Findings": lambda r: r.findings,
            "Spans": lambda r: r.spans,
            "Recoveries": lambda r: r.recoveries,
            "Source": lambda r: r.source,
            "Run id": lambda r: r.run_id,
        },
        alt="Runs with outcome, workload, time and counts",
        config={
            "Open": st.column_config.ButtonColumn(
                "", key="open_run", width=70, type="tertiary", pinned=True, on_click=open_run_of_row,
                args=("open_run", run_ids),
            ),
            "Outcome": outcome_column(),
            "Run": st.column_config.TextColumn(width=185),
            "Workload": st.column_config.TextColumn(width=105),
            "Why": st.column_config.TextColumn(width=185, help="What decided the outcome"),
            "Started": st.column_config.DatetimeColumn("Started (UTC)", format="YYYY-MM-DD HH:mm:ss", timezone="UTC"),
            "Duration": st.column_config.TextColumn(help="Only where the run has a wall clock"),
        },
        shown_rows=ROWS_A_PAGE,
    )  # fmt: skip


def _none(*, is_narrowed: bool) -> None:
    if is_narrowed:
        nothing("No run matches.", next_step="Clear the search or the outcome, or widen the filters in the sidebar.")
    else:
        no_runs()


if __name__ == "__main__":
    render()
