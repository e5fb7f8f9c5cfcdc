"""One run: how it ended, what decided that, and everything that happened in it, in causal order."""

from __future__ import annotations

import math
from typing import Any

import streamlit as st

from dashboard.address import pager, say_unknown
from dashboard.cards import heading
from dashboard.charts.waterfall import waterfall
from dashboard.context_words import stage_of
from dashboard.filters import filters
from dashboard.finding_panel import finding_panel
from dashboard.links import pages_about_run, permalink, row_pressed
from dashboard.notices import no_runs, not_in_this_store, nothing
from dashboard.origin_marks import origin_paths
from dashboard.page import Page
from dashboard.reading import ask, reading
from dashboard.report_panel import report_panel
from dashboard.reviews import review_panel
from dashboard.run_panels import choose_event, draw_failures, draw_header, draw_record, draw_state
from dashboard.run_tree import draw_tree
from dashboard.tables import more, outcome_cell, outcome_column, table
from dashboard.why import why
from dashboard.wording import ABSENT, MARKS, STEPS, counted, duration, kind_of_event, step_ended
from queries.context.context_stage import context_stage
from queries.origins.origins import origins
from queries.reader import Answer
from queries.report.error_places import error_places
from queries.runs.run_errors import run_errors
from queries.runs.run_facts import RunFacts, run_facts
from queries.runs.run_spans import SpanRow, run_spans
from queries.runs.runs import runs
from queries.runs.timeline import TimelineRow, timeline

PAGE = Page(
    "Run", "Incident review", 3, "timeline", "One run: its outcome, its failures and its timeline in causal order."
)
STEPS_DRAWN = 60
MARKS_DRAWN = 400
EVENTS_A_PAGE = 200
# Where the error that was jumped to stands in the chart: with what led to it above.
ERROR_AT = 10


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
    pages_about_run(run.run_id)
    report_panel(reading().lease, run.run_id)
    st.caption("Link to this run; what is filtered, found or opened below is in the address of the page too.")
    st.code(permalink(run.run_id), language=None, wrap_lines=True)
    if event_id:
        draw_record(run, event_id)
    _timeline_chart(run)
    draw_state(run)
    draw_failures(run)
    finding_panel(run.run_id, choose_event)
    draw_tree(run)
    _steps(run)
    _what_happened(run)
    heading(
        "Review",
        "What people say of this run, or of the event that is open: it stands beside the record, never over it.",
    )
    review_panel(reading().lease, run.run_id, event_id or None)


def _timeline_chart(run: RunFacts) -> None:
    heading("Timeline", "Steps in their order; bars and marks can be clicked to see their stored record.")
    first = _first_drawn(run)
    steps = ask(run_spans, run=run.run_id, limit=STEPS_DRAWN, offset=first - 1)
    marks = ask(timeline, run=run.run_id, kinds=",".join(MARKS), limit=MARKS_DRAWN)
    drawn = _marks_of(steps, marks, whole=len(steps) >= run.spans)
    if not steps.rows and not marks.rows:
        nothing("This run has no steps, errors, recoveries or guardrail events to draw.")
        return
    statuses = [*STEPS, *sorted({row.status for row in steps if row.status} - set(STEPS))]
    located = ask(origins, run=run.run_id)
    paths = origin_paths(located.rows, ask(run_errors, run=run.run_id, limit=200).rows, steps.rows)
    chart = waterfall(
        steps.rows,
        drawn,
        {status: step_ended(status) for status in statuses},
        {m: kind_of_event(m) for m in MARKS},
        paths,
    )
    failed = sum(row.status == "error" for row in steps)
    st.plotly_chart(
        chart, key="timeline_chart", on_select=_mark_chosen, selection_mode="points", config={"displayModeBar": False},
        alt=f"Timeline of {counted(len(steps), 'step')}, {failed} of them failed, with {counted(len(drawn), 'mark')}",
    )  # fmt: skip
    if run.spans > len(steps):
        st.caption(f"Steps {first:,} to {first - 1 + len(steps):,} of {run.spans:,} are drawn, with the marks on them.")
    if marks.rows and marks.rows[0].matching > len(marks):
        st.caption(f"Only the first {len(marks):,} of {marks.rows[0].matching:,} marks are looked at here.")
    for path in paths:
        if (path.said_origin and not path.origin) or (path.said_observed and not path.observed):
            st.caption("An origin or its observation is not among the drawn steps; what the record says of it:")
            st.text(f"originated at {path.said_origin or ABSENT}, observed at {path.said_observed or ABSENT}")


def _marks_of(steps: Answer[SpanRow], marks: Answer[TimelineRow], *, whole: bool) -> tuple[TimelineRow, ...]:
    """The marks on the drawn steps; in a run that is drawn whole also those that name no step."""
    there = {row.span_id for row in steps}
    return marks.rows if whole else tuple(row for row in marks if row.span_id in there)


def _first_drawn(run: RunFacts) -> int:
    """The number of the first step in the chart, with buttons that move it; a short run is drawn whole."""
    if run.spans <= STEPS_DRAWN:
        return 1
    places = ask(error_places, run=run.run_id).rows
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        asked = (st.text_input("From step", key="from", bind="query-params", placeholder="1", width=110) or "1").strip()
        first = int(asked) if asked.isdecimal() and 1 <= int(asked) <= run.spans else 1
        last = max(1, run.spans - STEPS_DRAWN + 1)
        st.button("Earlier", key="steps_back", icon=":material/arrow_back:", disabled=first == 1,
                  on_click=_draw_from, args=(max(1, first - STEPS_DRAWN),))  # fmt: skip
        st.button("Later", key="steps_on", icon=":material/arrow_forward:", disabled=first >= last,
                  on_click=_draw_from, args=(min(last, first + STEPS_DRAWN),))  # fmt: skip
        following = next((row.place for row in places if row.place > first + ERROR_AT), None)
        st.button("Next error", key="next_error", type="primary", icon=":material/error:", disabled=following is None,
                  on_click=_draw_from, args=(max(1, (following or 1) - ERROR_AT),))  # fmt: skip
    if asked != str(first):
        not_in_this_store("There is no step of this number, the first is drawn", asked)
    return first


def _draw_from(step: int) -> None:
    st.session_state["from"] = str(step)


def _mark_chosen() -> None:
    points = st.session_state["timeline_chart"].selection.points
    if points and (chosen := points[0].get("customdata")):
        choose_event(chosen[0])


def _steps(run: RunFacts) -> None:
    found = ask(run_spans, run=run.run_id, limit=500)
    if not found.rows:
        return
    heading("Steps", "A step that was never reached did not fail; an open one has no end recorded.")
    stages = {row.step_id: stage_of(row) for row in ask(context_stage, run=run.run_id, limit=1000)}
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
            "Context lost at": lambda r: stages.get(r.span_id) or stages.get(str(r.step_index)),
            "Span id": lambda r: r.span_id,
        },
        alt="Steps of the run and how each ended",
        optional=("Context lost at", "Phase", "Agent", "Kind", "Duration", "Tool", "Model", "Tokens in", "Tokens out"),
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
