"""One run as a waterfall: its steps by time, or by order where there is no clock, with what went wrong marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

import plotly.graph_objects as go

from dashboard.charts.label import plain
from dashboard.charts.palette import ACCENT, GRID, MARK_COLOURS, STEP_COLOURS, UNLISTED

LANE = -1
UNITS = (
    (1.0, "milliseconds", 1000.0),
    (900.0, "seconds", 1.0),
    (4 * 3600.0, "minutes", 1 / 60),
    (float("inf"), "hours", 1 / 3600),
)
SYMBOLS = {"error": "x", "recovery": "triangle-up", "guardrail": "diamond", "wait": "hourglass", "handoff": "bowtie"}


class Step(Protocol):
    """A step of a run."""

    @property
    def span_id(self) -> str: ...  # noqa: D102
    @property
    def parent_span_id(self) -> str | None: ...  # noqa: D102
    @property
    def name(self) -> str | None: ...  # noqa: D102
    @property
    def kind(self) -> str | None: ...  # noqa: D102
    @property
    def seq(self) -> int | None: ...  # noqa: D102
    @property
    def last_seq(self) -> int | None: ...  # noqa: D102
    @property
    def started_at(self) -> datetime | None: ...  # noqa: D102
    @property
    def ended_at(self) -> datetime | None: ...  # noqa: D102
    @property
    def status(self) -> str | None: ...  # noqa: D102


class Mark(Protocol):
    """Something that happened in a run."""

    @property
    def event_id(self) -> str | None: ...  # noqa: D102
    @property
    def span_id(self) -> str | None: ...  # noqa: D102
    @property
    def kind(self) -> str: ...  # noqa: D102
    @property
    def name(self) -> str | None: ...  # noqa: D102
    @property
    def summary(self) -> str | None: ...  # noqa: D102
    @property
    def seq(self) -> int | None: ...  # noqa: D102
    @property
    def occurred_at(self) -> datetime | None: ...  # noqa: D102


class Path(Protocol):
    """Where a failure began and where it was observed, as steps; None where that is not drawn."""

    @property
    def origin(self) -> str | None: ...  # noqa: D102
    @property
    def observed(self) -> str | None: ...  # noqa: D102
    @property
    def said_origin(self) -> str | None: ...  # noqa: D102
    @property
    def said_observed(self) -> str | None: ...  # noqa: D102


class Axis:
    """Where a step or a mark stands: in time since the first event, or at its place in the order."""

    def __init__(self, steps: Sequence[Step], marks: Sequence[Mark]) -> None:
        """The clock is used when every step that was reached has a start."""
        reached = [step for step in steps if step.status != "not_reached"]
        self.has_clock = bool(reached) and all(step.started_at for step in reached)
        times = [t for step in reached for t in (step.started_at, step.ended_at) if t]
        times += [mark.occurred_at for mark in marks if mark.occurred_at]
        self._zero = min(times, default=None)
        self._last_time = max(times, default=None)
        span_s = (self._last_time - self._zero).total_seconds() if self._zero and self._last_time else 0.0
        self._unit, self._per_second = next((u, f) for limit, u, f in UNITS if span_s < limit)
        self._last_seq = max([s.last_seq or 0 for s in steps] + [m.seq or 0 for m in marks], default=0)

    def of_mark(self, mark: Mark) -> float | None:
        """The place of a mark; None where it has none on this axis."""
        if not self.has_clock:
            return mark.seq
        return self._elapsed(mark.occurred_at)

    def of_step(self, step: Step, following: Step | None) -> tuple[float, float] | None:
        """Where a step begins and how long it is; None where it was never reached."""
        if not self.has_clock:
            return self._by_order(step, following)
        begin = self._elapsed(step.started_at)
        if begin is None:
            return None
        end = self._elapsed(step.ended_at or self._last_time)
        return begin, max((end or begin) - begin, self.whole * 0.002)

    @property
    def unit(self) -> str:
        """The unit of time that suits the length of the run."""
        return self._unit

    @property
    def whole(self) -> float:
        """The length of the axis."""
        return (self._elapsed(self._last_time) if self.has_clock else float(self._last_seq)) or 1.0

    @property
    def title(self) -> str:
        """What the axis counts."""
        return (
            f"{self._unit} since the first event" if self.has_clock else "order of events (seq): this run has no clock"
        )

    def _by_order(self, step: Step, following: Step | None) -> tuple[float, float] | None:
        if step.seq is None or step.status == "not_reached":
            return None
        end = step.last_seq if step.last_seq and step.last_seq > step.seq else None
        if end is None:
            end = following.seq if following and following.seq and following.seq > step.seq else step.seq + 1
        return float(step.seq), max(float(end - step.seq), self.whole * 0.004)

    def _elapsed(self, time: datetime | None) -> float | None:
        return (time - self._zero).total_seconds() * self._per_second if time and self._zero else None


def waterfall(
    steps: Sequence[Step],
    marks: Sequence[Mark],
    step_words: Mapping[str, str],
    mark_words: Mapping[str, str],
    paths: Sequence[Path] = (),
) -> go.Figure:
    """Steps as bars in their order, coloured by how each ended; marks on them, and paths from origin to observation."""
    axis = Axis(steps, marks)
    row_of = {step.span_id: row for row, step in enumerate(steps)}
    figure = go.Figure()
    for status, word in step_words.items():
        _add_steps(figure, axis, steps, status, word)
    for kind, word in mark_words.items():
        _add_marks(figure, axis, [mark for mark in marks if mark.kind == kind], word, row_of)
    for path in paths:
        _add_path(figure, axis, steps, row_of, path)
    _lay_out(figure, axis, [_label(step, _depth(step, steps)) for step in steps], has_lane=_uses_lane(marks, row_of))
    return figure


def _add_steps(figure: go.Figure, axis: Axis, steps: Sequence[Step], status: str, word: str) -> None:
    rows, base, length, text, hover = [], [], [], [], []
    for row, step in enumerate(steps):
        if (step.status or "unset") != status:
            continue
        place = axis.of_step(step, steps[row + 1] if row + 1 < len(steps) else None)
        rows.append(row)
        base.append(place[0] if place else 0)
        length.append(place[1] if place else 0)
        text.append("\u2002" + word if place is None or status != "ok" else "")
        lasted = f"<br>{place[1]:,.3g} {axis.unit}" if place and axis.has_clock else ""
        hover.append([step.span_id, f"{plain(step.name or step.kind, 90)}<br>{word}{lasted}"])
    if rows:
        # The width is given, because Plotly takes the gap between the rows of one status for it.
        figure.add_bar(
            y=rows, base=base, x=length, orientation="h", name=word, cliponaxis=False,
            text=text, textposition="outside", width=0.6,
            customdata=hover, hovertemplate="%{customdata[1]}<extra></extra>",
            marker={"color": STEP_COLOURS.get(status, UNLISTED), "line": {"width": 0}},
        )  # fmt: skip


def _add_marks(figure: go.Figure, axis: Axis, marks: Sequence[Mark], word: str, row_of: Mapping[str, int]) -> None:
    placed = [(axis.of_mark(mark), mark) for mark in marks]
    shown = [(place, mark) for place, mark in placed if place is not None]
    if shown:
        kind = shown[0][1].kind
        figure.add_scatter(
            x=[place for place, _ in shown], y=[row_of.get(mark.span_id or "", LANE) for _, mark in shown],
            mode="markers", name=word, customdata=[[mark.event_id, _said(mark)] for _, mark in shown],
            hovertemplate="%{customdata[1]}<extra></extra>",
            marker={
                "symbol": SYMBOLS.get(kind, "circle"), "size": 12, "color": "white",
                "line": {"width": 2.5, "color": MARK_COLOURS.get(kind, UNLISTED)},
            },
        )  # fmt: skip


def _add_path(figure: go.Figure, axis: Axis, steps: Sequence[Step], row_of: Mapping[str, int], path: Path) -> None:
    ends = []
    for span_id, word, said in (
        (path.origin, "◎ originated", path.said_origin), (path.observed, "◉ observed", path.said_observed),
    ):  # fmt: skip
        row = row_of.get(span_id or "")
        place = axis.of_step(steps[row], steps[row + 1] if row + 1 < len(steps) else None) if row is not None else None
        if row is not None and place is not None:
            ends.append((place[0], row, word, f"{word} at<br>{plain(said, 60)}"))
    if ends:
        figure.add_scatter(
            x=[x for x, _, _, _ in ends], y=[y for _, y, _, _ in ends], mode="lines+markers+text",
            name="◎ originated → ◉ observed", text=[word for _, _, word, _ in ends], textposition="top right",
            hovertext=[said for _, _, _, said in ends], hovertemplate="%{hovertext}<extra></extra>",
            line={"dash": "dot", "width": 2, "color": ACCENT},
            marker={"symbol": ["circle-open-dot" if "◎" in word else "circle" for _, _, word, _ in ends], "size": 13,
                    "color": ACCENT},
        )  # fmt: skip


def _said(mark: Mark) -> str:
    return f"{plain(mark.name, 60)}<br>{plain(mark.summary, 90)}"


def _label(step: Step, depth: int) -> str:
    return "\u2003" * depth + plain(step.name or step.kind or step.span_id, 34 - 2 * depth)


def _depth(step: Step, steps: Sequence[Step]) -> int:
    """How deep a step stands below others, at most six; a circle of parents ends there too."""
    parents = {other.span_id: other.parent_span_id for other in steps}
    depth, at = 0, step.parent_span_id
    while at in parents and depth < 6:
        depth, at = depth + 1, parents[at]
    return depth


def _uses_lane(marks: Sequence[Mark], row_of: Mapping[str, int]) -> bool:
    return any((mark.span_id or "") not in row_of for mark in marks)


def _lay_out(figure: go.Figure, axis: Axis, labels: list[str], *, has_lane: bool) -> None:
    first = LANE if has_lane else 0
    figure.update_layout(
        height=130 + 26 * (len(labels) + has_lane), bargap=0.4, barmode="overlay", hoverlabel={"align": "left"},
        margin={"l": 10, "r": 90, "t": 10, "b": 90}, clickmode="event+select",
        legend={"orientation": "h", "y": 0, "yanchor": "bottom", "x": 0, "yref": "container"},
    )  # fmt: skip
    figure.update_yaxes(
        tickvals=list(range(first, len(labels))), ticktext=["run", *labels] if has_lane else labels,
        range=[len(labels) - 0.4, first - 0.6], showgrid=False, zeroline=False, automargin=True,
    )  # fmt: skip
    figure.update_xaxes(
        title_text=axis.title, gridcolor=GRID, zeroline=False, range=[-0.01 * axis.whole, 1.02 * axis.whole]
    )
