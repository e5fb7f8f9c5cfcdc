"""One run: how it ended, what decided that, and everything that happened in it, in causal order."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dashboard.address import say_unknown
from dashboard.cards import heading
from dashboard.context_words import stage_of
from dashboard.finding_panel import finding_panel
from dashboard.links import copied_link, pages_about_run, row_pressed
from dashboard.notices import not_in_this_store, nothing
from dashboard.page import Page
from dashboard.paging import in_pages, matching
from dashboard.reading import ask
from dashboard.report_panel import report_panel
from dashboard.reviews import review_panel
from dashboard.run_panels import choose_event, draw_failures, draw_header, draw_record, draw_state
from dashboard.run_picker import pick_run, run_list
from dashboard.run_timeline import STEPS_DRAWN, draw_timeline
from dashboard.run_tree import draw_tree
from dashboard.sections import draw
from dashboard.tables import more, table
from dashboard.why import why
from dashboard.wording import counted, duration, kind_of_event, step_ended
from queries.context.context_stage import context_stage
from queries.reader import Answer
from queries.runs.run_facts import RunFacts, run_facts
from queries.runs.run_spans import SpanRow, run_spans
from queries.runs.timeline import TimelineRow, timeline

PAGE = Page(
    "Run", "Incident review", 3, "timeline", "One run: its outcome, its failures and its timeline in causal order."
)
OPEN = {"Open": "run"}
LOSSES_READ = 20_000
EVENTS_A_PAGE = 200


def render() -> None:
    """The page is drawn."""
    st.title("Run", anchor=False)
    run_id, event_id = _asked_for()
    if not run_id:
        pick_run("Choose a run, or write its id above.", OPEN)
        return
    found = ask(run_facts, run=run_id)
    if not found.rows:
        not_in_this_store(
            "There is no run with this id. It may have been removed, or the link is for another store", run_id
        )
        pick_run("Runs that are here:", OPEN)
    elif len(found) > 1:
        _choose_among(found)
    else:
        _draw(found, found.rows[0], event_id)


def _asked_for() -> tuple[str, str]:
    with st.container(horizontal=True):
        run_id = st.text_input("Run id or native id", key="run", bind="query-params", placeholder="none chosen")
        event_id = st.text_input("Event id", key="event", bind="query-params", placeholder="none chosen")
    return (run_id or "").strip(), (event_id or "").strip()


def _choose_among(found: Answer[RunFacts]) -> None:
    st.caption("Several sources have a run of this native id. Open the one that is meant:")
    run_list(found, buttons=OPEN)


def _draw(found: Answer[RunFacts], run: RunFacts, event_id: str) -> None:
    draw(partial(draw_header, found, run))
    pages_about_run(run.run_id)
    with st.container(horizontal=True, gap="small"):
        report_panel(run.run_id)
        copied_link(
            "Link to this run",
            run.run_id,
            explained="What is filtered, found or opened on this page is in the address of the page too.",
        )
    if event_id:
        draw(partial(draw_record, run, event_id))
    parts = (draw_timeline, draw_state, draw_failures, _findings, draw_tree, _steps, _what_happened)
    draw(*(partial(part, run) for part in parts), partial(_review, run, event_id))


def _findings(run: RunFacts) -> None:
    finding_panel(run.run_id, choose_event)


def _review(run: RunFacts, event_id: str) -> None:
    heading(
        "Review",
        "What people say of this run, or of the event that is open: it stands beside the record, never over it.",
    )
    review_panel(run.run_id, event_id or None)


def _steps(run: RunFacts) -> None:
    if not run.spans:
        return
    heading("Steps", "A step that was never reached did not fail; an open one has no end recorded.")
    found = in_pages("steps_page", run_spans, _step_list, noun=("step", "steps"), rows=STEPS_DRAWN, run=run.run_id)
    why(found, counted(found.rows[0].matching, "step"))


def _step_list(found: Answer[SpanRow]) -> None:
    lost = ask(context_stage, run=found.parameters["run"], located=True, limit=LOSSES_READ)
    stages = {row.step_id: stage_of(row) for row in lost}
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
    more(len(lost), matching(lost), "steps that lost context")


def _what_happened(run: RunFacts) -> None:
    heading("What happened", "Every record of the run in causal order; each can be opened as it is stored.")
    kinds = ",".join(_kinds(run)) or None
    shown = in_pages(
        "events_page", timeline, _events, noun=("record", "records"), rows=EVENTS_A_PAGE, run=run.run_id, kinds=kinds
    )
    if shown.first is None:
        nothing("Nothing of these kinds happened in this run.", next_step="Clear the kinds.")
    else:
        why(shown, counted(shown.first.matching, "record"))


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


def _events(shown: Answer[TimelineRow]) -> None:
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


def _row_chosen(event_ids: tuple[str | None, ...]) -> None:
    choose_event(row_pressed("show_event", event_ids))


if __name__ == "__main__":
    render()
