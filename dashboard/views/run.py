"""One run: how it ended, what decided that, and everything that happened in it, in causal order."""

from __future__ import annotations

import math
from typing import Any

import streamlit as st

from dashboard.address import pager, say_unknown
from dashboard.cards import heading
from dashboard.charts.waterfall import waterfall
from dashboard.filters import filters
from dashboard.links import row_pressed
from dashboard.notices import no_runs, not_in_this_store, nothing
from dashboard.page import Page
from dashboard.reading import ask
from dashboard.run_panels import choose_event, draw_failures, draw_header, draw_record, draw_state
from dashboard.tables import more, outcome_cell, outcome_column, table
from dashboard.why import why
from dashboard.wording import MARKS, STEPS, counted, duration, kind_of_event, step_ended
from queries.reader import Answer
from queries.runs.run_facts import RunFacts, run_facts
from queries.runs.run_spans import run_spans
from queries.runs.runs import runs
from queries.runs.timeline import TimelineRow, timeline

PAGE = Page(
    "Run", "Incident review", 3, "timeline", "One run: its outcome, its failures and its timeline in causal order."
)
STEPS_DRAWN = 60
MARKS_DRAWN = 400
EVENTS_A_PAGE = 200


def render() -> None:
    """The page is drawn."""
    st.title("Run", anchor=False)
    run_id, event_id = _asked_for()
    if not run_id:
        _choose("Choose a run, or write its id above.")
        return
    found = ask(run_facts, run=run_id)
    if not found.rows:
        not_in_this_store(
            "There is no run with this id. It may have been removed, or the link is for another store", run_id
        )
        _choose("Runs that are here:")
    elif len(found) > 1:
        _choose_among(found)
    else:
        _draw(found, found.rows[0], event_id)


def _asked_for() -> tuple[str, str]:
    with st.container(horizontal=True):
        run_id = st.text_input("Run id or native id", key="run", bind="query-params", placeholder="none chosen")
        event_id = st.text_input("Event id", key="event", bind="query-params", placeholder="none chosen")
    return (run_id or "").strip(), (event_id or "").strip()


def _choose(prompt: str) -> None:
    latest = ask(runs, **filters().parameters, limit=10)
    if not latest.rows:
        no_runs()
        return
    st.caption(prompt)
    _run_table(latest, "open_latest")


def _choose_among(found: Answer[RunFacts]) -> None:
    st.caption("Several sources have a run of this native id. Open the one that is meant:")
    _run_table(found, "open_namesake")


def _run_table(found: Answer[Any], key: str) -> None:
    run_ids = tuple(row.run_id for row in found)
    table(
        found.rows,
        {
            "Open": lambda _: "Open",
            "Outcome": lambda r: outcome_cell(r.status),
            "Run": lambda r: r.name or r.native_id,
            "Workload": lambda r: r.workload,
            "Run id": lambda r: r.run_id,
        },
        alt="Runs to choose from",
        config={
            "Open": st.column_config.ButtonColumn(
                "", key=key, width=70, type="tertiary", on_click=_run_pressed, args=(key, run_ids)
            ),
            "Outcome": outcome_column(),
        },
    )


def _run_pressed(key: str, run_ids: tuple[str, ...]) -> None:
    if run_id := row_pressed(key, run_ids):
        st.session_state["run"] = run_id


def _draw(found: Answer[RunFacts], run: RunFacts, event_id: str) -> None:
    draw_header(found, run)
    if event_id:
        draw_record(run, event_id)
    _timeline_chart(run)
    draw_state(run)
    draw_failures(run)
    _steps(run)
    _what_happened(run)


def _timeline_chart(run: RunFacts) -> None:
    heading("Timeline", "Steps in their order; bars and marks can be clicked to see their stored record.")
    steps = ask(run_spans, run=run.run_id, limit=STEPS_DRAWN)
    marks = ask(timeline, run=run.run_id, kinds=",".join(MARKS), limit=MARKS_DRAWN)
    if not steps.rows and not marks.rows:
        nothing("This run has no steps, errors, recoveries or guardrail events to draw.")
        return
    statuses = [*STEPS, *sorted({row.status for row in steps if row.status} - set(STEPS))]
    chart = waterfall(
        steps.rows,
        marks.rows,
        {status: step_ended(status) for status in statuses},
        {m: kind_of_event(m) for m in MARKS},
    )
    failed = sum(row.status == "error" for row in steps)
    st.plotly_chart(
        chart, key="timeline_chart", on_select=_mark_chosen, selection_mode="points", config={"displayModeBar": False},
        alt=f"Timeline of {counted(len(steps), 'step')}, {failed} of them failed, with {counted(len(marks), 'mark')}",
    )  # fmt: skip
    more(len(steps), steps.rows[0].matching if steps.rows else 0, "steps")
    more(len(marks), marks.rows[0].matching if marks.rows else 0, "marks")


def _mark_chosen() -> None:
    points = st.session_state["timeline_chart"].selection.points
    if points and (chosen := points[0].get("customdata")):
        choose_event(chosen[0])


def _steps(run: RunFacts) -> None:
    found = ask(run_spans, run=run.run_id, limit=500)
    if not found.rows:
        return
    heading("Steps", "A step that was never reached did not fail; an open one has no end recorded.")
    table(
        found.rows,
        {
            "Ended": lambda r: step_ended(r.status),
            "Step": lambda r: r.name or r.kind,
            "Phase": lambda r: r.phase,
            "Agent": lambda r: r.agent,
            "Kind": lambda r: r.kind,
            "Duration": lambda r: None if r.duration_s is None else duration(r.duration_s),
            "Tool": lambda r: r.tool,
            "Model": lambda r: r.model,
            "Tokens in": lambda r: r.input_tokens,
            "Tokens out": lambda r: r.output_tokens,
            "Span id": lambda r: r.span_id,
        },
        alt="Steps of the run and how each ended",
        optional=("Phase", "Agent", "Kind", "Duration", "Tool", "Model", "Tokens in", "Tokens out"),
    )
    more(len(found), found.rows[0].matching, "steps")
    why(found, counted(found.rows[0].matching, "step"))


def _what_happened(run: RunFacts) -> None:
    heading("What happened", "Every record of the run in causal order; each can be opened as it is stored.")
    kinds = _kinds(run)
    asked = {"run": run.run_id, "kinds": ",".join(kinds) or None, "limit": EVENTS_A_PAGE}
    first = ask(timeline, **asked, offset=0)
    if first.first is None:
        nothing("Nothing of these kinds happened in this run.", next_step="Clear the kinds.")
        return
    slot = st.container()
    last = math.ceil(first.first.matching / EVENTS_A_PAGE)
    page = pager("events_page", last)
    shown = first if page == 1 else ask(timeline, **asked, offset=(page - 1) * EVENTS_A_PAGE)
    with slot:
        _events(shown, first.first.matching)
    why(shown, counted(first.first.matching, "record"))


def _kinds(run: RunFacts) -> list[str]:
    counts = {
        "span": run.spans, "event": run.events, "error": run.errors, "recovery": run.recoveries,
        "guardrail": run.guardrails, "context set": run.context_sets, "context operation": run.context_ops,
        "diagnosis": run.diagnoses, "delegation": run.delegations, "wait": run.waits, "handoff": run.handoffs,
        "replay": run.replays,
    }  # fmt: skip
    there = [kind for kind, number in counts.items() if number]
    say_unknown("kind", [kind_of_event(kind) for kind in there], "Nothing of this kind happened in this run")
    return st.pills("Kinds", there, selection_mode="multi", key="kind", bind="query-params", format_func=kind_of_event)


def _events(shown: Answer[TimelineRow], matching: int) -> None:
    table(
        shown.rows,
        {
            "Show": lambda r: "Show" if r.event_id else None,
            "Seq": lambda r: r.seq,
            "Time": lambda r: r.occurred_at,
            "Kind": lambda r: kind_of_event(r.kind),
            "What": lambda r: r.name,
            "Outcome": lambda r: step_ended(r.outcome) if r.kind == "span" else r.outcome,
            "Summary": lambda r: r.summary,
            "Phase": lambda r: r.phase,
            "Agent": lambda r: r.agent,
            "Level": lambda r: r.level,
            "Event id": lambda r: r.event_id,
        },
        alt="Records of the run in causal order",
        config={
            "Show": st.column_config.ButtonColumn(
                "", key="show_event", width=70, type="tertiary", pinned=True, on_click=_row_chosen,
                args=(tuple(row.event_id for row in shown),),
            ),
            "Kind": st.column_config.TextColumn(width=130),
            "Outcome": st.column_config.TextColumn(width=110),
            "What": st.column_config.TextColumn(width=150),
            "Time": st.column_config.DatetimeColumn("Time (UTC)", format="YYYY-MM-DD HH:mm:ss.SSS", timezone="UTC"),
            "Seq": st.column_config.NumberColumn(width="small", help="One numbering over all kinds of records"),
            "Summary": st.column_config.TextColumn(width="large"),
        },
        shown_rows=16,
        optional=("Time", "Phase", "Agent", "Level", "Outcome"),
    )  # fmt: skip
    st.caption(f"{len(shown):,} of {counted(matching, 'record')} shown.")


def _row_chosen(event_ids: tuple[str | None, ...]) -> None:
    choose_event(row_pressed("show_event", event_ids))


if __name__ == "__main__":
    render()
