"""The charts of a report as SVG: no script, no outside reference, recorded text masked and escaped."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from html import escape

from dashboard.report.facts import Facts
from dashboard.report.markdown import visible
from ingest.store.masking import masked
from queries.context.context_step_sets import ContextStepSetRow
from queries.runs.run_spans import SpanRow

LEFT, WIDE, RIGHT, ROW = 230, 560, 120, 22
WORDS = {"ok": "✓", "error": "✕ failed", "open": "◌ no end", "not_reached": "· not reached"}
GLYPHS = {"error": "✕", "recovery": "↻", "guardrail": "◆", "wait": "…", "handoff": "⇄"}


def timeline_svg(facts: Facts) -> str:
    """The steps as bars in their order, with what went wrong and what was done as glyphs on a line below."""
    scale = _Scale(facts)
    spans = [span for span in facts.spans if span.status != "not_reached" or len(facts.spans) <= 20]
    marks = [row for row in facts.incident.rows if row.kind in GLYPHS]
    height = ROW * (len(spans) + 2) + 8
    parts = [_bar(scale, at, span) for at, span in enumerate(spans)]
    top = ROW * len(spans) + 18
    parts.append(_text(4, top, "what happened", "label"))
    parts += [_mark(scale, top, row.kind, row.seq, row.occurred_at) for row in marks]
    parts.append(_text(LEFT, top + ROW, scale.title, "axis"))
    left_out = facts.run.spans - len(spans)
    if left_out > 0:
        parts.append(_text(4, top + ROW, f"{left_out:,} more steps", "axis"))
    return _svg(height + 4, "".join(parts))


def sets_svg(sets: Sequence[ContextStepSetRow]) -> str:
    """The six context sets as bars; one that is not recorded is named so and has no bar."""
    most = max([row.items or 0 for row in sets] + [1])
    parts = []
    for at, row in enumerate(sets):
        y = ROW * at + 16
        parts.append(_text(4, y, row.set_name, "label"))
        if row.items is None:
            parts.append(_text(LEFT, y, "not recorded: not an empty set", "axis"))
            continue
        width = WIDE * row.items / most
        parts.append(f'<rect class="step" x="{LEFT}" y="{y - 11}" width="{width:.1f}" height="13"/>')
        parts.append(_text(LEFT + width + 6, y, f"{row.items:,}", "axis"))
    return _svg(ROW * max(1, len(sets)) + 6, "".join(parts))


class _Scale:
    """Where a time or a place in the order stands."""

    def __init__(self, facts: Facts) -> None:
        reached = [span for span in facts.spans if span.status != "not_reached"]
        rows = facts.incident.rows
        times = [t for s in reached for t in (s.started_at, s.ended_at) if t]
        times += [row.occurred_at for row in rows if row.occurred_at]
        begun = [span.started_at for span in reached] or [row.occurred_at for row in rows]
        self._has_clock = facts.run.clock == "wall"
        self.by_clock = self._has_clock and bool(begun) and all(begun)
        self._zero = min(times, default=None)
        self._whole_s = (max(times) - min(times)).total_seconds() if times else 0.0
        self._last = max([s.last_seq or s.seq or 0 for s in reached] + [r.seq or 0 for r in rows] + [1])

    @property
    def title(self) -> str:
        """What the width is, and why it is not the time."""
        if self.by_clock:
            return f"{self._whole_s:,.3g} s, UTC"
        return f"order of events: {'some have no time' if self._has_clock else 'this run has no clock'}"

    def x(self, seq: int | None, time: datetime | None) -> float | None:
        """The place across, or None where there is none."""
        if self.by_clock:
            if time is None or self._zero is None:
                return None
            return LEFT + WIDE * ((time - self._zero).total_seconds() / (self._whole_s or 1.0))
        return None if seq is None else LEFT + WIDE * seq / self._last


def _bar(scale: _Scale, at: int, span: SpanRow) -> str:
    y = ROW * at + 16
    name = _text(4, y, _cut(span.name or span.kind or span.span_id), "label")
    begin = None if span.status == "not_reached" else scale.x(span.seq, span.started_at)
    if begin is None:
        return name + _text(LEFT, y, WORDS.get(span.status or "", "no place"), "axis")
    end = scale.x(span.last_seq, span.ended_at) or begin
    style = {"error": "bad", "open": "open"}.get(span.status or "", "step")
    width = max(3.0, end - begin)
    bar = f'<rect class="{style}" x="{begin:.1f}" y="{y - 11}" width="{width:.1f}" height="13"/>'
    word = WORDS.get(span.status or "", "–")
    return name + bar + _text(begin + width + 5, y, word, "axis")


def _mark(scale: _Scale, y: int, kind: str, seq: int | None, time: datetime | None) -> str:
    x = scale.x(seq, time)
    return "" if x is None else _text(x - 4, y, GLYPHS[kind], "mark")


def _text(x: float, y: float, text: str, style: str) -> str:
    return f'<text class="{style}" x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>'


def _cut(text: str) -> str:
    shown = visible(masked(text))
    return shown if len(shown) <= 34 else shown[:33] + "…"


def _svg(height: int, inside: str) -> str:
    return f'<svg viewBox="0 0 {LEFT + WIDE + RIGHT} {height}" role="img">{inside}</svg>'
