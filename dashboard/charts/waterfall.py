"""One run as a waterfall: its steps by time, or by order where there is no clock, with what went wrong marked.

Data, not a figure: the page draws it itself (static/timeline.js), because Plotly alone takes longer to load in a
browser than all the rest of the page. The text in it is literal; whoever draws it never reads it as markup.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from dashboard.charts.label import one_line
from dashboard.charts.palette import ACCENT, MARK_COLOURS, STEP_COLOURS, UNLISTED

LANE = -1
UNITS = (
    (1.0, "milliseconds", 1000.0),
    (900.0, "seconds", 1.0),
    (4 * 3600.0, "minutes", 1 / 60),
    (float("inf"), "hours", 1 / 3600),
)
SYMBOLS = {"error": "x", "recovery": "triangle", "guardrail": "diamond", "wait": "hourglass", "handoff": "bowtie"}
# Marks of a kind and row that are less apart than this part of the axis hide one another: they are one, with a number.
TOLD_APART = 1 / 1000
TOLD_OF_MANY = 4
DEEPEST = 6


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
        """The clock is used when every step that was reached has a start, or where there is none, every mark a time."""
        reached = [step for step in steps if step.status != "not_reached"]
        begun = [step.started_at for step in reached] or [mark.occurred_at for mark in marks]
        self.has_clock = bool(begun) and all(begun)
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
        """What the axis counts, and why it is not the time."""
        if self.has_clock:
            return f"{self._unit} since the first event"
        return f"order of events (seq): {'some have no time' if self._zero else 'this run has no clock'}"

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
) -> dict[str, Any]:
    """Steps as bars in their order, coloured by how each ended; marks on them, and paths from origin to observation."""
    axis = Axis(steps, marks)
    row_of = {step.span_id: row for row, step in enumerate(steps)}
    parents = {step.span_id: step.parent_span_id for step in steps}
    return {
        "rows": [{"label": _label(step), "depth": _depth(step, parents)} for step in steps],
        "lane": any((mark.span_id or "") not in row_of for mark in marks),
        "axis": {"title": axis.title, "whole": axis.whole, "unit": axis.unit if axis.has_clock else ""},
        "bars": _bars(axis, steps, step_words),
        "marks": [mark for kind, word in mark_words.items() for mark in _marks(axis, marks, kind, word, row_of)],
        "paths": [ends for path in paths if (ends := _ends(axis, steps, row_of, path))],
        "accent": ACCENT,
    }


def without_place(steps: Sequence[Step], marks: Sequence[Mark]) -> int:
    """How many of the marks have no place on the axis of these steps."""
    axis = Axis(steps, marks)
    return sum(axis.of_mark(mark) is None for mark in marks)


def _bars(axis: Axis, steps: Sequence[Step], words: Mapping[str, str]) -> list[dict[str, Any]]:
    found = []
    for row, step in enumerate(steps):
        status = step.status or "unset"
        word = words.get(status, status)
        place = _place(axis, steps, row)
        lasted = f"\n{place[1]:,.3g} {axis.unit}" if place and axis.has_clock else ""
        found.append({
            "row": row, "from": place[0] if place else 0, "long": place[1] if place else 0, "word": word,
            "said": place is None or status != "ok", "colour": STEP_COLOURS.get(status, UNLISTED), "id": step.span_id,
            "tip": f"{one_line(step.name or step.kind, 90)}\n{word}{lasted}",
        })  # fmt: skip
    return found


def _marks(axis: Axis, marks: Sequence[Mark], kind: str, word: str, row_of: Mapping[str, int]) -> list[dict[str, Any]]:
    """The marks of a kind; those that would hide one another are one, which opens the first of them."""
    together: dict[tuple[int, int], list[tuple[float, Mark]]] = {}
    for mark in marks:
        place = axis.of_mark(mark) if mark.kind == kind else None
        if place is not None:
            row = row_of.get(mark.span_id or "", LANE)
            together.setdefault((row, round(place / (axis.whole * TOLD_APART))), []).append((place, mark))
    return [
        {
            "row": row, "at": here[0][0], "word": word, "count": len(here), "id": here[0][1].event_id,
            "shape": SYMBOLS.get(kind, "circle"), "colour": MARK_COLOURS.get(kind, UNLISTED),
            "tip": _said([mark for _, mark in here], word),
        }
        for (row, _), here in together.items()
    ]  # fmt: skip


def _ends(axis: Axis, steps: Sequence[Step], row_of: Mapping[str, int], path: Path) -> list[dict[str, Any]]:
    ends = []
    for span_id, word, said in (
        (path.origin, "◎ originated", path.said_origin), (path.observed, "◉ observed", path.said_observed),
    ):  # fmt: skip
        row = row_of.get(span_id or "")
        place = None if row is None else _place(axis, steps, row)
        if place is not None:
            ends.append({"row": row, "at": place[0], "word": word, "tip": f"{word} at\n{one_line(said, 60)}"})
    return ends


def _place(axis: Axis, steps: Sequence[Step], row: int) -> tuple[float, float] | None:
    return axis.of_step(steps[row], steps[row + 1] if row + 1 < len(steps) else None)


def _said(marks: Sequence[Mark], word: str) -> str:
    told = [f"{one_line(mark.name, 60)}\n{one_line(mark.summary, 90)}" for mark in marks[:TOLD_OF_MANY]]
    if len(marks) > 1:
        told.insert(0, f"{len(marks):,} × {word}, all at this place; the first can be opened here")
    if len(marks) > TOLD_OF_MANY:
        told.append(f"and {len(marks) - TOLD_OF_MANY:,} more")
    return "\n".join(told)


def _label(step: Step) -> str:
    return one_line(step.name or step.kind or step.span_id, 60)


def _depth(step: Step, parents: Mapping[str, str | None]) -> int:
    """How deep a step stands below others, at most six; a circle of parents ends there too."""
    depth, at = 0, step.parent_span_id
    while at is not None and at in parents and depth < DEEPEST:
        depth, at = depth + 1, parents[at]
    return depth
