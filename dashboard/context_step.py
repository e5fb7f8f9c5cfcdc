"""One step of the Context Diff in depth: its verdict, its funnel, its differences and its six sets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from dashboard.cards import facts, heading
from dashboard.charts.context import funnel
from dashboard.context_words import (
    NOT_FIRST,
    SETS,
    SIDES,
    STAGES,
    difference_word,
    listing,
    lost_word,
    missing_sides,
    set_bars,
    stage_of,
    sureness,
)
from dashboard.drawn import draw_chart
from dashboard.reading import ask
from dashboard.tables import table
from dashboard.why import why
from dashboard.wording import ABSENT, counted, said
from queries.context.context_diff import ContextDiffRow, context_diff
from queries.context.context_stage import ContextStageRow
from queries.context.context_step_sets import ContextStepSetRow, context_step_sets
from queries.reader import Answer


def draw_step(step: ContextStageRow, asked: Mapping[str, Any]) -> None:
    """One step: its verdict, its funnel, its differences and its six sets."""
    sets = ask(context_step_sets, **asked, step=step.step_id)
    lost = ask(context_diff, **asked, step=step.step_id)
    heading("One step", "Read from the top: the first difference that is not empty is where the failure lives.")
    _verdict(step)
    _funnel(step, sets, lost)
    _differences(step, lost)
    _sets(sets, lost)


def _verdict(step: ContextStageRow) -> None:
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.badge(stage_of(step), color="red" if step.stage_no else "green" if step.proven else "gray")
            st.badge(sureness(step), color="blue" if step.proven else "orange", icon=_sure_icon(step))
            st.text(" · ".join(part for part in (f"step {step.step_id}", step.agent, step.phase) if part))
        for line in _explained(step):
            st.text(line)
        facts(
            {
                "Owner": STAGES[step.stage_no][1] if step.stage_no else ABSENT,
                "Lost there": said(step.lost) if step.lost is not None else "nothing evaluable",
                "Background": said(step.lost_background) if step.lost_background is not None else "nothing evaluable",
                "Not evaluable": missing_sides(step),
            }
        )


def _sure_icon(step: ContextStageRow) -> str:
    return ":material/verified:" if step.proven else ":material/help_center:"


def _explained(step: ContextStageRow) -> list[str]:
    lines = [_found(step)]
    if step.stage_no and step.literal_stage_no != step.stage_no:
        lines.append(f"Read literally, difference {step.literal_stage_no} is the first; what it lost, nobody required.")
    elif not step.stage_no and step.literal_stage_no:
        lines.append(f"Read literally, difference {step.literal_stage_no} is not empty; what it lost, nobody required.")
    if step.required_rule:
        lines.append(f"The required items are derived. {step.required_rule[:1].upper()}{step.required_rule[1:]}.")
    if not step.required_basis:
        lines.append("Nobody recorded what this step required, so every lost item counts and nothing is proven.")
    if step.compared_by_id:
        lines.append(
            f"{counted(step.compared_by_id, 'consumed item was', 'consumed items were')} compared by id alone: "
            "one side has no revision, so a stale one would not show."
        )
    if step.stage_no:
        lines.append(NOT_FIRST)
    return lines


def _found(step: ContextStageRow) -> str:
    if step.lost is None:
        return "No difference has both its sides recorded: nothing can be said of this step."
    if step.stage_no is None:
        sure = "all five could be evaluated" if step.proven else f"but {missing_sides(step)} could not be evaluated"
        return f"Nothing that counts was lost at any evaluable difference; {sure}."
    above = [number for number in step.not_evaluable if number < step.stage_no]
    where = f"Lost at difference {step.stage_no}, {difference_word(step.stage_no)}: {STAGES[step.stage_no][0]}"
    if above:
        return f"{where}. Localised, not proven: {listing(map(str, above))} above it could not be evaluated."
    return f"{where}. Everything above it was evaluated and lost nothing that counts."


def _funnel(step: ContextStageRow, sets: Answer[ContextStepSetRow], lost: Answer[ContextDiffRow]) -> None:
    # A loss below the stage is not yet meaningful: the table tells it, the funnel does not draw it.
    meaningful = [number for number in SIDES if step.stage_no is None or number <= step.stage_no]
    by_stage = {n: [lost_word(row) for row in lost if row.stage_no == n and not row.is_background] for n in meaningful}
    fell_out = {SIDES[number][0]: f"{number}: {listing(items, 3)}" for number, items in by_stage.items() if items}
    draw_chart(
        funnel,
        set_bars(sets.rows),
        fell_out,
        key="context_funnel",
        alt="; ".join(f"{row.set_name}: {'not recorded' if row.items is None else row.items}" for row in sets),
    )
    why(
        sets,
        counted(len([row for row in sets if row.is_there]), "recorded or derived set"),
        note="A set that is not recorded is not an empty one. A loss stands beside the set that still had the item.",
    )


def _differences(step: ContextStageRow, lost: Answer[ContextDiffRow]) -> None:
    table(
        list(SIDES),
        {
            "Difference": lambda n: f"{n}  {difference_word(n)}",
            "Reads": lambda n: _reads(step, n),
            "Lost": lambda n: listing(lost_word(row) for row in lost if row.stage_no == n and not row.is_background),
            "Background": lambda n: listing(lost_word(row) for row in lost if row.stage_no == n and row.is_background),
            "Stage": lambda n: STAGES[n][0],
            "Owner": lambda n: STAGES[n][1],
        },
        alt="The five differences of the step",
        config={
            "Difference": st.column_config.TextColumn(width=165),
            "Reads": st.column_config.TextColumn(width=165),
            "Lost": st.column_config.TextColumn(width=170),
            "Background": st.column_config.TextColumn(help="Lost and not required: no failure", width=120),
        },
    )
    why(
        lost,
        counted(len(lost), "lost item"),
        note="Differences 2 to 4 localise over required items where those are recorded.",
    )


def _reads(step: ContextStageRow, number: int) -> str:
    if number in step.not_evaluable:
        return "? not evaluable"
    if step.stage_no == number:
        return "✕ here"
    if step.stage_no is not None and number > step.stage_no:
        return "· below, not yet meaningful"
    return "✓ nothing that counts"


def _sets(sets: Answer[ContextStepSetRow], lost: Answer[ContextDiffRow]) -> None:
    st.caption("The six sets side by side")
    holding = {row.set_name: row for row in sets}
    items = sorted(
        {item for row in sets for item in row.member_ids or ()}, key=lambda item: (_reach(item, holding), item)
    )
    losses = {(row.item_id, SIDES[row.stage_no][1]): row for row in reversed(lost.rows)}
    table(
        items,
        {"Item": lambda item: item}
        | {
            _header(name, holding.get(name)): lambda item, name=name: _cell(
                item, holding.get(name), losses.get((item, name))
            )
            for name in SETS
        },
        alt="Items of the step by set",
        config={"Item": st.column_config.TextColumn(pinned=True)},
        shown_rows=14,
    )
    for row in sets:
        if row.rule:
            st.caption(f"{row.set_name}, derived by")
            st.text(row.rule)


def _reach(item: str, holding: Mapping[str, ContextStepSetRow]) -> int:
    """Required items first, then the ones that got furthest."""
    weights = {name: 2 if name == "required" else 1 for name in SETS}
    return -sum(weights[name] for name, row in holding.items() if item in (row.member_ids or ()))


def _header(name: str, row: ContextStepSetRow | None) -> str:
    if row is None or not row.is_there:
        return f"{name} (not recorded)"
    return f"{name} (derived)" if row.basis == "derived" else name


def _cell(item: str, row: ContextStepSetRow | None, loss: ContextDiffRow | None) -> str:
    if row is None or row.members is None or row.member_ids is None:
        return "?"
    lost = "" if loss is None else f"· {loss.stage_no}" if loss.is_background else f"✕ {loss.stage_no}"
    members = zip(row.members, row.member_ids, strict=True)
    revisions = [member.removeprefix(item) for member, held in members if held == item]
    if not revisions:
        return lost or "·"
    return " ".join(part for part in ("✓", *revisions, lost) if part)
