"""The events of a run-dash run, in their order and paired: what began with one and ended with another.

Order is `seq`; gaps and duplicates in it, a missing run_kind and other run ids are flagged, never refused.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from ingest.adapter import Place
from ingest.records import run_key
from ingest.times import utc_time
from ingest.vendor.values import mapping, storable, text

SOURCE = "run-dash"
KINDS = frozenset(
    {
        "run_start", "run_end", "agent_start", "agent_progress", "agent_end", "tool_use", "error", "note",
        "phase_enter", "phase_exit", "checkpoint_wait", "checkpoint_resolved", "risk_gate", "orbit_iter",
        "engine_switch", "step_enter", "step_exit", "spec_gate", "rca_done", "fix_proposed",
    }
)  # fmt: skip
RUN_ID = re.compile(r"(?P<kind>[a-z][a-z0-9_]*)-\d{8}-\d{6}-[0-9a-f]+")
_OPENING = {"agent_start": "agent", "phase_enter": "phase", "step_enter": "step"}
_CLOSING = {"agent_end": "agent", "phase_exit": "phase", "step_exit": "step"}
_ENVELOPE = frozenset(
    {"ts", "seq", "run_id", "kind", "phase", "agent", "meta", "run_kind", "recipe", "engine", "depth", "parent_agent"}
)
_KEPT = frozenset({"engine", "depth", "parent_agent", "recipe", "run_kind", "meta"})


@dataclass(slots=True)
class Row:
    """One event as it stands in the file."""

    place: Place
    value: dict[str, Any]
    flags: list[str]
    # What happened.
    kind: str
    # What the event says beyond its envelope.
    meta: dict[str, Any]
    time: datetime | None = None
    seq: int | None = None

    @classmethod
    def of(cls, place: Place, value: dict[str, Any], flags: Iterable[str]) -> Row:
        """The event with its time and order read."""
        time, time_flags = utc_time(value.get("ts"))
        row = cls(place, value, [*flags, *time_flags], str(value["kind"]), mapping(value.get("meta")), time)
        seq = value.get("seq")
        if isinstance(seq, int) and not isinstance(seq, bool) and abs(seq) < 2**63:
            row.seq = seq
        else:
            row.flags.append("no_seq")
        if row.kind not in KINDS:
            row.flags.append("unknown_kind")
        return row

    def said(self, key: str) -> str | None:
        """A field of the envelope as text."""
        return text(self.value.get(key))

    @property
    def order(self) -> tuple[bool, int, datetime, int]:
        """By seq, then time, then line; an event without a seq comes after those that have one."""
        return (
            self.seq is None,
            self.seq or 0,
            self.time or datetime.max.replace(tzinfo=UTC),
            self.place.line or 0,
        )

    def attributes(self) -> dict[str, Any]:
        """What no column takes."""
        rest = {key: item for key, item in self.value.items() if key not in _ENVELOPE}
        rest |= {key: item for key, item in self.value.items() if key in _KEPT}
        return storable(rest)


@dataclass(slots=True)
class Opened:
    """Something that began: its span so far, and the events that opened and closed it."""

    kind: str
    span_id: str
    parent: str | None
    opened_by: Row
    closed_by: Row | None = None


@dataclass(slots=True)
class Log:
    """All events of one run that a file holds, with what follows from them together."""

    run_id: str
    native_id: str
    rows: list[Row]
    opened: dict[int, Opened] = field(default_factory=dict)
    within: dict[int, str] = field(default_factory=dict)
    span_ids: set[str] = field(default_factory=set)
    resolved: dict[int, datetime | None] = field(default_factory=dict)

    @classmethod
    def of(cls, native_id: str, rows: list[Row]) -> Log:
        """The run's events, paired and with gaps and duplicates flagged."""
        log = cls(run_key(SOURCE, native_id), native_id, sorted(rows, key=lambda row: row.order))
        log._flag_order()
        log._flag_identity()
        log._pair()
        return log

    def _flag_order(self) -> None:
        numbered = [(row.seq, row) for row in self.rows if row.seq is not None]
        counts = Counter(seq for seq, _ in numbered)
        for (seq, row), (previous, _) in zip(numbered, [numbered[0], *numbered] if numbered else [], strict=False):
            if counts[seq] > 1:
                row.flags.append("seq_duplicate")
            if seq > previous + 1:
                row.flags.append("seq_gap")

    def _flag_identity(self) -> None:
        starts = [row for row in self.rows if row.kind == "run_start"]
        for row in starts or self.rows[:1]:
            if not RUN_ID.fullmatch(self.native_id):
                row.flags.append("unusual_run_id")
            if not row.said("run_kind"):
                row.flags.append("missing_run_kind")

    def _pair(self) -> None:
        running: list[Opened] = []
        waiting: list[Row] = []
        for row in self.rows:
            if kind := _OPENING.get(row.kind):
                self._begin(kind, row, running)
            elif kind := _CLOSING.get(row.kind):
                self._finish(kind, row, running)
            elif row.kind == "checkpoint_wait":
                waiting.append(row)
            elif row.kind == "checkpoint_resolved" and waiting:
                self.resolved[id(_answered(row, waiting))] = row.time
            if id(row) not in self.within and (span := _innermost(row, running)):
                self.within[id(row)] = span.span_id

    def _begin(self, kind: str, row: Row, running: list[Opened]) -> None:
        name = name_of(kind, row) or "unnamed"
        span_id = f"{kind}-{name}-{row.seq if row.seq is not None else row.place.line}"
        while span_id in self.span_ids:
            span_id += "-again"
        self.span_ids.add(span_id)
        opened = Opened(kind, span_id, _parent(kind, row, running), row)
        self.opened[id(row)] = opened
        running.append(opened)

    def _finish(self, kind: str, row: Row, running: list[Opened]) -> None:
        same = [one for one in running if one.kind == kind and name_of(kind, one.opened_by) == name_of(kind, row)]
        if same:
            same[-1].closed_by = row
            self.within[id(row)] = same[-1].span_id
            running.remove(same[-1])


def name_of(kind: str, row: Row) -> str | None:
    """What the agent, phase or step of the event is called."""
    if kind == "step":
        return text(row.meta.get("step")) or text(row.meta.get("name")) or row.said("phase")
    return row.said(kind)


def _parent(kind: str, row: Row, running: list[Opened]) -> str | None:
    """An agent runs under its parent agent, else in its phase; a step under its agent or phase."""
    if kind == "phase":
        return None
    wanted = row.said("parent_agent") if kind == "agent" else row.said("agent")
    above = [one for one in running if one.kind == "agent" and wanted and one.opened_by.said("agent") == wanted]
    above = above or [
        one for one in running if one.kind == "phase" and one.opened_by.said("phase") == row.said("phase")
    ]
    return above[-1].span_id if above else None


def _innermost(row: Row, running: list[Opened]) -> Opened | None:
    """The agent that the event names, else nothing: who runs beside whom is not told."""
    if not (agent := row.said("agent")):
        return None
    agents = (one for one in reversed(running) if one.kind == "agent" and one.opened_by.said("agent") == agent)
    return next(agents, None)


def _answered(row: Row, waiting: list[Row]) -> Row:
    """The wait that is resolved: the one of the same checkpoint, else the last one."""
    wanted = checkpoint_of(row)
    same = [wait for wait in waiting if wanted and checkpoint_of(wait) == wanted]
    chosen = (same or waiting)[-1]
    waiting.remove(chosen)
    return chosen


def checkpoint_of(row: Row) -> str | None:
    """The checkpoint that is waited for or resolved."""
    return next((said for key in ("checkpoint", "id", "name") if (said := text(row.meta.get(key)))), None)
