"""Escalation rates against their bands: all workloads side by side, and one of them day by day."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

import plotly.graph_objects as go

from dashboard.charts.label import plain
from dashboard.charts.palette import ACCENT, GRID

BAND = "rgba(0, 150, 122, 0.16)"
COLOURS = {"LOW": "#D55E00", "HIGH": "#E69F00", "OK": "#00967A", "INSUFFICIENT_DATA": "#8C99A6", "NO_DATA": "#8C99A6"}
UNPROVEN = "#3B78B1"
INTERVAL = "rgba(59, 120, 177, 0.22)"
SYMBOLS = {"LOW": "triangle-down", "HIGH": "triangle-up", "OK": "circle", "INSUFFICIENT_DATA": "circle-open"}


class Rated(Protocol):
    """A rate with its interval, its denominator, its band and what it reads."""

    @property
    def escalated(self) -> int: ...  # noqa: D102
    @property
    def finished(self) -> int: ...  # noqa: D102
    @property
    def rate(self) -> float | None: ...  # noqa: D102
    @property
    def rate_low(self) -> float | None: ...  # noqa: D102
    @property
    def rate_high(self) -> float | None: ...  # noqa: D102
    @property
    def band_low(self) -> float: ...  # noqa: D102
    @property
    def band_high(self) -> float: ...  # noqa: D102
    @property
    def state(self) -> str: ...  # noqa: D102
    @property
    def evidence(self) -> str | None: ...  # noqa: D102


class OfWorkload(Rated, Protocol):
    """The reading of one workload."""

    @property
    def workload(self) -> str: ...  # noqa: D102


class Evaluation(Rated, Protocol):
    """One daily evaluation, or a change that one made."""

    @property
    def at(self) -> datetime: ...  # noqa: D102
    @property
    def from_state(self) -> str: ...  # noqa: D102
    @property
    def to_state(self) -> str: ...  # noqa: D102
    @property
    def reason(self) -> str | None: ...  # noqa: D102


def colour(row: Rated) -> str:
    """The colour of a reading; green is kept for what is proven."""
    return UNPROVEN if row.state == "OK" and row.evidence != "proven" else COLOURS.get(row.state, "#8C99A6")


def _band(place: int, row: OfWorkload) -> dict[str, object]:
    return {
        "type": "rect", "x0": row.band_low, "x1": row.band_high, "y0": place - 0.36, "y1": place + 0.36,
        "fillcolor": BAND, "line": {"width": 1, "color": "rgba(0, 150, 122, 0.55)"}, "layer": "below",
    }  # fmt: skip


def bands_side_by_side(rows: Sequence[OfWorkload], words: dict[str, str]) -> go.Figure:
    """Each workload's rate with its 95 % interval, over the band it has to stay in."""
    figure = go.Figure()
    # All at once: each that is added singly copies those before it.
    figure.update_layout(shapes=[_band(place, row) for place, row in enumerate(rows)])
    figure.add_traces([_point(place, row, words) for place, row in enumerate(rows) if row.rate is not None])
    names = [f"{plain(row.workload, 24)}  {words[row.state]}" for row in rows]
    figure.update_layout(
        height=96 + 46 * max(1, len(rows)),
        showlegend=False,
        margin={"l": 10, "r": 20, "t": 10, "b": 50},
        hoverlabel={"align": "left"},
    )
    figure.update_yaxes(
        tickvals=list(range(len(rows))),
        ticktext=names,
        range=[len(rows) - 0.45, -0.55],
        showgrid=False,
        zeroline=False,
        automargin=True,
    )
    figure.update_xaxes(
        title_text="escalation rate; the band is shaded",
        tickformat=".0%",
        gridcolor=GRID,
        zeroline=False,
        range=[-0.01, min(1.01, 0.08 + max([0.3, *(max(row.rate_high or 0, row.band_high) for row in rows)]))],
    )
    return figure


def _point(place: int, row: OfWorkload, words: dict[str, str]) -> go.Scatter:
    rate, low, high = row.rate or 0, row.rate_low or 0, row.rate_high or 0
    return go.Scatter(
        x=[rate],
        y=[place],
        mode="markers",
        name=plain(row.workload),
        marker={
            "color": colour(row),
            "size": 14,
            "symbol": SYMBOLS.get(row.state, "circle"),
            "line": {"width": 1.5, "color": colour(row)},
        },
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [high - rate],
            "arrayminus": [rate - low],
            "thickness": 2.4,
            "width": 7,
            "color": colour(row),
        },
        customdata=[
            (
                f"{plain(row.workload, 60)}<br>{row.escalated} of {row.finished} escalated: {rate:.1%}<br>"
                f"95 % interval {low:.1%} to {high:.1%}<br>{words[row.state]} {row.evidence or ''}"
            )
        ],
        hovertemplate="%{customdata}<extra></extra>",
    )


def history(days: Sequence[Evaluation], changes: Sequence[Evaluation], words: dict[str, str]) -> go.Figure:
    """The rate day by day with its interval and its band; changes of the alert stand as signs."""
    figure = go.Figure()
    at = [day.at for day in days]
    _ribbon(figure, at, [(day.band_low, day.band_high) for day in days], name="band", fill=BAND, shape="hv")
    known = [day for day in days if day.rate is not None]
    times = [day.at for day in known]
    edges = [(day.rate_low, day.rate_high) for day in known]
    _ribbon(figure, times, edges, name="95 % interval", fill=INTERVAL, shape="linear")
    figure.add_scatter(
        x=times,
        y=[day.rate for day in known],
        mode="lines+markers",
        name="escalation rate",
        line={"color": ACCENT, "width": 2},
        marker={"size": 7, "symbol": [SYMBOLS.get(day.state, "circle-open") for day in known]},
        customdata=[_told(day, words) for day in known],
        hovertemplate="%{x|%Y-%m-%d %H:%M}<br>%{customdata}<extra></extra>",
    )
    _add_changes(figure, changes, words)
    figure.update_layout(
        height=360,
        margin={"l": 10, "r": 20, "t": 10, "b": 84},
        hoverlabel={"align": "left"},
        legend={"orientation": "h", "y": 0, "yanchor": "bottom", "x": 0, "yref": "container"},
    )
    figure.update_xaxes(gridcolor=GRID)
    figure.update_yaxes(
        title_text="escalated ÷ finished", tickformat=".0%", gridcolor=GRID, rangemode="tozero", zeroline=False
    )
    return figure


def _ribbon(
    figure: go.Figure, at: list[datetime], edges: Sequence[tuple[float | None, float | None]], **drawn: str
) -> None:
    line = {"width": 0, "shape": drawn["shape"]}
    hidden = {"mode": "lines", "line": line, "hoverinfo": "skip"}
    figure.add_scatter(x=at, y=[high for _, high in edges], showlegend=False, **hidden)
    figure.add_scatter(
        x=at,
        y=[low for low, _ in edges],
        fill="tonexty",
        fillcolor=drawn["fill"],
        name=drawn["name"],
        **hidden,
    )


def _add_changes(figure: go.Figure, changes: Sequence[Evaluation], words: dict[str, str]) -> None:
    for kind in ("LOW", "HIGH", "OK"):
        chosen = [change for change in changes if change.to_state == kind and change.from_state != kind]
        if chosen:
            name = f"alert cleared {words['OK']}" if kind == "OK" else f"alert {words[kind]}"
            figure.add_scatter(
                x=[change.at for change in chosen],
                y=[change.rate for change in chosen],
                mode="markers",
                name=name,
                marker={
                    "symbol": SYMBOLS[kind],
                    "size": 15,
                    "color": COLOURS[kind],
                    "line": {"width": 2, "color": "white"},
                },
                customdata=[f"{change.from_state} → {change.to_state}<br>{change.reason}" for change in chosen],
                hovertemplate="%{x|%Y-%m-%d %H:%M}<br>%{customdata}<extra></extra>",
            )


def _told(day: Evaluation, words: dict[str, str]) -> str:
    return (
        f"{day.escalated} of {day.finished} escalated: {day.rate or 0:.1%}<br>"
        f"95 % interval {day.rate_low or 0:.1%} to {day.rate_high or 0:.1%}<br>"
        f"reads {words[day.state]} {day.evidence or ''}<br>alert {words[day.to_state]}"
    )
