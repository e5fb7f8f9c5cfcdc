"""The walkthrough: a room of people steps through one incident, a moment a screen."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from dashboard.cards import facts, heading
from dashboard.links import copied_link
from dashboard.notices import not_in_this_store
from dashboard.page import Page
from dashboard.reading import ask, once
from dashboard.report.incident import Incident, incident
from dashboard.report_panel import report_panel
from dashboard.run_picker import pick_run
from dashboard.walkthrough.moments import Moment, Told, known_at, moments, told_of
from dashboard.walkthrough.reviews import note_panel
from dashboard.why import why
from dashboard.wording import clipped, counted
from queries.context.context_step_sets import ContextStepSetRow, context_step_sets
from queries.findings.findings import findings
from queries.origins.reviews import reviews
from queries.runs.event_record import event_record
from queries.runs.run_facts import RunFacts, run_facts

PAGE = Page(
    "Walkthrough", "Incident review", 4, "co_present",
    "One incident from before its first failure to its end, a moment a screen.",
)  # fmt: skip
MOST = 200
# A file of sizes only: what the back row of a room can read. No text out of a record is ever near it.
# More of a text than this no room reads.
MOST_READ = 2_000
LARGE = Path(__file__).parents[1] / "static" / "walkthrough.css"


def render() -> None:
    """The page is drawn."""
    st.title("Walkthrough", anchor=False)
    asked = st.text_input("Run id or native id", key="run", bind="query-params", placeholder="none chosen")
    run_id = (asked or "").strip()
    if not run_id:
        _choose()
        return
    found = ask(run_facts, run=run_id)
    if len(found) != 1:
        claim = (
            "Several runs have this native id; name one by its run id" if found.rows else "There is no run with this id"
        )
        not_in_this_store(claim, run_id)
        _choose()
        return
    _walk(found.rows[0])


def _choose() -> None:
    pick_run("Choose the run to walk through:", {"Walk": "run"})


def _walk(run: RunFacts) -> None:
    st.html(LARGE)
    told = once(incident, run_id=run.run_id, most=MOST)
    screens = moments(run, told)
    at = _position(screens, told)
    shown = screens[at - 1]
    spoke = ask(findings, run=run.run_id)
    _happened(shown)
    stored = ask(event_record, run=run.run_id, event=shown.event_id).first if shown.event_id else None
    facts_of = told_of(stored, shown.event_id, spoke.rows)
    with st.container(key="walk_body"):
        if facts_of.happened:
            facts(facts_of.happened, columns=3)
        known, decided = st.columns(2, gap="medium")
        with known:
            _known(known_at(ask(context_step_sets, run=run.run_id).rows, shown.seq))
        with decided:
            _decided(facts_of)
    heading("Notes", "What the room says at this moment. Notes are kept, and stand in the report.")
    note_panel(run.run_id, shown.event_id, ask(reviews, run=run.run_id).rows)
    _footer(run, shown, told)
    why(spoke, counted(len(spoke), "finding of this run", "findings of this run"))


def _position(screens: Sequence[Moment], told: Incident) -> int:
    last = len(screens)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        asked = (st.text_input("Moment", key="moment", bind="query-params", placeholder="1", width=90) or "1").strip()
        at = int(asked) if asked.isdecimal() and 1 <= int(asked) <= last else 1
        st.button("Back", key="walk_back", shortcut="Left", icon=":material/arrow_back:", disabled=at == 1,
                  on_click=_go, args=(at - 1,))  # fmt: skip
        st.button("Next", key="walk_next", shortcut="Right", icon=":material/arrow_forward:", disabled=at == last,
                  type="primary", on_click=_go, args=(at + 1,))  # fmt: skip
        if told.first_failure is not None:
            st.button("First failure", key="walk_failure", icon=":material/error:", on_click=_go,
                      args=(told.first_failure + 2,))  # fmt: skip
    if asked != str(at):
        not_in_this_store("There is no moment of this number, the first is shown", asked)
    left_out = told.earlier + told.others
    rest = f"; {left_out:,} more events of the run are not told" if left_out else ""
    st.caption(f"Moment {at} of {last}{rest}. The arrow keys go back and forth.")
    st.progress(at / last)
    return at


def _go(to: int) -> None:
    st.session_state["moment"] = str(to)


def _happened(shown: Moment) -> None:
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.badge(shown.kind, color="blue")
            if shown.is_first_failure:
                st.badge("first failure", icon=":material/priority_high:", color="red")
            st.text(" · ".join(part for part in (shown.when, shown.where) if part))
        with st.container(key="walk_title"):
            st.text(clipped(shown.title))
        with st.container(key="walk_said"):
            st.text(clipped(shown.summary or "Nothing more is recorded of this moment.", MOST_READ))


def _known(sets: Sequence[ContextStepSetRow]) -> None:
    heading("What was known", "The context of the last step that recorded any up to this moment.")
    with st.container(border=True):
        if not sets:
            st.text("No context set is recorded up to this moment: what was known is not known.")
            return
        facts({row.set_name: _members(row) for row in sets}, columns=2)
        st.caption("A set that is not recorded is not an empty set.")


def _members(row: ContextStepSetRow) -> str:
    if row.members is None:
        return "not recorded"
    more = f" and {len(row.members) - 6:,} more" if len(row.members) > 6 else ""
    return (", ".join(row.members[:6]) + more) or "recorded, and empty"


def _decided(told: Told) -> None:
    heading("What was decided", "By whom or what, and which rule spoke.")
    with st.container(border=True):
        if told.decided:
            facts(told.decided, columns=2)
        else:
            st.text("No decision is recorded at this moment.")
        for rule, message in told.rules:
            st.badge("rule", icon=":material/gavel:", color="orange")
            st.text(f"{rule}\n{message}")
        if not told.rules:
            st.caption("No rule spoke at this moment.")


def _footer(run: RunFacts, shown: Moment, told: Incident) -> None:
    if told.first_failure is None:
        st.caption("No failure is recorded in this run: the walk goes from its start to its end.")
    heading("Take it away")
    with st.container(horizontal=True, gap="small"):
        report_panel(run.run_id)
        copied_link(
            "Link to this record", run.run_id, shown.event_id, explained="Opens the stored record of this moment."
        )


if __name__ == "__main__":
    render()
