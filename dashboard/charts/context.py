"""The context of a step as a funnel of its sets, and the stages at which many steps lost theirs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Protocol

import plotly.graph_objects as go

from dashboard.charts.label import plain
from dashboard.charts.palette import ACCENT, GRID, UNLISTED

STAGE_COLOURS = {1: "#B5659F", 2: "#7D5BA6", 3: "#D55E00", 4: "#E69F00", 5: "#3B78B1"}
REQUIRED, OTHER = (ACCENT, "white"), ("#A9B4BF", "#17212B")
_SCALE = [[0, "rgba(213, 94, 0, 0.04)"], [1, "rgba(213, 94, 0, 0.72)"]]


class SetSize(Protocol):
    """A set of a step: how many items it has, None where it is not recorded, and how many of them were required."""

    @property
    def set_name(self) -> str: ...  # noqa: D102
    @property
    def items(self) -> int | None: ...  # noqa: D102
    @property
    def required_items(self) -> int | None: ...  # noqa: D102


class StageShare(Protocol):
    """The share of steps that lost their context at a stage."""

    @property
    def value(self) -> str | None: ...  # noqa: D102
    @property
    def stage_no(self) -> int: ...  # noqa: D102
    @property
    def stage(self) -> str: ...  # noqa: D102
    @property
    def steps(self) -> int: ...  # noqa: D102
    @property
    def found(self) -> int: ...  # noqa: D102
    @property
    def rate(self) -> float: ...  # noqa: D102
    @property
    def rate_low(self) -> float: ...  # noqa: D102
    @property
    def rate_high(self) -> float: ...  # noqa: D102


def funnel(sets: Sequence[SetSize], fell_out: Mapping[str, str]) -> go.Figure:
    """Each set as a bar of its items, the required ones first; `fell_out` says beside a set what the next one lacks."""
    rows = list(range(len(sets)))
    needed = [entry.required_items or 0 for entry in sets]
    others = [(entry.items or 0) - number for entry, number in zip(sets, needed, strict=True)]
    figure = go.Figure()
    for name, numbers, (colour, ink), base in (("required", needed, REQUIRED, None), ("other", others, OTHER, needed)):
        figure.add_bar(
            y=rows,
            x=numbers,
            base=base,
            orientation="h",
            name=f"{name} items",
            marker={"color": colour, "line": {"width": 0}},
            text=[str(number) if number else "" for number in numbers],
            textposition="inside",
            insidetextanchor="middle",
            textangle=0,
            textfont={"color": ink},
            customdata=[entry.set_name for entry in sets],
            hovertemplate="%{customdata}: %{text} " + name + " items<extra></extra>",
        )
    widest = max([entry.items or 0 for entry in sets] + [1])
    for row, entry in enumerate(sets):
        said = _said(entry, fell_out.get(entry.set_name))
        if said:
            figure.add_annotation(
                x=(entry.items or 0) + widest * 0.02, y=row, text=said, showarrow=False, xanchor="left", align="left"
            )
    figure.update_layout(
        barmode="overlay",
        height=70 + 36 * len(rows),
        bargap=0.3,
        margin={"l": 10, "r": 10, "t": 6, "b": 44},
        legend={"orientation": "h", "y": 0, "yref": "container", "yanchor": "bottom", "x": 0},
        hoverlabel={"align": "left"},
    )
    figure.update_yaxes(
        tickvals=rows, ticktext=[entry.set_name for entry in sets], autorange="reversed", showgrid=False
    )
    figure.update_xaxes(range=[0, widest * 1.75], showgrid=False, zeroline=False, showticklabels=False)
    return figure


def _said(entry: SetSize, fell_out: str | None) -> str:
    if entry.items is None:
        return "<i>not recorded</i>"
    if fell_out:
        return f"✕ {plain(fell_out, 44)}"
    return "empty" if not entry.items else ""


def stage_intervals(rows: Sequence[StageShare]) -> go.Figure:
    """One line a stage: the share of steps that lost their context there, with its 95 % interval."""
    places = list(range(len(rows)))
    figure = go.Figure(
        go.Scatter(
            y=places,
            x=[row.rate for row in rows],
            mode="markers+text",
            showlegend=False,
            text=[f"  {row.found:,} of {row.steps:,}" for row in rows],
            textposition="top center",
            marker={"size": 11, "symbol": "diamond", "color": [STAGE_COLOURS[row.stage_no] for row in rows]},
            error_x={
                "type": "data",
                "symmetric": False,
                "thickness": 1.6,
                "width": 5,
                "color": UNLISTED,
                "array": [row.rate_high - row.rate for row in rows],
                "arrayminus": [row.rate - row.rate_low for row in rows],
            },
            customdata=[_hover(row) for row in rows],
            hovertemplate="%{customdata}<extra></extra>",
            cliponaxis=False,
        )
    )
    figure.update_layout(height=90 + 48 * len(rows), margin={"l": 10, "r": 20, "t": 10, "b": 44})
    figure.update_yaxes(
        tickvals=places,
        ticktext=[f"{row.stage_no} {row.stage}" for row in rows],
        autorange="reversed",
        showgrid=False,
        zeroline=False,
        automargin=True,
        range=[len(rows) - 0.5, -0.7],
    )
    figure.update_xaxes(
        title_text="share of steps where it could be told", range=[-0.02, 1.02], tickformat=".0%", gridcolor=GRID
    )
    return figure


def stages_by(rows: Sequence[StageShare], values: Sequence[str | None], absent: str, ink: str) -> go.Figure:
    """Stage by workload or agent: the share as colour, `found/steps` as text; a dash could not be evaluated."""
    cells = {(row.value, row.stage_no): row for row in rows}
    numbers = sorted({row.stage_no for row in rows})
    names = {row.stage_no: row.stage for row in rows}
    grid = [[cells.get((value, number)) for number in numbers] for value in values]
    figure = go.Figure(
        go.Heatmap(
            z=[[None if cell is None else cell.rate for cell in line] for line in grid],
            x=list(range(len(numbers))),
            y=list(range(len(values))),
            text=[["–" if cell is None else f"{cell.found:,}/{cell.steps:,}" for cell in line] for line in grid],
            texttemplate="%{text}",
            # Without it a faint cell takes the ink of a light page, also on a dark one.
            textfont={"color": ink},
            zmin=0,
            zmax=1,
            colorscale=_SCALE,
            showscale=False,
            xgap=3,
            ygap=3,
            customdata=[["not evaluable" if cell is None else _hover(cell) for cell in line] for line in grid],
            hovertemplate="%{customdata}<extra></extra>",
            hoverongaps=False,
        )
    )
    figure.update_layout(height=130 + 34 * max(1, len(values)), margin={"l": 10, "r": 10, "t": 10, "b": 10})
    figure.update_xaxes(
        tickvals=list(range(len(numbers))),
        ticktext=[_broken(f"{number} {names[number]}") for number in numbers],
        side="top",
        showgrid=False,
        zeroline=False,
        tickangle=0,
        tickfont={"size": 11},
    )
    figure.update_yaxes(
        tickvals=list(range(len(values))),
        ticktext=[plain(value or absent, 24) for value in values],
        autorange="reversed",
        showgrid=False,
        zeroline=False,
        automargin=True,
    )
    return figure


def _broken(text: str) -> str:
    return "<br>".join(wrap(text, 11, break_long_words=False))


def stages_by_day(rows: Sequence[StageShare]) -> go.Figure:
    """Steps that lost their context, day by day, stacked by stage."""
    figure = go.Figure()
    for number in sorted({row.stage_no for row in rows}):
        of_stage = [row for row in rows if row.stage_no == number and row.value is not None]
        figure.add_bar(
            x=[row.value for row in of_stage],
            y=[row.found for row in of_stage],
            name=f"{number} {of_stage[0].stage}",
            marker={"color": STAGE_COLOURS[number], "line": {"width": 0}},
            customdata=[_hover(row) for row in of_stage],
            text=[str(number) if row.found else "" for row in of_stage],
            textposition="inside",
            textangle=0,
            hovertemplate="%{customdata}<extra></extra>",
        )
    figure.update_layout(
        barmode="stack",
        height=320,
        margin={"l": 10, "r": 10, "t": 10, "b": 90},
        legend={"orientation": "h", "y": 0, "yref": "container", "yanchor": "bottom", "x": 0},
    )
    figure.update_xaxes(type="date", showgrid=False, dtick=None)
    figure.update_yaxes(title_text="steps", rangemode="tozero", gridcolor=GRID)
    return figure


def _hover(row: StageShare) -> str:
    return (
        f"{plain(row.value or '', 60)} {row.stage_no} {row.stage}"
        f"<br>{row.found:,} of {row.steps:,} steps: {row.rate:.1%}"
        f"<br>95 % interval {row.rate_low:.1%} to {row.rate_high:.1%}"
    )
