"""Recovery chains: success with its interval, confidence against success, and success day by day."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Protocol

import plotly.graph_objects as go

from dashboard.charts.axes import of_days
from dashboard.charts.palette import ACCENT, GRID, UNLISTED

COLLAPSED = "#E69F00"
OUTSIDE = "#D55E00"


class Chain(Protocol):
    """A chain's success, raw and collapsed."""

    @property
    def chain(self) -> str: ...  # noqa: D102
    @property
    def finished(self) -> int: ...  # noqa: D102
    @property
    def recovered(self) -> int: ...  # noqa: D102
    @property
    def success_rate(self) -> float | None: ...  # noqa: D102
    @property
    def success_low(self) -> float | None: ...  # noqa: D102
    @property
    def success_high(self) -> float | None: ...  # noqa: D102
    @property
    def finished_collapsed(self) -> int: ...  # noqa: D102
    @property
    def recovered_collapsed(self) -> int: ...  # noqa: D102
    @property
    def success_rate_collapsed(self) -> float | None: ...  # noqa: D102
    @property
    def success_low_collapsed(self) -> float | None: ...  # noqa: D102
    @property
    def success_high_collapsed(self) -> float | None: ...  # noqa: D102


class Bin(Protocol):
    """A bin of confidences and the success that followed."""

    @property
    def bin_low(self) -> float: ...  # noqa: D102
    @property
    def bin_high(self) -> float: ...  # noqa: D102
    @property
    def attempts(self) -> int: ...  # noqa: D102
    @property
    def recovered(self) -> int: ...  # noqa: D102
    @property
    def avg_confidence(self) -> float | None: ...  # noqa: D102
    @property
    def success_rate(self) -> float | None: ...  # noqa: D102
    @property
    def success_low(self) -> float | None: ...  # noqa: D102
    @property
    def success_high(self) -> float | None: ...  # noqa: D102


class Day(Protocol):
    """A day's rate with the limits that chance allows it."""

    @property
    def day(self) -> date: ...  # noqa: D102
    @property
    def finished(self) -> int: ...  # noqa: D102
    @property
    def counted(self) -> int: ...  # noqa: D102
    @property
    def rate(self) -> float: ...  # noqa: D102
    @property
    def mean(self) -> float: ...  # noqa: D102
    @property
    def limit_low(self) -> float | None: ...  # noqa: D102
    @property
    def limit_high(self) -> float | None: ...  # noqa: D102
    @property
    def outside(self) -> bool | None: ...  # noqa: D102


def success_by_chain(rows: Sequence[Chain]) -> go.Figure:
    """Success of each chain with its 95 % interval: as recorded, and with repeated attempts collapsed."""
    figure = go.Figure()
    places = list(range(len(rows)))
    figure.add_trace(
        _intervals(
            [place - 0.13 for place in places],
            "as recorded",
            "circle",
            ACCENT,
            [(row.recovered, row.finished, row.success_rate, row.success_low, row.success_high) for row in rows],
        )
    )
    figure.add_trace(
        _intervals(
            [place + 0.13 for place in places],
            "repeated attempts collapsed",
            "diamond",
            COLLAPSED,
            [
                (
                    r.recovered_collapsed,
                    r.finished_collapsed,
                    r.success_rate_collapsed,
                    r.success_low_collapsed,
                    r.success_high_collapsed,
                )
                for r in rows
            ],
        )
    )
    figure.update_layout(
        height=270,
        margin={"l": 10, "r": 20, "t": 10, "b": 84},
        hoverlabel={"align": "left"},
        legend={"orientation": "h", "y": 0, "yanchor": "bottom", "x": 0, "yref": "container"},
    )
    figure.update_yaxes(
        tickvals=places,
        ticktext=[f"Chain {row.chain}" for row in rows],
        range=[len(rows) - 0.5, -0.5],
        showgrid=False,
        zeroline=False,
    )
    figure.update_xaxes(
        title_text="recovered ÷ finished", tickformat=".0%", range=[-0.02, 1.02], gridcolor=GRID, zeroline=False
    )
    return figure


Counted = tuple[int, int, float | None, float | None, float | None]


def _intervals(places: Sequence[float], name: str, symbol: str, colour: str, rows: Sequence[Counted]) -> go.Scatter:
    known = [
        (place, k, n, rate, low or 0.0, high or 0.0)
        for place, (k, n, rate, low, high) in zip(places, rows, strict=True)
        if rate is not None
    ]
    return go.Scatter(
        x=[row[3] for row in known],
        y=[row[0] for row in known],
        mode="markers",
        name=name,
        marker={"symbol": symbol, "size": 11, "color": colour},
        error_x={
            "type": "data",
            "symmetric": False,
            "thickness": 2,
            "width": 6,
            "color": colour,
            "array": [row[5] - row[3] for row in known],
            "arrayminus": [row[3] - row[4] for row in known],
        },
        customdata=[
            f"{k} of {n} recovered: {rate:.1%}<br>95 % interval {low:.1%} to {high:.1%}"
            for _, k, n, rate, low, high in known
        ],
        hovertemplate="%{customdata}<extra>" + name + "</extra>",
    )


def confidence_against_success(bins: Sequence[Bin]) -> go.Figure:
    """What was promised and what came: on the diagonal, a confidence of 80 % recovers four times in five."""
    figure = go.Figure()
    figure.add_scatter(
        x=[0, 1],
        y=[0, 1],
        mode="lines",
        name="as confident as right",
        hoverinfo="skip",
        line={"color": UNLISTED, "dash": "dash", "width": 1.5},
    )
    known = [
        (b, b.avg_confidence, b.success_rate, b.success_low or 0.0, b.success_high or 0.0)
        for b in bins
        if b.avg_confidence is not None and b.success_rate is not None
    ]
    most = max([row[0].attempts for row in known], default=1)
    figure.add_scatter(
        x=[row[1] for row in known],
        y=[row[2] for row in known],
        mode="markers",
        name="attempts, by confidence",
        marker={"color": ACCENT, "size": [9 + 15 * (row[0].attempts / most) ** 0.5 for row in known], "opacity": 0.9},
        error_y={
            "type": "data",
            "symmetric": False,
            "thickness": 1.6,
            "width": 5,
            "color": ACCENT,
            "array": [row[4] - row[2] for row in known],
            "arrayminus": [row[2] - row[3] for row in known],
        },
        customdata=[
            f"confidence {b.bin_low:.0%} to {b.bin_high:.0%}, on average {confidence:.1%}<br>"
            f"{b.recovered} of {b.attempts} recovered: {rate:.1%}<br>95 % interval {low:.1%} to {high:.1%}"
            for b, confidence, rate, low, high in known
        ],
        hovertemplate="%{customdata}<extra></extra>",
    )
    figure.update_layout(
        height=380,
        margin={"l": 10, "r": 20, "t": 10, "b": 84},
        hoverlabel={"align": "left"},
        legend={"orientation": "h", "y": 0, "yanchor": "bottom", "x": 0, "yref": "container"},
    )
    figure.update_xaxes(
        title_text="recorded confidence", tickformat=".0%", range=[0, 1.02], gridcolor=GRID, zeroline=False
    )
    figure.update_yaxes(title_text="recovered", tickformat=".0%", range=[-0.02, 1.04], gridcolor=GRID, zeroline=False)
    return figure


def day_by_day(days: Sequence[Day], what: str) -> go.Figure:
    """A rate by day; days outside their limits are crossed, because chance does not explain them."""
    figure = go.Figure()
    at = [day.day for day in days]
    if any(day.limit_low is not None for day in days):
        line = {"width": 1, "color": "rgba(128, 140, 152, 0.6)", "shape": "hvh"}
        figure.add_scatter(
            x=at, y=[d.limit_high for d in days], mode="lines", line=line, showlegend=False, hoverinfo="skip"
        )
        figure.add_scatter(
            x=at,
            y=[d.limit_low for d in days],
            mode="lines",
            line=line,
            fill="tonexty",
            name="what chance allows",
            fillcolor="rgba(128, 140, 152, 0.16)",
            hoverinfo="skip",
        )
    figure.add_scatter(
        x=at,
        y=[d.mean for d in days],
        mode="lines",
        name="mean",
        hoverinfo="skip",
        line={"color": UNLISTED, "dash": "dash", "width": 1.5},
    )
    _add_days(
        figure, [day for day in days if not day.outside], what, "circle", ACCENT, mode="lines+markers", every=days
    )
    _add_days(figure, [day for day in days if day.outside], "outside: not chance", "x", OUTSIDE, mode="markers")
    figure.update_layout(
        height=320,
        margin={"l": 10, "r": 20, "t": 10, "b": 84},
        hoverlabel={"align": "left"},
        legend={"orientation": "h", "y": 0, "yanchor": "bottom", "x": 0, "yref": "container"},
    )
    figure.update_xaxes(of_days(at), gridcolor=GRID)
    figure.update_yaxes(tickformat=".0%", range=[-0.03, 1.03], gridcolor=GRID, zeroline=False)
    return figure


def _add_days(
    figure: go.Figure,
    days: Sequence[Day],
    name: str,
    symbol: str,
    colour: str,
    *,
    mode: str,
    every: Sequence[Day] | None = None,
) -> None:
    if not days:
        return
    shown = every or days
    figure.add_scatter(
        x=[d.day for d in shown],
        y=[d.rate for d in shown],
        mode=mode,
        name=name,
        line={"color": colour, "width": 1.5},
        marker={"symbol": symbol, "size": 12 if symbol == "x" else 6, "color": colour},
        customdata=[f"{d.counted} of {d.finished}: {d.rate:.1%}" for d in shown],
        hovertemplate="%{x|%Y-%m-%d}<br>%{customdata}<extra>" + name + "</extra>",
    )
