"""Findings by day, one part of each bar for each severity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

import plotly.graph_objects as go

from dashboard.charts.axes import of_counts
from dashboard.charts.palette import GRID, UNLISTED

SEVERITY_COLOURS = {"critical": "#99431A", "error": "#E69F00", "warning": "#56B4E9"}


def findings_by_day(counts: Mapping[tuple[date, str], int], words: Mapping[str, str]) -> go.Figure:
    """Stacked bars; `words` names the severities with their glyphs, in order."""
    days = sorted({day for day, _ in counts})
    figure = go.Figure()
    for name, word in words.items():
        numbers = [counts.get((day, name), 0) for day in days]
        if any(numbers):
            figure.add_trace(_bar(days, numbers, name, word))
    figure.update_layout(
        barmode="stack", height=240, margin={"l": 10, "r": 10, "t": 6, "b": 60}, bargap=0.3,
        legend={"orientation": "h", "y": 0, "yanchor": "bottom", "x": 0, "yref": "container", "traceorder": "normal"},
    )  # fmt: skip
    figure.update_xaxes(showgrid=False, tickformat="%d %b", nticks=8)
    if len(days) < 4:
        # On an axis of time the bar of a single day would fill the whole width.
        figure.update_xaxes(
            type="category", tickvals=days, ticktext=[f"{day:%d %b}" for day in days], range=[-4, len(days) + 3]
        )
    most = max((sum(counts.get((day, name), 0) for name in words) for day in days), default=0)
    figure.update_yaxes(of_counts(most, "findings"), gridcolor=GRID)
    return figure


def _bar(days: Sequence[date], numbers: Sequence[int], name: str, word: str) -> go.Bar:
    return go.Bar(
        x=list(days),
        y=list(numbers),
        name=word,
        marker={"color": SEVERITY_COLOURS.get(name, UNLISTED), "line": {"width": 0}},
        hovertemplate="%{x|%Y-%m-%d}<br>%{y:,} " + word + "<extra></extra>",
    )
