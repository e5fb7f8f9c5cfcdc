"""Where failures were observed against where they originated, as a heat map in the order of the phases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import plotly.graph_objects as go

from dashboard.charts.label import plain
from dashboard.charts.palette import GRID

UNKNOWN = "no order"
AFTER = "▲"
# From nothing to the accent, light enough at its end for text in either theme.
_SCALE = [[0.0, "rgba(59, 120, 177, 0.10)"], [1.0, "rgba(59, 120, 177, 0.62)"]]


class Pair(Protocol):
    """So many failures were observed in one phase and originated in another."""

    @property
    def observed_phase(self) -> str | None: ...  # noqa: D102
    @property
    def originated_phase(self) -> str | None: ...  # noqa: D102
    @property
    def failures(self) -> int: ...  # noqa: D102
    @property
    def origin_after(self) -> int: ...  # noqa: D102


def origin_heat_map(pairs: Sequence[Pair], order: Sequence[str], ink: str) -> go.Figure:
    """Rows are the phases of observation, columns those of origin; on the dashed line both are the same."""
    columns = _named(order, {pair.originated_phase for pair in pairs})
    rows = _named(order, {pair.observed_phase for pair in pairs})
    cells = {(pair.observed_phase or UNKNOWN, pair.originated_phase or UNKNOWN): pair for pair in pairs}
    grid = [[cells.get((row, column)) for column in columns] for row in rows]
    heat = go.Heatmap(
        z=[[_heat(pair) for pair in line] for line in grid],
        x=list(range(len(columns))),
        y=list(range(len(rows))),
        colorscale=_SCALE,
        zmin=0,
        showscale=False,
        xgap=2,
        ygap=2,
        hoverongaps=False,
        text=[[_text(pair) for pair in line] for line in grid],
        texttemplate="%{text}",
        textfont={"size": 15, "color": ink},
        customdata=[[f"observed in {plain(row)}, originated in {plain(column)}" for column in columns] for row in rows],
        hovertemplate="%{customdata}: %{text}<extra></extra>",
    )
    figure = go.Figure(heat)
    _lay_out(figure, rows, columns)
    for place, phase in enumerate(rows):
        if phase in columns and phase != UNKNOWN:
            at = columns.index(phase)
            figure.add_shape(
                type="rect", x0=at - 0.5, x1=at + 0.5, y0=place - 0.5, y1=place + 0.5,
                line={"color": "#8C99A6", "width": 1.5, "dash": "dot"},
            )  # fmt: skip
    return figure


def _named(order: Sequence[str], met: set[str | None]) -> list[str]:
    """The phases that were met, in their order; those of no order last."""
    known = [phase for phase in order if phase in met]
    return known + ([UNKNOWN] if None in met else [])


def _heat(pair: Pair | None) -> int | None:
    """What is in no order is told and not shaded: it must not outshine the phases."""
    if pair is None:
        return None
    return pair.failures if pair.observed_phase and pair.originated_phase else 0


def _text(pair: Pair | None) -> str:
    if pair is None:
        return ""
    return f"{pair.failures} {AFTER}" if pair.origin_after else f"{pair.failures}"


def _lay_out(figure: go.Figure, rows: list[str], columns: list[str]) -> None:
    figure.update_layout(height=130 + 44 * max(1, len(rows)), margin={"l": 10, "r": 10, "t": 40, "b": 10})
    figure.update_xaxes(
        tickvals=list(range(len(columns))),
        ticktext=[plain(column) for column in columns],
        side="top",
        title_text="originated in",
        showgrid=False,
        zeroline=False,
        range=[-0.5, max(len(columns), 4) - 0.5],
        tickangle=0 if len(columns) < 5 else -35,
    )
    figure.update_yaxes(
        tickvals=list(range(len(rows))),
        ticktext=[plain(row) for row in rows],
        title_text="observed in",
        showgrid=False,
        zeroline=False,
        range=[len(rows) - 0.5, -0.5],
        gridcolor=GRID,
        automargin=True,
    )
