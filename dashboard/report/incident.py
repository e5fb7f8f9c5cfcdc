"""The moments of an incident: from before the first failure to the end of the run.

A long run is not told whole. What went wrong and what was done about it always stands; the steps and events round it
fill the rest, those before the first failure first, and what is not told is counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from ingest.store.attach import Lease
from queries.runs.timeline import TimelineRow, timeline

TELLING = (
    "error",
    "recovery",
    "guardrail",
    "diagnosis",
    "delegation",
    "wait",
    "handoff",
    "context operation",
    "replay",
)
AROUND = ("span", "event", "context set")
SETS = ("required", "retrieved", "eligible", "composed", "consumed", "current")
LOOKED_AT = 2_000
LEAD = 8


@dataclass(frozen=True, slots=True)
class Incident:
    """The moments in causal order; `first_failure` is the place of the first that went wrong, None where none did."""

    rows: tuple[TimelineRow, ...]
    first_failure: int | None
    earlier: int
    others: int


def incident(lease: Lease, run_id: str, *, most: int = 60) -> Incident:
    """The moments of a run, at most so many."""
    telling = timeline(lease, run=run_id, kinds=",".join(TELLING), limit=LOOKED_AT)
    around = timeline(lease, run=run_id, kinds=",".join(AROUND), limit=LOOKED_AT)
    rows = sorted(_sets_as_one([*telling, *around]), key=_place)
    beyond = _beyond(telling.rows) + _beyond(around.rows)
    start = next((at for at, row in enumerate(rows) if is_failure(row)), None)
    kept = _kept(rows, start, most)
    chosen = [rows[at] for at in kept]
    first = next((at for at, row in enumerate(chosen) if is_failure(row)), None)
    earlier = kept[0] if kept else 0
    return Incident(tuple(chosen), first, earlier, len(rows) - earlier - len(kept) + beyond)


def is_failure(row: TimelineRow) -> bool:
    """Whether something went wrong here: an error, a failed step, or a guardrail that said no."""
    if row.kind == "span":
        return row.outcome == "error"
    return row.kind == "error" or (row.kind == "guardrail" and row.outcome in {"deny", "aborted"})


def told_best(told: Incident, failed: TimelineRow) -> TimelineRow:
    """The error that says why a step failed, where there is one; else the failed row itself."""
    if failed.kind != "span":
        return failed
    return next((row for row in told.rows if row.kind == "error" and row.span_id == failed.span_id), failed)


def _kept(rows: Sequence[TimelineRow], start: int | None, most: int) -> list[int]:
    """The places of the rows that are told, in order."""
    begin = max(0, (start or 0) - LEAD)
    lead = range(begin, min(len(rows), begin + LEAD + 1))
    rest = range(lead.stop, len(rows))
    loud = [at for at in rest if rows[at].kind in TELLING or is_failure(rows[at])]
    quiet = [at for at in rest if at not in set(loud)]
    wanted = [*lead, *loud, *quiet]
    return sorted(wanted[:most])


def _sets_as_one(rows: Iterable[TimelineRow]) -> Iterable[TimelineRow]:
    """The context sets that a step has at one time are one moment."""
    for step, group in groupby(rows, key=_step_of_set):
        several = list(group)
        if step is None:
            yield from several
        else:
            several.sort(key=lambda row: SETS.index(row.name) if row.name in SETS else len(SETS))
            told = " · ".join(f"{row.name} {(row.summary or '').partition(' ')[0]}" for row in several)
            yield replace(several[0], name=f"context of step {step}", summary=f"items: {told}")


def _step_of_set(row: TimelineRow) -> str | None:
    return (row.summary or "").rpartition("items, step ")[2] if row.kind == "context set" else None


def _place(row: TimelineRow) -> tuple[bool, int]:
    return row.seq is None, row.seq or 0


def _beyond(rows: Sequence[TimelineRow]) -> int:
    return rows[0].matching - len(rows) if rows else 0
