"""How many signatures are in each state of their lifecycle."""

from __future__ import annotations

from collections.abc import Mapping

import plotly.graph_objects as go

from dashboard.charts.axes import of_counts
from dashboard.charts.palette import GRID, UNLISTED

STATE_COLOURS = {"new": "#56B4E9", "ongoing": "#E69F00", "regressed": "#D55E00", "resolved": "#00967A"}


def signatures_by_state(counts: Mapping[str, int], words: Mapping[str, str]) -> go.Figure:
    """One bar for each state, in the order of `words`."""
    names = list(words)
    figure = go.Figure(
        go.Bar(
            x=[counts.get(name, 0) for name in names],
            y=[words[name] for name in names],
            orientation="h",
            text=[f"{counts.get(name, 0):,}" for name in names],
            textposition="outside",
            cliponaxis=False,
            marker={"color": [STATE_COLOURS.get(name, UNLISTED) for name in names], "line": {"width": 0}},
            hovertemplate="%{y}<br>%{x:,} signatures<extra></extra>",
        )
    )
    figure.update_layout(height=190, margin={"l": 10, "r": 40, "t": 6, "b": 40}, bargap=0.4, showlegend=False)
    figure.update_yaxes(autorange="reversed", automargin=True, showgrid=False)
    figure.update_xaxes(of_counts(max(counts.values(), default=0), "signatures"), gridcolor=GRID)
    return figure
