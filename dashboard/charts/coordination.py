"""Agents in a ring with the tasks they handed on, and waits as bars over time with their deadlines."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

import plotly.graph_objects as go

from dashboard.charts.label import plain
from dashboard.charts.palette import ACCENT, GRID, UNLISTED

FAULT = "#D55E00"
# Half the height of the ring's chart, with the radius as one; and the pixels of a line of names.
HALF = 1.35
LINE = 18
_WAIT_COLOURS = {"↻ on a cycle": FAULT, "✕ overdue or without deadline": "#E69F00", "✓ in time": ACCENT}


class Edge(Protocol):
    """Tasks handed from one agent to another."""

    @property
    def from_agent(self) -> str | None: ...  # noqa: D102
    @property
    def to_agent(self) -> str | None: ...  # noqa: D102
    @property
    def hops(self) -> int: ...  # noqa: D102
    @property
    def circulating(self) -> int: ...  # noqa: D102


class Waiting(Protocol):
    """One agent waiting for another."""

    @property
    def waiter(self) -> str | None: ...  # noqa: D102
    @property
    def holder(self) -> str | None: ...  # noqa: D102
    @property
    def since(self) -> datetime | None: ...  # noqa: D102
    @property
    def until(self) -> datetime | None: ...  # noqa: D102
    @property
    def deadline(self) -> datetime | None: ...  # noqa: D102
    @property
    def on_cycle(self) -> bool: ...  # noqa: D102
    @property
    def overdue(self) -> bool: ...  # noqa: D102


def delegation_ring(edges: Sequence[Edge]) -> go.Figure:
    """Agents on a circle; an arrow for each recorded edge, thicker with more tasks; ↻ and orange: one came back."""
    agents = list(dict.fromkeys(name for edge in edges for name in (edge.from_agent, edge.to_agent) if name))
    turn = 2 * math.pi / max(1, len(agents))
    place = {name: (math.sin(number * turn), math.cos(number * turn)) for number, name in enumerate(agents)}
    figure = go.Figure()
    most = max((edge.hops for edge in edges), default=1)
    arrows: list[dict[str, object]] = []
    for edge in edges:
        if edge.from_agent in place and edge.to_agent in place and edge.from_agent != edge.to_agent:
            arrows.append(_arrow(place[edge.from_agent], place[edge.to_agent], edge, most))
            if edge.circulating:
                arrows.append(_came_back(place[edge.from_agent], place[edge.to_agent]))
    # All at once: each that is added singly copies those before it.
    figure.update_layout(annotations=arrows)
    figure.add_scatter(
        x=[place[name][0] for name in agents],
        y=[place[name][1] for name in agents],
        mode="markers",
        marker={"size": 16, "color": ACCENT},
        customdata=[_told(name, edges) for name in agents],
        hovertemplate="%{customdata}<extra></extra>",
    )
    tallest = max([2, *Counter(x >= 0 for x, _ in place.values()).values()])
    _add_names(figure, place, tallest)
    figure.update_layout(
        height=max(380, 40 + LINE * tallest), showlegend=False, margin={"l": 10, "r": 10, "t": 20, "b": 20}
    )
    figure.update_xaxes(visible=False, range=[-2.2, 2.2])
    figure.update_yaxes(visible=False, range=[-HALF, HALF])
    return figure


def _add_names(figure: go.Figure, place: Mapping[str, tuple[float, float]], tallest: int) -> None:
    """Every name beside the ring, on its agent's side and none on another, with a line from its agent."""
    lines: tuple[list[float | None], list[float | None]] = ([], [])
    for side, at in ((1, "middle right"), (-1, "middle left")):
        names = sorted((name for name in place if (place[name][0] >= 0) == (side > 0)), key=lambda n: -place[n][1])
        heights = _apart([place[name][1] * 1.12 for name in names], min(0.2, 2 * HALF / tallest))
        for name, height in zip(names, heights, strict=True):
            x, y = place[name]
            lines[0].extend((x, side * 1.14, None))
            lines[1].extend((y, height, None))
        figure.add_scatter(
            x=[side * 1.16] * len(names), y=heights, mode="text", text=[plain(name, 18) for name in names],
            textposition=at, cliponaxis=False, hoverinfo="skip",
        )  # fmt: skip
    figure.add_scatter(
        x=lines[0], y=lines[1], mode="lines", hoverinfo="skip", line={"color": GRID, "width": 1}, connectgaps=False
    )


def _apart(wanted: Sequence[float], gap: float) -> list[float]:
    """Heights from the top down, at least the gap apart, as near to the wanted ones as the chart has room."""
    found: list[float] = []
    for height in wanted:
        found.append(min(height, found[-1] - gap) if found else height)
    low = -HALF + gap / 2
    for number in reversed(range(len(found))):
        if found[number] >= low:
            break
        found[number] = low
        low += gap
    return found


def _arrow(start: tuple[float, float], end: tuple[float, float], edge: Edge, most: int) -> dict[str, object]:
    # A little to the side, so that an edge and its reverse are two arrows.
    across = (end[1] - start[1]) * 0.03, (start[0] - end[0]) * 0.03
    return {
        "x": end[0] + across[0], "y": end[1] + across[1], "ax": start[0] + across[0], "ay": start[1] + across[1],
        "xref": "x", "yref": "y", "axref": "x", "ayref": "y", "showarrow": True, "arrowhead": 2, "standoff": 10,
        "startstandoff": 10, "arrowwidth": 1.2 + 3 * edge.hops / most,
        "arrowcolor": FAULT if edge.circulating else UNLISTED, "text": "",
    }  # fmt: skip


def _came_back(start: tuple[float, float], end: tuple[float, float]) -> dict[str, object]:
    return {
        "x": (start[0] + end[0]) / 2, "y": (start[1] + end[1]) / 2, "text": "↻", "showarrow": False, "xanchor": "right",
        "xshift": -6, "font": {"color": FAULT, "size": 18},
    }  # fmt: skip


def _told(name: str, edges: Sequence[Edge]) -> str:
    out = sum(edge.hops for edge in edges if edge.from_agent == name)
    into = sum(edge.hops for edge in edges if edge.to_agent == name)
    return f"{plain(name, 80)}<br>{out:,} handed on, {into:,} received"


def waits_over_time(waits: Sequence[Waiting]) -> go.Figure:
    """A bar for each wait with a beginning; a mark at its deadline. An open wait ends where the last record does."""
    timed = [wait for wait in waits if wait.since is not None]
    moments = [moment for wait in timed for moment in (wait.since, wait.until, wait.deadline) if moment]
    last = max(moments, default=None)
    figure = go.Figure()
    for word, colour in _WAIT_COLOURS.items():
        rows = [(number, wait) for number, wait in enumerate(timed) if _state(wait) == word]
        if rows:
            figure.add_trace(_bars(rows, word, colour, last))
    marks = [(number, wait.deadline) for number, wait in enumerate(timed) if wait.deadline]
    figure.add_trace(
        go.Scatter(
            x=[moment for _, moment in marks], y=[number for number, _ in marks], mode="markers", name="| deadline",
            marker={"symbol": "line-ns-open", "size": 14, "color": UNLISTED, "line": {"width": 2}},
            hovertemplate="deadline %{x}<extra></extra>",
        )
    )  # fmt: skip
    figure.update_layout(
        barmode="overlay", height=110 + 26 * max(1, len(timed)), margin={"l": 10, "r": 10, "t": 6, "b": 70},
        legend={"orientation": "h", "y": 0, "yanchor": "bottom", "x": 0, "yref": "container"},
    )  # fmt: skip
    figure.update_xaxes(type="date", gridcolor=GRID)
    figure.update_yaxes(
        tickvals=list(range(len(timed))), autorange="reversed", automargin=True, showgrid=False,
        ticktext=[f"{plain(w.waiter or '?', 14)} → {plain(w.holder or '?', 14)}" for w in timed],
    )  # fmt: skip
    return figure


def _state(wait: Waiting) -> str:
    if wait.on_cycle:
        return "↻ on a cycle"
    return "✕ overdue or without deadline" if wait.overdue else "✓ in time"


def _bars(rows: Sequence[tuple[int, Waiting]], word: str, colour: str, last: datetime | None) -> go.Bar:
    lengths = [((wait.until or last or wait.since) - wait.since).total_seconds() * 1000 for _, wait in rows]  # type: ignore[operator]
    return go.Bar(
        base=[wait.since for _, wait in rows],
        x=[max(length, 1) for length in lengths],
        y=[number for number, _ in rows],
        orientation="h",
        name=word,
        marker={"color": colour, "line": {"width": 0}},
        customdata=["still open" if wait.until is None else "ended" for _, wait in rows],
        hovertemplate="%{base|%Y-%m-%d %H:%M:%S}<br>%{customdata}<extra></extra>",
    )
