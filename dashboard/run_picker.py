"""A run is chosen: the newest ones first, and a search over all of them. What is shown is all that is loaded."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import streamlit as st

from dashboard.filters import filters
from dashboard.links import row_pressed
from dashboard.notices import no_runs, nothing
from dashboard.paging import in_pages
from dashboard.tables import outcome_cell, outcome_column, table
from queries.reader import Answer
from queries.runs.run_facts import RunFacts
from queries.runs.runs import RunRow, runs

ROWS_A_PAGE = 10


def pick_run(prompt: str, buttons: Mapping[str, str]) -> None:
    """The runs that pass the filters; a button of this label writes the run's id into the field of this key."""
    st.caption(prompt)
    search = st.text_input(
        "Find a run", key="pick", type="search", bind="query-params", live="400ms",
        placeholder="Name, id, workload, outcome, reason",
    )  # fmt: skip
    found = in_pages(
        "pick_page", runs, partial(run_list, buttons=buttons), noun=("run", "runs"), rows=ROWS_A_PAGE,
        **filters().parameters, search=search or None,
    )  # fmt: skip
    if found.first is None and search:
        nothing("No run matches.", next_step="Clear the search, or widen the filters in the sidebar.")
    elif found.first is None:
        no_runs()


def run_list(found: Answer[RunRow] | Answer[RunFacts], *, buttons: Mapping[str, str]) -> None:
    """These runs, each with the buttons."""
    run_ids = tuple(row.run_id for row in found)
    table(
        found.rows,
        {label: partial(_label, label) for label in buttons}
        | {
            "Outcome": lambda r: outcome_cell(r.status),
            "Run": lambda r: r.name or r.native_id,
            "Workload": lambda r: r.workload,
            "Started": lambda r: r.started_at,
            "Errors": lambda r: r.errors,
            "Run id": lambda r: r.run_id,
        },
        alt="Runs to choose from",
        config={
            label: st.column_config.ButtonColumn(
                "", key=f"pick_{label}", width=70, type="tertiary", on_click=_pressed, args=(label, field, run_ids)
            )
            for label, field in buttons.items()
        }
        | {
            "Outcome": outcome_column(),
            "Started": st.column_config.DatetimeColumn("Started (UTC)", format="YYYY-MM-DD HH:mm", timezone="UTC"),
        },
        optional=("Started",),
    )


def _label(label: str, _row: object) -> str:
    return label


def _pressed(label: str, field: str, run_ids: tuple[str, ...]) -> None:
    if run_id := row_pressed(f"pick_{label}", run_ids):
        st.session_state[field] = run_id
