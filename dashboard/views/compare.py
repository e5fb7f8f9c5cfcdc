"""Any two runs side by side: how each ended, their steps aligned, and where they part."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from dashboard.cards import heading
from dashboard.charts.compare import aligned
from dashboard.drawn import draw_chart
from dashboard.finding_words import severity
from dashboard.links import VIEWS
from dashboard.notices import not_in_this_store, nothing
from dashboard.page import Page
from dashboard.paging import in_pages, matching
from dashboard.reading import ask
from dashboard.run_picker import pick_run
from dashboard.sections import draw
from dashboard.tables import table
from dashboard.why import why
from dashboard.wording import ABSENT, counted, duration
from queries.reader import Answer
from queries.replay.compare_context import CompareContextRow, compare_context
from queries.replay.compare_facts import compare_facts
from queries.replay.compare_findings import compare_findings
from queries.replay.compare_steps import CompareStepRow, compare_steps
from queries.runs.run_facts import RunFacts, run_facts

PAGE = Page("Compare", "Incident review", 7, "compare_arrows", "Two runs side by side, and what differs first.")
STEPS_A_PAGE = 100
STEPS_DRAWN = 60
# How the query calls a fact that is a number of seconds.
IN_SECONDS = " in s"
SIGNS = {"only in A": "◧ only in A", "only in B": "◨ only in B", "other outcome": "≠ other outcome"}


def render() -> None:
    """The page is drawn."""
    st.title("Compare", anchor=False)
    left, right = st.columns(2)
    with left:
        name_a = st.text_input("Run A (id or native id)", key="run_a", bind="query-params", placeholder="none chosen")
    with right:
        name_b = st.text_input("Run B (id or native id)", key="run_b", bind="query-params", placeholder="none chosen")
    if not name_a or not name_b:
        _choose()
        return
    run_a, run_b = _run(name_a), _run(name_b)
    if run_a is None or run_b is None:
        _choose()
        return
    pair = {"run_a": run_a.run_id, "run_b": run_b.run_id}
    _open_either(run_a, run_b)
    draw(partial(_facts, pair), partial(_steps, pair), partial(_context, pair), partial(_findings, pair))


def _run(name: str) -> RunFacts | None:
    found = ask(run_facts, run=name.strip()).rows
    if not found:
        not_in_this_store("There is no run with this id", name)
        return None
    if len(found) > 1:
        not_in_this_store("Several sources have a run of this native id; write its run id", name)
        return None
    return found[0]


def _choose() -> None:
    pick_run("Choose the two runs, or write their ids above.", {"A": "run_a", "B": "run_b"})


def _open_either(run_a: RunFacts, run_b: RunFacts) -> None:
    with st.container(horizontal=True):
        for side, run in (("A", run_a), ("B", run_b)):
            if st.button(f"Open {side}", key=f"open_{side}", type="tertiary", icon=":material/open_in_new:"):
                st.switch_page(VIEWS / "run.py", query_params={"run": run.run_id})


def _facts(pair: dict[str, Any]) -> None:
    heading("How each ended", "What is the same and what is not. A duration only where a clock gave one.")
    found = ask(compare_facts, **pair)
    table(
        found.rows,
        {
            "Same": lambda r: "=" if r.same else "≠",
            "Fact": lambda r: r.fact.removesuffix(IN_SECONDS),
            "A": lambda r: _value(r.fact, r.value_a),
            "B": lambda r: _value(r.fact, r.value_b),
        },
        alt="Facts of both runs",
        config={"Same": st.column_config.TextColumn(width=60), "Fact": st.column_config.TextColumn(width=150)},
        shown_rows=14,
    )
    why(found, counted(len(found), "fact"))


def _value(fact: str, value: str | None) -> str:
    """A fact as it reads on every page: a duration in the units that matter."""
    if value and fact.endswith(IN_SECONDS):
        return duration(float(value))
    return value or ABSENT


def _steps(pair: dict[str, Any]) -> None:
    heading("Steps", "The n-th step of the same kind, name, phase and agent in each run stand beside each other.")
    only = st.toggle("Only what differs", key="differing", bind="query-params")
    found = in_pages(
        "steps_page", compare_steps, _step_list, noun=("aligned row", "aligned rows"), rows=STEPS_A_PAGE, **pair,
        differing=only,
    )  # fmt: skip
    if found.first is None:
        nothing("Nothing differs." if only else "Neither run has a step, an error, a recovery or a guardrail event.")
    why(found, counted(matching(found), "aligned row"))


def _first_difference(found: Answer[CompareStepRow]) -> None:
    row_no, pair = found.rows[0].first_difference, ("run_a", "run_b")
    first = next((row for row in found if row.row_no == row_no), None)
    if first is None and row_no is not None:
        first = ask(compare_steps, **{side: found.parameters[side] for side in pair}, differing=True, limit=1).first
    with st.container(border=True):
        st.caption("First difference")
        if first is None:
            st.text("None: the steps and their outcomes are the same.")
            return
        sides = f"A {first.outcome_a or ABSENT}, B {first.outcome_b or ABSENT}"
        st.text(f"Row {first.row_no}: {first.kind} {first.name or ABSENT}: {SIGNS.get(first.differs or '')} ({sides})")
        st.caption(f"{counted(found.rows[0].differences, 'row differs', 'rows differ')} in all.")


def _step_list(found: Answer[CompareStepRow]) -> None:
    _first_difference(found)
    drawn = found.rows[:STEPS_DRAWN]
    draw_chart(
        aligned,
        drawn,
        SIGNS,
        key="aligned_chart",
        alt=f"{len(drawn)} aligned rows, {sum(bool(row.differs) for row in drawn)} differ",
    )
    table(
        found.rows,
        {
            "Row": lambda r: r.row_no,
            "Differs": lambda r: SIGNS.get(r.differs or "", "= same"),
            "Kind": lambda r: r.kind,
            "Name": lambda r: r.name,
            "Phase": lambda r: r.phase,
            "Agent": lambda r: r.agent,
            "Outcome A": lambda r: r.outcome_a,
            "Outcome B": lambda r: r.outcome_b,
            "Took A": lambda r: None if r.duration_a_s is None else duration(r.duration_a_s),
            "Took B": lambda r: None if r.duration_b_s is None else duration(r.duration_b_s),
        },
        alt="Steps of both runs aligned",
        config={"Row": st.column_config.NumberColumn(width=60)},
        shown_rows=16,
        optional=("Phase", "Agent", "Took A", "Took B"),
    )


def _context(pair: dict[str, Any]) -> None:
    heading("Context sets", "Items that only one of the runs had, set by set.")
    found = in_pages("sets_page", compare_context, _set_list, noun=("context set", "context sets"), **pair)
    if found.first is None:
        nothing("Neither run records context sets.")
    else:
        why(found, counted(found.first.matching, "context set"))


def _set_list(found: Answer[CompareContextRow]) -> None:
    table(
        found.rows,
        {
            "Step": lambda r: r.step_id,
            "Set": lambda r: r.set_name,
            "Only in A": lambda r: ", ".join(r.only_a or ()) or ABSENT,
            "Only in B": lambda r: ", ".join(r.only_b or ()) or ABSENT,
            "In both": lambda r: r.in_both,
        },
        alt="Context sets of both runs",
        config={name: st.column_config.TextColumn(width=320) for name in ("Only in A", "Only in B")},
    )


def _findings(pair: dict[str, Any]) -> None:
    heading("Findings", "Rules that either run breaks.")
    found = ask(compare_findings, **pair)
    if not found.rows:
        nothing("Neither run has a finding.")
    else:
        table(
            found.rows,
            {
                "Same": lambda r: "=" if r.in_a == r.in_b else "≠",
                "Rule": lambda r: r.rule,
                "Severity": lambda r: severity(r.severity),
                "In A": lambda r: r.in_a,
                "In B": lambda r: r.in_b,
            },
            alt="Findings of both runs",
            config={"Same": st.column_config.TextColumn(width=60)},
        )
    why(found, counted(len(found), "rule"))


if __name__ == "__main__":
    render()
