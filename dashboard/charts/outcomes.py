"""How runs ended, by workload, and the failed share of each with its interval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Protocol

import plotly.graph_objects as go

from dashboard.charts.axes import of_counts
from dashboard.charts.label import plain
from dashboard.charts.palette import GRID, OUTCOME_COLOURS, UNLISTED


class Ended(Protocol):
    """So many runs of a workload ended in one way."""

    @property
    def workload(self) -> str: ...  # noqa: D102
    @property
    def status(self) -> str: ...  # noqa: D102
    @property
    def runs(self) -> int: ...  # noqa: D102


class Share(Protocol):
    """A share with its interval and what it was counted over."""

    @property
    def decided(self) -> int: ...  # noqa: D102
    @property
    def failed(self) -> int: ...  # noqa: D102
    @property
    def rate(self) -> float | None: ...  # noqa: D102
    @property
    def rate_low(self) -> float | None: ...  # noqa: D102
    @property
    def rate_high(self) -> float | None: ...  # noqa: D102


def outcomes_by_workload(ended: Sequence[Ended], workloads: Sequence[str], words: Mapping[str, str]) -> go.Figure:
    """Stacked bars of outcomes, one bar a workload; each part bears the glyph of its outcome."""
    figure = go.Figure()
    rows = list(range(len(workloads)))
    names = [plain(workload, 80) for workload in workloads]
    counts = {(row.workload, row.status): row.runs for row in ended}
    for status, word in words.items():
        numbers = [counts.get((workload, status), 0) for workload in workloads]
        if any(numbers):
            figure.add_trace(_bar(rows, numbers, status, word, names))
    _lay_out(figure, workloads)
    figure.update_layout(
        barmode="stack",
        legend={"orientation": "h", "y": 0, "yanchor": "bottom", "x": 0, "yref": "container", "traceorder": "normal"},
    )
    figure.update_xaxes(of_counts(_longest(ended), "runs"))
    return figure


def _longest(ended: Sequence[Ended]) -> int:
    """The runs of the workload with the most."""
    runs: Counter[str] = Counter()
    for row in ended:
        runs[row.workload] += row.runs
    return max(runs.values(), default=0)


def failed_shares(shares: Mapping[str, Share], workloads: Sequence[str]) -> go.Figure:
    """The failed share of each workload with its 95 % interval, over the runs whose outcome is known."""
    known = [(row, shares[w]) for row, w in enumerate(workloads) if w in shares and shares[w].decided]
    colour = OUTCOME_COLOURS["failed"]
    figure = go.Figure(
        go.Scatter(
            y=[row for row, _ in known], x=[share.rate for _, share in known], mode="markers", showlegend=False,
            marker={"color": colour, "size": 9, "symbol": "diamond"},
            error_x={
                "type": "data", "symmetric": False, "thickness": 1.6, "width": 5, "color": colour,
                "array": [(share.rate_high or 0) - (share.rate or 0) for _, share in known],
                "arrayminus": [(share.rate or 0) - (share.rate_low or 0) for _, share in known],
            },
            customdata=[_said(share) for _, share in known], hovertemplate="%{customdata}<extra></extra>",
        )
    )  # fmt: skip
    _lay_out(figure, workloads)
    figure.update_xaxes(title_text="share of runs with a known outcome", range=[-0.02, 1.02], tickformat=".0%")
    return figure


def _said(share: Share) -> str:
    return (
        f"{share.failed:,} of {share.decided:,} failed: {share.rate:.1%}"
        f"<br>95 % interval {share.rate_low:.1%} to {share.rate_high:.1%}"
    )


def _bar(rows: list[int], numbers: list[int], status: str, word: str, names: list[str]) -> go.Bar:
    return go.Bar(
        y=rows, x=numbers, name=plain(word, 40), orientation="h", customdata=names,
        hovertemplate="%{customdata}<br>%{x:,} runs<extra>" + plain(word, 40) + "</extra>",
        marker={"color": OUTCOME_COLOURS.get(status, UNLISTED), "line": {"width": 0}},
        text=[word[0] if number else "" for number in numbers], textposition="inside", insidetextanchor="middle",
        textangle=0, textfont={"color": "white"}, constraintext="none",
    )  # fmt: skip


def _lay_out(figure: go.Figure, workloads: Sequence[str]) -> None:
    rows = len(workloads)
    figure.update_layout(
        height=150 + 34 * max(1, rows), bargap=0.35, margin={"l": 10, "r": 16, "t": 8, "b": 106},
        hoverlabel={"align": "left"}, uniformtext={"mode": "hide", "minsize": 9},
    )  # fmt: skip
    figure.update_yaxes(
        tickvals=list(range(rows)), ticktext=[plain(workload, 22) for workload in workloads],
        range=[rows - 0.4, -0.6], showgrid=False, zeroline=False, automargin=True,
    )  # fmt: skip
    figure.update_xaxes(gridcolor=GRID, zeroline=False)
