"""The timeline of a run: a chart of its own making, its buttons, and what it leaves undrawn."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

import streamlit as st

from dashboard.cards import heading
from dashboard.charts.waterfall import Mark, Step, waterfall, without_place
from dashboard.notices import not_in_this_store, nothing
from dashboard.origin_marks import OriginPath, origin_paths
from dashboard.paging import matching
from dashboard.reading import ask
from dashboard.run_panels import FAILURES_READ, choose_event
from dashboard.tables import more
from dashboard.wording import ABSENT, MARKS, STEPS, counted, kind_of_event, step_ended
from queries.origins.origins import origins
from queries.report.error_places import error_places
from queries.runs.run_errors import run_errors
from queries.runs.run_facts import RunFacts
from queries.runs.run_spans import SpanRow, run_spans
from queries.runs.timeline import TimelineRow, timeline

M = TypeVar("M", bound=Mark)

STEPS_DRAWN = 60
# Where the error that was jumped to stands in the chart: with what led to it above.
ERROR_AT = 10
ORIGINS_TOLD = 3
STATIC = Path(__file__).parent / "static"
# In the page itself and not in a shadow of it: its text is found by the browser's search like any other.
_CHART = st.components.v2.component(
    "faultlens_timeline",
    html='<div class="flt"></div>',
    css=(STATIC / "timeline.css").read_text(encoding="utf-8"),
    js=(STATIC / "timeline.js").read_text(encoding="utf-8"),
    isolate_styles=False,
)


def draw_timeline(run: RunFacts) -> None:
    """The steps that are looked at and every mark that belongs with them are drawn; what is elsewhere is said."""
    heading(
        "Timeline",
        "Steps in their order. Click a bar or a mark for its stored record; drag across the chart to look closer.",
    )
    first = _first_drawn(run)
    steps, following = _steps(run, first)
    happened = ask(timeline, run=run.run_id, kinds=",".join(MARKS))
    marks = marks_between(happened.rows, steps, following, from_start=first == 1)
    if not steps and not marks:
        nothing("This run has no steps, errors, recoveries or guardrail events to draw.")
        return
    located = ask(origins, run=run.run_id).rows
    errors = ask(run_errors, run=run.run_id, limit=FAILURES_READ).rows if located else ()
    paths = origin_paths(located, errors, steps)
    _chart(steps, marks, paths)
    if run.spans > len(steps):
        st.caption(
            f"Steps {first:,} to {first - 1 + len(steps):,} of {run.spans:,} are drawn,"
            " with the marks on them and between them."
        )
    if unplaced := without_place(steps, marks):
        st.caption(f"{counted(unplaced, 'mark')} without a time, so without a place here: see What happened.")
    more(len(happened), matching(happened), "marks")
    _origins_elsewhere(paths)


def _chart(steps: Sequence[SpanRow], marks: Sequence[TimelineRow], paths: Sequence[OriginPath]) -> None:
    drawn: dict[str, Any] = waterfall(
        steps,
        marks,
        {status: step_ended(status) for status in {*STEPS, *(row.status for row in steps if row.status)}},
        {kind: kind_of_event(kind) for kind in MARKS},
        paths,
    )
    failed = sum(row.status == "error" for row in steps)
    alt = f"Timeline of {counted(len(steps), 'step')}, {failed} of them failed, with {counted(len(marks), 'mark')}"
    of = f"{steps[0].run_id} {steps[0].span_id} {len(steps)}" if steps else ""
    _CHART(key="timeline_chart", data={**drawn, "alt": alt, "of": of}, on_chosen_change=_chosen)


def _chosen() -> None:
    choose_event(st.session_state["timeline_chart"].chosen)


def _steps(run: RunFacts, first: int) -> tuple[tuple[SpanRow, ...], SpanRow | None]:
    """The steps to draw, and the one after them in a run that is longer."""
    asked = STEPS_DRAWN + (run.spans > STEPS_DRAWN)
    found = ask(run_spans, run=run.run_id, limit=asked, offset=first - 1).rows
    return found[:STEPS_DRAWN], found[STEPS_DRAWN] if len(found) > STEPS_DRAWN else None


def marks_between(marks: Sequence[M], steps: Sequence[Step], following: Step | None, *, from_start: bool) -> list[M]:
    """The marks on these steps, and those on none of them that came after the first and before the following one."""
    there = {row.span_id for row in steps}
    begin = None if from_start or not steps else steps[0].seq
    end = following.seq if following else None

    def is_between(mark: M) -> bool:
        if mark.seq is None:
            return from_start
        return (begin is None or mark.seq >= begin) and (end is None or mark.seq < end)

    return [mark for mark in marks if mark.span_id in there or is_between(mark)]


def _origins_elsewhere(paths: Sequence[OriginPath]) -> None:
    beyond = [
        path for path in paths if (path.said_origin and not path.origin) or (path.said_observed and not path.observed)
    ]
    if beyond:
        st.caption("An origin or its observation is not among the drawn steps; what the record says of it:")
    for path in beyond[:ORIGINS_TOLD]:
        st.text(f"originated at {path.said_origin or ABSENT}, observed at {path.said_observed or ABSENT}")
    more(min(len(beyond), ORIGINS_TOLD), len(beyond), "origins, all of them under “Where it began”,")


def _first_drawn(run: RunFacts) -> int:
    """The number of the first step in the chart, with buttons that move it; a short run is drawn whole."""
    if run.spans <= STEPS_DRAWN:
        return 1
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        asked = (st.text_input("From step", key="from", bind="query-params", placeholder="1", width=110) or "1").strip()
        first = int(asked) if asked.isdecimal() and 1 <= int(asked) <= run.spans else 1
        last = max(1, run.spans - STEPS_DRAWN + 1)
        st.button("Earlier", key="steps_back", icon=":material/arrow_back:", disabled=first == 1,
                  on_click=_draw_from, args=(max(1, first - STEPS_DRAWN),))  # fmt: skip
        st.button("Later", key="steps_on", icon=":material/arrow_forward:", disabled=first >= last,
                  on_click=_draw_from, args=(min(last, first + STEPS_DRAWN),))  # fmt: skip
        after = ask(error_places, run=run.run_id, after=first + ERROR_AT, limit=1).first
        following = after.place if after else None
        st.button("Next error", key="next_error", type="primary", icon=":material/error:", disabled=following is None,
                  on_click=_draw_from, args=(max(1, (following or 1) - ERROR_AT),))  # fmt: skip
    if asked != str(first):
        not_in_this_store("There is no step of this number, the first is drawn", asked)
    return first


def _draw_from(step: int) -> None:
    st.session_state["from"] = str(step)
