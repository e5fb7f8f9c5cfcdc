"""Where failures were observed, where they originated, and what is still open about that."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dashboard.cards import figure, heading
from dashboard.charts.origins import AFTER, UNKNOWN, origin_heat_map
from dashboard.drawn import draw_chart
from dashboard.filters import filters
from dashboard.links import VIEWS
from dashboard.notices import no_runs, not_in_this_store, nothing
from dashboard.origin_panels import AFTER_ITS_OBSERVATION, draw_candidates, draw_hints, draw_open
from dashboard.page import Page
from dashboard.paging import in_pages, matching
from dashboard.reading import ask
from dashboard.reviews import basis, review_panel
from dashboard.sections import draw, section_of_its_own
from dashboard.tables import outcome_cell, outcome_column, table
from dashboard.why import why
from dashboard.wording import ABSENT, clipped, counted, duration, interval, share
from queries.origins.origin_figures import OriginFiguresRow, origin_figures
from queries.origins.origin_matrix import origin_matrix
from queries.origins.origins import OriginRow, origins
from queries.origins.phases import phases
from queries.origins.undiagnosed import UndiagnosedRow, undiagnosed
from queries.overview.totals import totals
from queries.reader import Answer
from queries.runs.run_facts import run_facts

PAGE = Page(
    "Observed vs originated",
    "Incident review",
    4,
    "conversion_path",
    "Where failures surfaced against where they began, what people found, and what is still open.",
)
UNDIAGNOSED_A_PAGE = 25
_INK = {"light": "#17212B", "dark": "#E4EAF0"}
_STEP_NOTE = "counted on the run's own timeline, where both places can be found on it"


def render() -> None:
    """The page is drawn."""
    st.title("Observed vs originated", anchor=False)
    there = ask(totals, **filters().parameters)
    if not there.first or not there.first.runs:
        no_runs()
        return
    draw(_figures, _matrix)
    is_listed = False
    with section_of_its_own():
        is_listed = _asked_for() in _diagnosed()
    # The review stands below the table that its failure is in.
    if is_listed:
        draw(_review)
    draw(draw_open, draw_hints, _suspected)
    if not is_listed:
        draw(_review)


def _asked_for() -> tuple[str, str]:
    """The failure that the address or a table names, before the fields that hold it are drawn."""
    run_id, event_id = (str(st.session_state.get(key) or st.query_params.get(key) or "") for key in ("run", "event"))
    return run_id.strip(), event_id.strip()


def _figures() -> None:
    answer = ask(origin_figures, **filters().parameters)
    missing = ask(undiagnosed, **filters().parameters, limit=UNDIAGNOSED_A_PAGE, offset=0)
    row = answer.first
    if row is None:
        return
    undiagnosed_runs = matching(missing)
    with st.grid(4, min_column_width=180):
        figure(
            "Diagnosed failures",
            f"{row.diagnosed:,}",
            _rests_on(row),
            answer,
            counted=counted(row.diagnosed, "diagnosed failure"),
            left_out={"derived diagnoses": row.derived} if row.derived else None,
            note="What a reviewer said stands before what the record says.",
        )
        figure(
            "Originated elsewhere", share(row.elsewhere),
            f"{row.moved:,} of {row.comparable:,}, 95 %: {interval(row.elsewhere_low, row.elsewhere_high)}", answer,
            counted=f"{counted(row.comparable, 'failure')} with both phases in one order",
            left_out={"without a distance": row.diagnosed - row.comparable},
            note="In another phase than the one they were observed in. The interval is Wilson's.",
        )  # fmt: skip
        figure(
            "Median distance", ABSENT if row.median_distance is None else f"{row.median_distance:g} phases",
            _delay(row), answer, counted=f"{counted(row.comparable, 'failure')} with both phases in one order",
            note=f"Phases from origin to observation. The delay is {_STEP_NOTE}, where no review moved them.",
        )  # fmt: skip
        figure(
            "No origin yet",
            f"{undiagnosed_runs:,}",
            "runs that went wrong",
            missing,
            counted=counted(undiagnosed_runs, "run"),
            note="Failed, aborted or escalated, with no origin recorded or reviewed.",
        )


def _rests_on(row: OriginFiguresRow) -> str:
    return f"{row.reviewed:,} reviewed, {row.recorded:,} recorded"


def _delay(row: OriginFiguresRow) -> str:
    if not row.with_delay:
        return "detection delay: no wall clock"
    return f"median detection delay {duration(row.median_delay_s)} (n = {row.with_delay:,})"


def _matrix() -> None:
    heading(
        "Where it surfaced, where it began",
        "Failures by the phase they were observed in and the phase they originated in.",
    )
    found = ask(origin_matrix, **filters().parameters)
    if not found.rows:
        _no_diagnosis()
        return
    in_order = sorted(ask(phases), key=lambda row: (row.lifecycle != "nexus", row.position))
    order = list(dict.fromkeys(row.phase for row in in_order))
    total = sum(row.failures for row in found)
    chart, as_table = st.tabs(["Heat map", "Table"])
    with chart:
        draw_chart(
            origin_heat_map,
            found.rows,
            order,
            _INK[st.context.theme.type or "light"],
            key="origin_heat_map",
            alt=f"{total} failures by phase of observation and of origin; the table beside holds the same numbers",
        )
        st.caption(
            f"Dotted: observed where it originated. {AFTER}: an origin after its observation, which is a finding."
        )
    with as_table:
        table(
            found.rows,
            {
                "Observed in": lambda r: r.observed_phase or UNKNOWN,
                "Originated in": lambda r: r.originated_phase or UNKNOWN,
                "Failures": lambda r: r.failures,
                "Reviewed": lambda r: r.reviewed,
                "Recorded": lambda r: r.recorded,
                "With a distance": lambda r: r.comparable,
            },
            alt="Failures by phase of observation and of origin",
        )
    why(
        found,
        counted(total, "diagnosed failure"),
        note="A text that begins with no phase of a lifecycle is counted as not in an order.",
    )


def _no_diagnosis() -> None:
    nothing(
        "No failure here has a diagnosis.",
        next_step="Record observed_at and originated_at with an error, or pick a failure below and review it.",
    )


def _diagnosed() -> set[tuple[str, str]]:
    """The failures on the open page of the list."""
    found = in_pages(
        "origins_page",
        origins,
        _diagnosed_list,
        noun=("diagnosed failure", "diagnosed failures"),
        **filters().parameters,
    )
    if found.first is None:
        return set()
    why(found, counted(found.first.matching, "diagnosed failure"))
    return {(row.run_id, row.event_id or "") for row in found}


def _diagnosed_list(found: Answer[OriginRow]) -> None:
    heading("Diagnosed failures", "With the distance between both places. Choose a row to review it below.")
    key = f"origins_table_{found.parameters['offset']}"
    table(
        found.rows,
        {
            "Basis": lambda r: basis(r.basis),
            "Observed at": lambda r: r.observed_at,
            "Originated at": lambda r: r.originated_at,
            "Phases": lambda r: r.distance,
            "Steps": lambda r: r.step_distance,
            "Delay": lambda r: duration(r.delay_s),
            "Direction": lambda r: f"{AFTER} {r.direction}" if r.direction == AFTER_ITS_OBSERVATION else r.direction,
            "Run": lambda r: r.run_name,
            "Failure": lambda r: r.error_type,
            "Fix": lambda r: f"◔ {r.fix_at}" if r.provisional else r.fix_at,
            "Root cause": lambda r: r.root_cause,
            "Workload": lambda r: r.workload,
        },
        alt="Diagnosed failures with both places and the distance between them",
        config={
            "Run": st.column_config.TextColumn(width="medium"),
            "Phases": st.column_config.NumberColumn(
                help="Phases from origin to observation; none across different orders", width="small"
            ),
            "Steps": st.column_config.NumberColumn(help=f"Steps, {_STEP_NOTE}", width="small"),
            "Delay": st.column_config.TextColumn(help=f"From origin to observation, {_STEP_NOTE}", width="small"),
        },
        key=key,
        on_select=partial(_chosen, key, [(row.run_id, row.event_id) for row in found]),
        selection_mode="single-row",
    )


def _chosen(key: str, subjects: list[tuple[str, str | None]]) -> None:
    rows = st.session_state[key].selection.rows
    if rows and rows[0] < len(subjects):
        run_id, event_id = subjects[rows[0]]
        st.session_state["run"] = run_id
        st.session_state["event"] = event_id or ""


def _suspected() -> None:
    heading(
        "No origin yet",
        "Runs that went wrong and of which nobody has said where it began. Choose one to see what may be suspected.",
    )
    found = in_pages(
        "undiagnosed_page", undiagnosed, _suspected_list, noun=("run", "runs"), rows=UNDIAGNOSED_A_PAGE,
        **filters().parameters,
    )  # fmt: skip
    if found.first is None:
        nothing("Every run that went wrong has an origin.")
    else:
        why(found, counted(found.first.matching, "run"))


def _suspected_list(found: Answer[UndiagnosedRow]) -> None:
    key = f"undiagnosed_table_{found.parameters['offset']}"
    table(
        found.rows,
        {
            "Outcome": lambda r: outcome_cell(r.status),
            "Run": lambda r: r.run_name,
            "Last error": lambda r: r.error_type,
            "Phase": lambda r: r.phase,
            "Agent": lambda r: r.agent,
            "Errors": lambda r: r.errors,
            "Started": lambda r: r.started_at,
            "Workload": lambda r: r.workload,
        },
        alt="Runs without an origin",
        config={
            "Outcome": outcome_column(),
            "Started": st.column_config.DatetimeColumn("Started (UTC)", format="YYYY-MM-DD HH:mm", timezone="UTC"),
        },
        shown_rows=8,
        key=key,
        on_select=partial(_chosen, key, [(row.run_id, row.event_id) for row in found]),
        selection_mode="single-row",
    )


def _review() -> None:
    heading("Review", "One failure: what is suspected, what is recorded, what people say.")
    with st.container(horizontal=True):
        run_id = (
            st.text_input("Run id or native id", key="run", bind="query-params", placeholder="none chosen") or ""
        ).strip()
        event_id = (
            st.text_input("Event id", key="event", bind="query-params", placeholder="the run as a whole") or ""
        ).strip()
    if not run_id:
        nothing("No failure is chosen.", next_step="Choose a row above, or write a run id.")
        return
    known = ask(run_facts, run=run_id)
    if len(known) != 1:
        not_in_this_store("No single run has this id" if known.rows else "There is no run with this id", run_id)
        return
    run = known.rows[0]
    st.text(clipped(run.name or run.native_id))
    draw_candidates(run.run_id, event_id or None)
    review_panel(run.run_id, event_id or None)
    if st.button("Open the run", icon=":material/timeline:", key="open_reviewed"):
        st.switch_page(VIEWS / "run.py", query_params={"run": run.run_id})


if __name__ == "__main__":
    render()
