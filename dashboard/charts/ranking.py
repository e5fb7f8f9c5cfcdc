"""Counts by name as horizontal bars, the largest on top."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from dashboard.charts.axes import of_counts
from dashboard.charts.label import plain
from dashboard.charts.palette import ACCENT, GRID, UNLISTED


def ranking(names: Sequence[str], counts: Sequence[int], unit: str, unlisted: Sequence[bool] = ()) -> go.Figure:
    """One bar for each name; names outside their list are grey."""
    rows = list(range(len(names)))
    colours = [UNLISTED if odd else ACCENT for odd in unlisted] or [ACCENT] * len(names)
    figure = go.Figure(
        go.Bar(
            y=rows,
            x=list(counts),
            orientation="h",
            text=[f"{number:,}" for number in counts],
            textposition="outside",
            marker={"color": colours, "line": {"width": 0}},
            customdata=[plain(name, 90) for name in names],
            hovertemplate="%{customdata}<br>%{x:,} " + unit + "<extra></extra>",
            cliponaxis=False,
        )
    )
    figure.update_layout(
        height=64 + 28 * max(1, len(names)), bargap=0.4, showlegend=False, margin={"l": 10, "r": 40, "t": 6, "b": 40}
    )
    figure.update_yaxes(
        tickvals=rows, ticktext=[plain(name, 30) for name in names], autorange="reversed", automargin=True,
        showgrid=False, zeroline=False,
    )  # fmt: skip
    figure.update_xaxes(of_counts(max(counts, default=0), unit), gridcolor=GRID)
    return figure
