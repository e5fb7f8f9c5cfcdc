"""The Context Diff over many runs: stages by workload, agent and day, the owners' worklist, the steps to open."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from dashboard.cards import heading
from dashboard.charts.context import stage_intervals, stages_by, stages_by_day
from dashboard.context_panels import draw_classes, draw_step_table, open_row_of
from dashboard.context_words import (
    NO_SETS,
    STAGES,
    item_word,
)
from dashboard.drawn import draw_chart
from dashboard.filters import filters
from dashboard.notices import nothing
from dashboard.paging import in_pages
from dashboard.reading import ask
from dashboard.sections import draw
from dashboard.tables import count_column, more, table, widest
from dashboard.why import why
from dashboard.wording import ABSENT, counted, interval, share
from queries.context.context_lost_items import ContextLostItemRow, context_lost_items
from queries.context.context_stage import ContextStageRow, context_stage
from queries.context.context_stage_shares import ContextStageShareRow, context_stage_shares
from queries.context.required import declared_required
from queries.reader import Answer

VALUES_DRAWN = 16
SHARES_LISTED = 100
_INK = {"light": "#17212B", "dark": "#E4EAF0"}


def draw_all_runs() -> None:
    """Where context is lost over all runs that pass the filters."""
    asked = {**filters().parameters, "required": declared_required()}
    shares = ask(context_stage_shares, **asked)
    over_all = [row for row in shares if row.dimension == "all"]
    if not over_all:
        _no_sets(asked)
        return
    draw(
        partial(_over_all, shares, over_all), partial(_by_value, shares),
        *(partial(part, asked) for part in (_worklist, draw_classes, _steps)),
    )  # fmt: skip


def _no_sets(asked: dict[str, Any]) -> None:
    steps = ask(context_stage, **asked, limit=1)
    if steps.first is None:
        nothing("No run here records context sets.", next_step=NO_SETS)
        return
    nothing(
        f"{counted(steps.first.matching, 'step has', 'steps have')} context sets, no difference has both its sides.",
        next_step="Record the sets on both sides of a difference, for example required and retrieved.",
    )
    _steps(asked)


def _over_all(shares: Answer[ContextStageShareRow], over_all: list[ContextStageShareRow]) -> None:
    heading(
        "Where context is lost",
        "The first difference of a step that is not empty. Counted over the steps where it could be told.",
    )
    worst = max(over_all, key=lambda row: row.rate)
    draw_chart(
        stage_intervals,
        over_all,
        key="stages_chart",
        alt=f"Share of steps that lost context, by stage; the highest is {worst.stage} with {share(worst.rate)}",
    )
    why(
        shares,
        "; ".join(f"{row.stage_no}: {counted(row.steps, 'step')}" for row in over_all),
        note="A step stands at one stage at most. Where a side of the difference is not recorded it is not counted. "
        "Background losses (not required) are no failure. The interval is Wilson's, 95 %.",
    )


def _by_value(shares: Answer[ContextStageShareRow]) -> None:
    heading("Who loses it, and when", "Each cell: steps that lost context there, of the steps where it could be told.")
    by_workload, by_agent, by_day = st.tabs(["By workload", "By agent", "Over time"])
    with by_workload:
        _heat(shares, "workload", "no workload")
    with by_agent:
        _heat(shares, "agent", "agent not recorded")
    with by_day:
        _days(shares)


def _heat(shares: Answer[ContextStageShareRow], dimension: str, absent: str) -> None:
    rows = [row for row in shares if row.dimension == dimension]
    found = {
        value: sum(row.found for row in rows if row.value == value)
        for value in dict.fromkeys(row.value for row in rows)
    }
    values = sorted(found, key=lambda value: -found[value])[:VALUES_DRAWN]
    draw_chart(
        stages_by,
        rows,
        values,
        absent,
        _INK[st.context.theme.type or "light"],
        key=f"stages_by_{dimension}",
        alt=f"Steps that lost context by stage and {dimension}, for {len(values)} of them",
    )
    more(len(values), len(found), f"{dimension}s")
    _shares_table(rows, dimension.capitalize(), absent)
    why(shares, f"{counted(len(found), dimension)}; each share over the steps of its own cell")


def _days(shares: Answer[ContextStageShareRow]) -> None:
    rows = [row for row in shares if row.dimension == "day"]
    dated = [row for row in rows if row.value is not None]
    if not dated:
        nothing(
            "None of these steps has a time.", next_step="Record occurred_at on context records, or started_at on runs."
        )
        return
    draw_chart(
        stages_by_day,
        dated,
        key="stages_by_day",
        alt=f"Steps that lost context by stage on {len({row.value for row in dated})} days",
    )
    _shares_table(dated, "Day", ABSENT)
    undated = max((row.steps for row in rows if row.value is None), default=0)
    why(shares, "steps by the day of the step, UTC", {"steps without a time": undated})


def _shares_table(rows: list[ContextStageShareRow], label: str, absent: str) -> None:
    found = sorted((row for row in rows if row.found), key=lambda row: (-row.found, row.value or "", row.stage_no))
    if not found:
        nothing("None of these steps lost anything at a difference that could be evaluated.")
        return
    table(
        found[:SHARES_LISTED],
        {
            label: lambda r: r.value or absent,
            "Stage": lambda r: f"{r.stage_no} {r.stage}",
            "Steps": lambda r: f"{r.found:,} of {r.steps:,}",
            "Share": lambda r: share(r.rate),
            "95 % interval": lambda r: interval(r.rate_low, r.rate_high),
            "Proven": lambda r: r.proven,
            "Items": lambda r: r.lost,
            "Owner": lambda r: r.owner,
        },
        alt=f"Shares by {label.lower()} and stage with intervals",
        shown_rows=8,
    )
    more(SHARES_LISTED, len(found), "shares")


def _worklist(asked: dict[str, Any]) -> None:
    heading(
        "Worklist",
        "What each owner has to mend: items lost at the stage where their steps failed, the most frequent first.",
    )
    stage = st.pills(
        "Stage",
        list(STAGES),
        key="stage",
        bind="query-params",
        format_func=lambda number: f"{number} {STAGES[number][0]}",
    )
    found = in_pages(
        "items_page", context_lost_items, _item_list, noun=("lost item", "lost items"), **asked, stage=stage
    )
    if found.first is None:
        nothing(
            "No item was lost at this stage." if stage else "No item was lost at any stage.",
            next_step="Choose another stage, or none." if stage else None,
        )
        return
    losses = counted(sum(row.lost for row in found), "loss of an item at a step", "losses of items at steps")
    why(found, f"{losses}, of the items shown")


def _item_list(found: Answer[ContextLostItemRow]) -> None:
    table(
        found.rows,
        {
            "Open": lambda _: "Open",
            "Owner": lambda r: r.owner,
            "Stage": lambda r: f"{r.stage_no} {r.stage}",
            "Item": lambda r: item_word(r.item_id, r.revision if r.stage_no == 5 else None),
            "Current": lambda r: r.current_revision if r.stage_no == 5 else None,
            "Lost": lambda r: r.lost,
            "Of steps": lambda r: r.steps,
            "Share": lambda r: share(r.rate),
            "95 % interval": lambda r: interval(r.rate_low, r.rate_high),
            "Proven": lambda r: r.proven,
            "Runs": lambda r: r.runs,
            "Workloads": lambda r: ", ".join(r.workloads),
            "Last lost": lambda r: r.last_lost,
        },
        alt="Lost items by owner, with share and interval",
        optional=("Current",),
        config={
            "Open": st.column_config.ButtonColumn(
                "",
                key="open_item",
                width=70,
                type="tertiary",
                pinned=True,
                on_click=open_row_of,
                args=("open_item", _places(found.rows)),
            ),
            "Lost": st.column_config.ProgressColumn(
                format="%d", min_value=0, max_value=widest(row.lost for row in found), width="small"
            ),
            "Of steps": count_column(help="Steps that had the item before that difference and could tell"),
            "Last lost": st.column_config.DatetimeColumn("Last lost (UTC)", format="YYYY-MM-DD HH:mm", timezone="UTC"),
        },
        shown_rows=12,
    )


def _places(rows: tuple[ContextLostItemRow, ...]) -> tuple[tuple[str, str], ...]:
    return tuple((row.example_run, row.example_step) for row in rows)


def _steps(asked: dict[str, Any]) -> None:
    heading("Steps that lost context", "The latest first.")
    found = in_pages("lost_page", context_stage, _step_list, noun=("step", "steps"), **asked, located=True)
    if found.first is None:
        nothing("No step lost anything at a difference that could be evaluated.")
    else:
        why(found, counted(found.first.matching, "step"))


def _step_list(found: Answer[ContextStageRow]) -> None:
    draw_step_table(found.rows, "open_step")
