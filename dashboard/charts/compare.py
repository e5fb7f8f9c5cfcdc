"""Two runs as two columns of marks: where both have a step, where only one has it, where the outcomes part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import plotly.graph_objects as go

from dashboard.charts.label import plain
from dashboard.charts.palette import ACCENT

DIFFERENT = "#D55E00"


class Aligned(Protocol):
    """A step of either run."""

    @property
    def kind(self) -> str: ...  # noqa: D102
    @property
    def name(self) -> str | None: ...  # noqa: D102
    @property
    def differs(self) -> str | None: ...  # noqa: D102
    @property
    def outcome_a(self) -> str | None: ...  # noqa: D102
    @property
    def outcome_b(self) -> str | None: ...  # noqa: D102


def aligned(rows: Sequence[Aligned], words: Mapping[str, str]) -> go.Figure:
    """A row for each aligned step; a diamond where the runs differ."""
    figure = go.Figure()
    for side, place, missing in (("A", 0, "only in B"), ("B", 1, "only in A")):
        there = [(number, row) for number, row in enumerate(rows) if row.differs != missing]
        figure.add_trace(
            go.Scatter(
                x=[place] * len(there),
                y=[number for number, _ in there],
                mode="markers",
                name=f"run {side}",
                marker={
                    "size": 12,
                    "symbol": ["diamond" if row.differs else "circle" for _, row in there],
                    "color": [DIFFERENT if row.differs else ACCENT for _, row in there],
                },
                customdata=[_told(row, side, words) for _, row in there],
                hovertemplate="%{customdata}<extra></extra>",
            )
        )
    both = [number for number, row in enumerate(rows) if row.differs not in {"only in A", "only in B"}]
    line = {"type": "line", "x0": 0.04, "x1": 0.96, "line": {"width": 1, "color": "#8C99A6"}}
    # All at once: each that is added singly copies those before it.
    figure.update_layout(shapes=[{**line, "y0": number, "y1": number} for number in both])
    figure.update_layout(
        height=70 + 22 * max(1, len(rows)), showlegend=False, margin={"l": 10, "r": 10, "t": 30, "b": 10}
    )
    figure.update_xaxes(
        tickvals=[0, 1], ticktext=["Run A", "Run B"], side="top", range=[-0.3, 1.3], showgrid=False, zeroline=False
    )
    figure.update_yaxes(
        tickvals=list(range(len(rows))), ticktext=[plain(f"{row.kind} {row.name or ''}", 30) for row in rows],
        autorange="reversed", automargin=True, showgrid=False, zeroline=False,
    )  # fmt: skip
    return figure


def _told(row: Aligned, side: str, words: Mapping[str, str]) -> str:
    ended = row.outcome_a if side == "A" else row.outcome_b
    differs = words.get(row.differs or "", "= same")
    return f"{plain(row.name or row.kind, 80)}<br>{plain(ended or 'not recorded', 60)}<br>{differs}"
