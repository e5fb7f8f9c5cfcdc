"""Which stage of the context lost what a step needed, and who owns that stage."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dashboard.context_overview import draw_all_runs
from dashboard.context_panels import draw_classes, draw_journey, draw_step_table, draw_steps
from dashboard.context_step import draw_step
from dashboard.context_words import NO_SETS, NOT_FIRST
from dashboard.filters import filters, options_with_asked
from dashboard.links import open_run
from dashboard.notices import no_runs, not_in_this_store, nothing
from dashboard.page import Page
from dashboard.reading import ask
from dashboard.sections import draw
from dashboard.wording import clipped
from queries.context.context_stage import ContextStageRow, context_stage
from queries.context.required import declared_required
from queries.overview.outcomes import outcomes
from queries.reader import Answer
from queries.runs.run_facts import run_facts

PAGE = Page(
    "Context Diff",
    "Incident review",
    5,
    "filter_list",
    "Which of five stages lost what a step needed, and who owns that stage.",
)
STEPS_OF_A_RUN = 500


def render() -> None:
    """The page is drawn."""
    st.title("Context Diff", anchor=False)
    st.caption(NOT_FIRST)
    if not ask(outcomes, **filters().parameters).rows:
        no_runs()
        return
    run_id = (
        st.text_input("Run id or native id", key="run", bind="query-params", placeholder="all runs") or ""
    ).strip()
    if run_id:
        _one_run(run_id)
    else:
        draw_all_runs()


def _one_run(run_id: str) -> None:
    st.button("Look at all runs", type="tertiary", icon=":material/arrow_back:", on_click=_clear)
    asked = {"run": run_id, "required": declared_required()}
    found = ask(context_stage, **asked, limit=STEPS_OF_A_RUN)
    if not found.rows:
        _without_sets(run_id)
        return
    run_ids = list(dict.fromkeys(row.run_id for row in found))
    if len(run_ids) > 1:
        _choose_among(found, run_ids)
        return
    _named(found.rows[0])
    draw_steps(found)
    step = _chosen_step(found)
    if step is not None:
        draw(partial(draw_step, step, asked))
    draw(partial(draw_journey, asked), partial(draw_classes, asked))


def _clear() -> None:
    st.session_state["run"] = ""
    st.session_state["step"] = None


def _without_sets(run_id: str) -> None:
    if ask(run_facts, run=run_id).rows:
        nothing("This run has no context sets.", next_step=NO_SETS)
    else:
        not_in_this_store(
            "There is no run with this id. It may have been removed, or the link is for another store", run_id
        )


def _choose_among(found: Answer[ContextStageRow], run_ids: list[str]) -> None:
    st.caption("Several sources have a run of this native id. Open the one that is meant:")
    first = {row.run_id: row for row in reversed(found.rows)}
    draw_step_table([first[run_id] for run_id in run_ids], "open_namesake")


def _named(row: ContextStageRow) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.badge(
            row.workload if row.workload.isascii() and row.workload.replace("-", "").isalnum() else "workload",
            color="gray",
        )
        st.text(clipped(row.run_name or row.native_id))
        if st.button("Open the run", type="tertiary", icon=":material/timeline:"):
            open_run(row.run_id)


def _chosen_step(found: Answer[ContextStageRow]) -> ContextStageRow | None:
    """The step that the address asks for; without one, the first that lost something, which is said."""
    steps = [row.step_id for row in found]
    asked = st.selectbox(
        "Step",
        options_with_asked("step", steps),
        index=None,
        key="step",
        bind="query-params",
        placeholder="the first that lost something",
    )
    if asked and asked not in steps:
        not_in_this_store("This run has no context sets at this step", asked)
        return None
    if asked:
        return next(row for row in found if row.step_id == asked)
    first = next((row for row in found if row.stage_no is not None), found.rows[0])
    st.caption(
        "Shown is the first step that lost something."
        if first.stage_no
        else "No step lost anything; shown is the first."
    )
    return first


if __name__ == "__main__":
    render()
