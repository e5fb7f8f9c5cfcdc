"""Failures that look like still running: circulating tasks, agents that wait for one another, ownership, refusals."""

from __future__ import annotations

import streamlit as st

from dashboard.cards import heading
from dashboard.charts.coordination import delegation_ring, waits_over_time
from dashboard.drawn import draw_chart
from dashboard.filters import filters
from dashboard.links import VIEWS, row_pressed
from dashboard.notices import no_runs, nothing
from dashboard.page import Page
from dashboard.paging import in_pages, matching
from dashboard.reading import ask
from dashboard.sections import draw
from dashboard.tables import more, table
from dashboard.why import why
from dashboard.wording import clipped, counted, moment
from queries.coordination.coordination import CoordinationRow, coordination
from queries.coordination.delegation_edges import delegation_edges
from queries.coordination.handoff_refusals import HandoffRefusalRow, handoff_refusals
from queries.coordination.waits_over_time import WaitRow
from queries.coordination.waits_over_time import waits_over_time as waits
from queries.overview.totals import totals
from queries.reader import Answer

PAGE = Page(
    "Coordination", "Reliability", 6, "hub", "Circulating tasks, mutual waits, ownership and refused hand-offs."
)
SIGNS = {
    "circulating task": "↻ circulating task",
    "wait cycle": "∞ wait cycle",
    "overdue wait": "✕ overdue wait",
    "task without owner": "? task without owner",
    "task with two owners": "‖ task with two owners",
    "degraded agent": "▼ degraded agent",
}
AGENTS_DRAWN = 40
EDGES_SHOWN = 200


def render() -> None:
    """The page is drawn."""
    st.title("Coordination", anchor=False)
    what = ask(totals, **filters().parameters).first
    if what is None or not what.runs:
        no_runs()
        return
    draw(_faults, _delegations, _waits, _refusals)


def _faults() -> None:
    heading("Faults", "Nothing raised an error, and the work stands still or goes in circles.")
    found = in_pages("faults_page", coordination, _fault_list, noun=("fault", "faults"), **filters().parameters)
    if found.first is None:
        nothing(
            "No coordination fault is found in these records.",
            next_step="Delegations, waits and owners have to be recorded to be judged: "
            "see delegation, wait and task_owner records of the native format.",
        )
    why(found, counted(matching(found), "fault"))


def _fault_list(found: Answer[CoordinationRow]) -> None:
    places = tuple((row.run_id, row.event_id) for row in found)
    table(
        found.rows,
        {
            "Open": lambda _: "Open",
            "Kind": lambda r: SIGNS.get(r.kind, r.kind),
            "Members": lambda r: " → ".join(r.members),
            "Detail": lambda r: r.detail,
            "Run": lambda r: r.run_name,
            "Workload": lambda r: r.workload,
        },
        alt="Coordination faults",
        config={
            "Open": st.column_config.ButtonColumn(
                "", key="open_fault", width=70, type="tertiary", on_click=_open, args=(places,)
            ),
            "Members": st.column_config.TextColumn(width=300),
            "Detail": st.column_config.TextColumn(width=420),
        },
    )


def _open(places: tuple[tuple[str, str | None], ...]) -> None:
    pressed = row_pressed("open_fault", tuple(str(number) for number in range(len(places))))
    if pressed is not None:
        run_id, event_id = places[int(pressed)]
        st.switch_page(VIEWS / "run.py", query_params={"run": run_id} | ({"event": event_id} if event_id else {}))


def _delegations() -> None:
    heading(
        "Delegations", "Recorded edges only; ↻: a task came back. A denied arrival is the guard working, not a fault."
    )
    found = ask(delegation_edges, **filters().parameters, limit=EDGES_SHOWN)
    if not found.rows:
        nothing(
            "No delegation is recorded here.",
            next_step="Record delegation records: which agent handed which task to whom.",
        )
        return
    left, right = st.columns([2, 3], gap="medium")
    with left:
        draw_chart(
            delegation_ring,
            found.rows[:AGENTS_DRAWN],
            key="ring_chart",
            alt=f"{min(len(found), AGENTS_DRAWN)} edges between agents; orange where a task came back",
        )
        more(min(len(found), AGENTS_DRAWN), found.rows[0].matching, "edges")
    with right:
        table(
            found.rows,
            {
                "From": lambda r: r.from_agent,
                "To": lambda r: r.to_agent,
                "Hand-overs": lambda r: r.hops,
                "Denied": lambda r: r.denied,
                "Came back": lambda r: r.circulating,
                "Tasks": lambda r: r.tasks,
                "Runs": lambda r: r.runs,
            },
            alt="Edges of the delegation graph",
        )
        more(len(found), found.rows[0].matching, "edges")
        why(found, f"{counted(sum(row.hops for row in found), 'delegation')} of the edges shown")


def _waits() -> None:
    heading(
        "Waits", "Each has a deadline, and one side yields by a fixed rule. A cycle is a deadlock that says nothing."
    )
    found = in_pages("waits_page", waits, _wait_list, noun=("wait", "waits"), **filters().parameters)
    if found.first is None:
        nothing(
            "No wait is recorded here.",
            next_step="Record wait records: who waits for whom, since when and until which deadline.",
        )
        return
    why(found, counted(found.first.matching, "wait"))


def _wait_list(found: Answer[WaitRow]) -> None:
    first = found.rows[0]
    of_run = [row for row in found if row.run_id == first.run_id and row.since][:30]
    if of_run:
        st.caption("The newest run with waits:" if found.parameters["offset"] == 0 else "The first run of this page:")
        st.text(clipped(first.run_name or first.run_id))
        draw_chart(
            waits_over_time,
            of_run,
            key="waits_chart",
            alt=f"{len(of_run)} waits over time, {sum(row.on_cycle for row in of_run)} on a cycle",
        )
    table(
        found.rows,
        {
            "State": lambda r: "↻ on a cycle" if r.on_cycle else "✕ overdue" if r.overdue else "✓ in time",
            "Waiter": lambda r: r.waiter,
            "Holder": lambda r: r.holder,
            "For": lambda r: r.waits_for,
            "Since": lambda r: moment(r.since),
            "Deadline": lambda r: moment(r.deadline),
            "Until": lambda r: moment(r.until),
            "Run": lambda r: r.run_name,
        },
        alt="Waits with deadlines",
        config={"Until": st.column_config.TextColumn(width=175)},
        optional=("For",),
    )


def _refusals() -> None:
    heading("Refused hand-offs", "Apart from errors: a refusal is neither an error nor a retry, and it enters no rate.")
    found = in_pages(
        "refusals_page", handoff_refusals, _refusal_list, noun=("edge with refusals", "edges with refusals"),
        **filters().parameters,
    )  # fmt: skip
    if found.first is None:
        nothing("No hand-off was refused here.", next_step="Nothing to do: refusals that are recorded stand here.")
        return
    why(found, f"{counted(sum(row.refusals for row in found), 'refusal')} of the edges shown")


def _refusal_list(found: Answer[HandoffRefusalRow]) -> None:
    table(
        found.rows,
        {
            "From": lambda r: r.from_agent,
            "Refused by": lambda r: r.to_agent,
            "Condition": lambda r: r.condition,
            "Means": lambda r: r.condition_means,
            "Refusals": lambda r: r.refusals,
            "Second bounces": lambda r: r.second_bounces,
            "Runs": lambda r: r.runs,
            "Example": lambda r: r.example,
        },
        alt="Refused hand-offs by edge and condition",
        config={"Example": st.column_config.TextColumn(width=360)},
    )


if __name__ == "__main__":
    render()
