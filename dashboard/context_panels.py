"""The parts of the Context Diff that look at one run: its steps, one step in depth, its items, its recorded classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

import streamlit as st

from dashboard.cards import heading
from dashboard.context_words import (
    STAGES,
    listing,
    missing_sides,
    place_word,
    stage_of,
    stage_word,
    story,
    sureness,
)
from dashboard.notices import nothing
from dashboard.reading import ask
from dashboard.tables import count_column, more, table
from dashboard.why import why
from dashboard.wording import ABSENT, counted
from queries.context.context_classes import ContextClassRow, context_classes
from queries.context.context_journey import context_journey
from queries.context.context_stage import ContextStageRow
from queries.reader import Answer

ITEMS_FOLLOWED = 30
STEPS_FOLLOWED = 40
CLASSES_SHOWN = 50
VERDICTS = {
    "contradicts": "✕ contradicts the sets",
    "agrees": "✓ agrees with the sets",
    "not evaluable": "? cannot be compared",
    "no stage": "– shows at no difference",
    "no step": "– at no step with sets",
}


def draw_steps(found: Answer[ContextStageRow]) -> None:
    """The steps of the run, each with its stage; choosing a row opens the step."""
    heading("Steps", "Where each step lost what it needed. Choose a row to open the step below.")
    steps = [row.step_id for row in found]
    table(
        found.rows,
        {
            "Step": lambda r: r.step_id,
            "Stage": stage_of,
            "Sure": sureness,
            "Lost": lambda r: r.lost,
            "Background": lambda r: r.lost_background,
            "Not evaluable": missing_sides,
            "Literal reading": lambda r: stage_word(r.literal_stage_no, evaluable=r.lost is not None),
            "Required": lambda r: r.required_basis or "not recorded",
            "Agent": lambda r: r.agent,
            "Phase": lambda r: r.phase,
        },
        alt="Steps of the run with the stage at which each lost context",
        optional=("Agent", "Phase"),
        config={
            "Stage": st.column_config.TextColumn(width="medium"),
            "Background": count_column(help="Lost and not required: no failure, counted apart"),
            "Literal reading": st.column_config.TextColumn(
                help="The first non-empty difference, whatever was required"
            ),
        },
        shown_rows=10,
        key="context_steps_table",
        on_select=lambda: _step_chosen(steps),
        selection_mode="single-row",
    )
    more(len(found), found.rows[0].matching, "steps")
    why(found, counted(found.rows[0].matching, "step with context sets", "steps with context sets"))


def _step_chosen(steps: Sequence[str]) -> None:
    rows = st.session_state["context_steps_table"].selection.rows
    if rows and rows[0] < len(steps):
        st.session_state["step"] = steps[rows[0]]


def draw_journey(asked: Mapping[str, Any]) -> None:
    """Items followed through the steps of the run: lost where, and whether they were ever back."""
    heading("Items through the run", "Where an item was lost, and whether it was ever back.")
    found = ask(context_journey, **asked, limit=ITEMS_FOLLOWED)
    if not found.rows:
        nothing("No item was lost at a difference that could be evaluated.")
        return
    for sentence in story(found.rows)[:8]:
        st.text(sentence)
    steps = list(
        dict.fromkeys(row.step_id for row in sorted(found.rows, key=lambda row: (row.seq is None, row.seq or 0)))
    )
    cells = {(row.item_id, row.step_id): row for row in found}
    items = [item_id for item_id, _ in groupby(found.rows, key=lambda row: row.item_id)]
    table(
        items,
        {"Item": lambda item: item}
        | {f"step {step}": lambda item, step=step: place_word(cells[item, step]) for step in steps[:STEPS_FOLLOWED]},
        alt="Items of the run by step",
        config={"Item": st.column_config.TextColumn(pinned=True)},
        shown_rows=14,
    )
    more(len(items), found.rows[0].matching, "items")
    more(min(len(steps), STEPS_FOLLOWED), len(steps), "steps")
    why(
        found,
        counted(len(found), "item at a step", "items at steps"),
        note="Items that were lost at some step are followed.",
    )


def draw_classes(asked: Mapping[str, Any]) -> None:
    """The recorded context failure classes beside what the sets say; contradictions first."""
    heading(
        "Recorded class against the sets",
        "A class that shows at one difference while the sets locate another is a contradiction.",
    )
    found = ask(context_classes, **asked, limit=CLASSES_SHOWN)
    if not found.rows:
        nothing(
            "No context failure class is recorded here.",
            next_step='error(..., context_failure_class="omission") records one.',
        )
        return
    for row in found.rows[:3]:
        if row.verdict == "contradicts":
            _contradiction(row)
    table(
        found.rows,
        {
            "Verdict": lambda r: VERDICTS.get(r.verdict, r.verdict),
            "Recorded class": lambda r: r.context_failure_class if r.sign else f"{r.context_failure_class} (unlisted)",
            "Shows at": lambda r: ", ".join(map(str, r.class_stages)) or ABSENT,
            "The sets locate": lambda r: stage_word(r.stage_no) if r.step_id else ABSENT,
            "Step": lambda r: r.step_id,
            "Sign": lambda r: r.sign,
            "Fix place": lambda r: r.fix_place,
            "Recorded in": lambda r: r.record,
            "Run id": lambda r: r.run_id,
        },
        alt="Recorded context failure classes beside the located stage",
        shown_rows=8,
    )
    more(len(found), found.rows[0].matching, "recorded classes")
    why(found, counted(found.rows[0].matching, "recorded class", "recorded classes"))


def _contradiction(row: ContextClassRow) -> None:
    with st.container(border=True):
        st.badge("✕ contradiction", color="red")
        there = listing(f"{number} {STAGES[number][0]}" for number in row.class_stages)
        located = f"difference {row.stage_no}, {row.stage}" if row.stage_no else "no loss at any of them"
        st.text(
            f"Run {row.run_id}, step {row.step_id}: {row.context_failure_class} is recorded, which shows at difference"
            f" {there}. "
            f"The sets locate {located}. One of the two is wrong: check before anything is fixed."
        )


def draw_step_table(rows: Sequence[ContextStageRow], key: str) -> None:
    """Steps of many runs, each with a button that opens it."""
    table(
        rows,
        {
            "Open": lambda _: "Open",
            "Stage": stage_of,
            "Sure": sureness,
            "Lost": lambda r: r.lost,
            "Run": lambda r: r.run_name or r.native_id,
            "Step": lambda r: r.step_id,
            "Workload": lambda r: r.workload,
            "Agent": lambda r: r.agent,
            "When": lambda r: r.occurred_at,
            "Run id": lambda r: r.run_id,
        },
        alt="Steps with the stage at which context was lost",
        optional=("Agent",),
        config={
            "Open": st.column_config.ButtonColumn(
                "",
                key=key,
                width=70,
                type="tertiary",
                pinned=True,
                on_click=open_row_of,
                args=(key, tuple((row.run_id, row.step_id) for row in rows)),
            ),
            "Run": st.column_config.TextColumn(width="medium"),
            "When": st.column_config.DatetimeColumn("When (UTC)", format="YYYY-MM-DD HH:mm", timezone="UTC"),
        },
    )


def open_row_of(key: str, places: tuple[tuple[str, str], ...]) -> None:
    """The step whose button was pressed is the one that the page shows."""
    clicked = st.session_state.get(key)
    if clicked is not None and 0 <= clicked.row < len(places):
        st.session_state["run"], st.session_state["step"] = places[clicked.row]
