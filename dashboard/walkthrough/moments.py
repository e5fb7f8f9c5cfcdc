"""What one moment of an incident was: what happened, what was known, what was decided, which rule spoke."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from dashboard.report.incident import Incident
from dashboard.wording import kind_of_event, moment, said
from queries.context.context_step_sets import ContextStepSetRow
from queries.findings.findings import FindingRow
from queries.runs.event_record import EventRecord
from queries.runs.run_facts import RunFacts
from queries.runs.timeline import TimelineRow

BEFORE_ALL = -1
DECIDED = {
    "decision": "Decision",
    "action": "Action",
    "result": "Result of the action",
    "reason_code": "Reason",
    "chain": "Recovery chain",
    "confidence": "Confidence",
    "auto_executed": "Executed without asking",
    "outcome": "Outcome",
    "alternative": "Alternative offered",
    "op": "Operation on the context",
    "escalated": "Escalated",
    "denied": "Denied",
    "status": "Status",
    "fix_at": "Fixed at",
    "verdict": "Verdict",
}
HAPPENED = {
    "details": "Details",
    "error_code": "Error code",
    "tool_error_class": "Tool error class",
    "context_failure_class": "Context failure class",
    "location": "Location",
    "trigger": "Trigger",
    "observed_at": "Observed at",
    "originated_at": "Originated at",
    "root_cause": "Root cause",
    "resource": "Resource",
    "waits_for": "Waits for",
    "condition": "Condition",
    "tool": "Tool",
    "model": "Model",
}


@dataclass(frozen=True, slots=True)
class Moment:
    """One screen. `event_id` is None for the start and the end of the run."""

    event_id: str | None
    seq: int | None
    kind: str
    title: str
    when: str
    where: str
    summary: str
    is_first_failure: bool = False


def moments(run: RunFacts, told: Incident) -> list[Moment]:
    """The start of the run, everything that is told of it, and its end."""
    dated = run.clock == "wall"
    between = [_moment(row, dated=dated, first=at == told.first_failure) for at, row in enumerate(told.rows)]
    started = _when(run.started_at, dated=dated)
    start = Moment(
        None, BEFORE_ALL, "▷ start", "The run begins", started, said(run.workload), run.name or run.native_id
    )
    end = Moment(None, None, "□ end", f"The run ended: {run.status}", _when(run.ended_at, dated=dated), "",
                 f"Decided by: {run.status_reason or 'no reason recorded'}")  # fmt: skip
    return [start, *between, end]


def _moment(row: TimelineRow, *, dated: bool, first: bool) -> Moment:
    outcome = f" → {row.outcome}" if row.outcome else ""
    when = moment(row.occurred_at) if dated else f"no clock; place {row.seq} in the order"
    where = " · ".join(part for part in (row.phase, row.agent, row.level) if part)
    title = f"{row.name or row.kind}{outcome}"
    return Moment(row.event_id, row.seq, kind_of_event(row.kind), title, when, where, row.summary or "", first)


def _when(time: datetime | None, *, dated: bool) -> str:
    return moment(time) if dated else "no clock"


@dataclass(frozen=True, slots=True)
class Told:
    """What the stored record of a moment says."""

    happened: dict[str, str]
    decided: dict[str, str]
    rules: tuple[tuple[str, str], ...]


def told_of(stored: EventRecord | None, event_id: str | None, findings: Sequence[FindingRow]) -> Told:
    """The facts of a moment and the rules that spoke at it."""
    if event_id is None:
        spoke = tuple((f"{row.severity}: {row.rule}", row.message or "") for row in findings if row.event_id is None)
        return Told({}, {}, spoke)
    record: dict[str, Any] = json.loads(stored.record) if stored else {}
    rules = [(f"{row.severity}: {row.rule}", row.message or "") for row in findings if row.event_id == event_id]
    if record.get("rule"):
        rules.append(("the rule of this record", str(record["rule"])))
    return Told(_of(record, HAPPENED), _of(record, DECIDED), tuple(rules))


def _of(record: dict[str, Any], wanted: dict[str, str]) -> dict[str, str]:
    found = {label: record[name] for name, label in wanted.items() if record.get(name) not in (None, "")}
    return {label: said(value) for label, value in found.items()}


def known_at(sets: Sequence[ContextStepSetRow], seq: int | None) -> tuple[ContextStepSetRow, ...]:
    """The context sets of the step that last recorded any before this moment; none where nobody did."""
    rows = [r for r in sets if seq is None or (r.seq is not None and r.seq <= seq)]
    latest = max(rows, key=lambda row: row.seq or 0, default=None)
    return tuple(row for row in rows if latest and row.step_id == latest.step_id)
