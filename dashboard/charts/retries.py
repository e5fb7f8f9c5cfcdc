"""Retries by verdict, one part of the bar for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from dashboard.charts.axes import of_counts
from dashboard.charts.label import plain
from dashboard.charts.palette import GRID, UNLISTED

VERDICT_COLOURS = {
    "legitimate": "#00967A", "unchanged": "#D55E00", "wrong class": "#99431A", "over budget": "#E69F00",
    "after denial": "#B5659F", "before the state was checked": "#7D5BA6", "not recorded": UNLISTED,
}  # fmt: skip


def retries_by_verdict(
    names: Sequence[str], counts: Mapping[tuple[str, str], int], words: Mapping[str, str]
) -> go.Figure:
    """A stacked bar for each name; `words` gives the verdicts with their glyphs, in order."""
    rows = list(range(len(names)))
    figure = go.Figure()
    for verdict, word in words.items():
        numbers = [counts.get((name, verdict), 0) for name in names]
        if any(numbers):
            figure.add_trace(
                go.Bar(
                    x=numbers, y=rows, orientation="h", name=word,
                    marker={"color": VERDICT_COLOURS.get(verdict, UNLISTED), "line": {"width": 0}},
                    text=[word[0] if number else "" for number in numbers], textposition="inside", textangle=0,
                    insidetextanchor="middle", insidetextfont={"color": "white"},
                    customdata=[plain(name, 80) for name in names],
                    hovertemplate="%{customdata}<br>%{x:,} " + word + "<extra></extra>",
                )
            )  # fmt: skip
    figure.update_layout(
        barmode="stack", height=130 + 30 * max(1, len(names)), margin={"l": 10, "r": 10, "t": 6, "b": 90}, bargap=0.4,
        legend={"orientation": "h", "y": 0, "yanchor": "bottom", "x": 0, "yref": "container", "traceorder": "normal"},
    )  # fmt: skip
    figure.update_yaxes(
        tickvals=rows,
        ticktext=[plain(name, 24) for name in names],
        autorange="reversed",
        automargin=True,
        showgrid=False,
    )
    longest = max((sum(counts.get((name, verdict), 0) for verdict in words) for name in names), default=0)
    figure.update_xaxes(of_counts(longest, "retries"), gridcolor=GRID)
    return figure
