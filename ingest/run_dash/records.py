"""What each event of a run-dash run says, as records."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ingest.blocks.location import location_in
from ingest.records import ErrorEvent, Event, GuardrailEvent, Record, Run, Span, Wait
from ingest.run_dash.log import RUN_ID, SOURCE, Log, Opened, Row, checkpoint_of, name_of
from ingest.times import utc_time
from ingest.vendor.values import storable, text, words

OUTCOMES = {"completed": "succeeded", "error": "failed", "aborted": "aborted"}
_ENDED_AS = {
    "done": "ok", "completed": "ok", "success": "ok", "ok": "ok", "pass": "ok", "passed": "ok",
    "error": "error", "failed": "error", "fail": "error", "aborted": "error",
}  # fmt: skip
_TOLD = ("tool", "message", "note", "text", "cause_summary", "summary", "snippet", "reason", "output_ref")


def _span(run_id: str, opened: Opened) -> Span:
    row, end = opened.opened_by, opened.closed_by
    flags = list(row.flags)
    ended_at = end.time if end else None
    if ended_at and row.time and ended_at < row.time:
        flags.append("negative_duration")
        ended_at = None
    attributes = row.attributes()
    if end and "meta" in end.value:
        attributes["ended_with"] = end.value["meta"]
    return Span(
        run_id=run_id,
        span_id=opened.span_id,
        parent_span_id=opened.parent,
        recorded_seq=row.seq,
        kind=opened.kind,
        name=name_of(opened.kind, row),
        phase=row.said("phase"),
        agent=row.said("agent"),
        started_at=row.time,
        ended_at=ended_at,
        status=_status(end, flags),
        attributes=storable(attributes),
        flags=tuple(flags),
    )


def _status(end: Row | None, flags: list[str]) -> str:
    if end is None:
        return "open"
    said = text(end.meta.get("status")) or text(end.meta.get("exit_gate"))
    if said is None:
        return "unset"
    if said.lower() not in _ENDED_AS:
        flags.append("unknown_value")
    return _ENDED_AS.get(said.lower(), "unset")


def records_of(row: Row, log: Log) -> tuple[Record, ...]:
    """What one event says."""
    return tuple(_READERS.get(row.kind, _event)(row, log))


def _run_start(row: Row, log: Log) -> Iterator[Record]:
    shape = RUN_ID.fullmatch(log.native_id)
    workload = row.said("recipe") or row.said("run_kind")
    attributes = row.attributes()
    if workload is None and shape:
        workload = shape["kind"]
        attributes["workload_from"] = "the kind in the run id"
    yield Run(
        run_id=log.run_id,
        source=SOURCE,
        native_id=log.native_id,
        workload=workload,
        name=words(row.meta.get("goal")),
        started_at=row.time,
        attributes=attributes,
        flags=tuple(row.flags),
    )


def _run_end(row: Row, log: Log) -> Iterator[Record]:
    said = text(row.meta.get("status"))
    flags = list(row.flags)
    if said is not None and said.lower() not in OUTCOMES:
        flags.append("unknown_value")
    yield Run.model_validate(
        {
            "run_id": log.run_id,
            "source": SOURCE,
            "native_id": log.native_id,
            "status": OUTCOMES.get(said.lower(), "unknown") if said else "unknown",
            "status_reason": f"recorded: run_end status {said}" if said else "run_end names no status",
            "ended_at": row.time,
            "attributes": row.attributes(),
            "flags": tuple(flags),
        }
    )


def _begun(row: Row, log: Log) -> Iterator[Record]:
    yield _span(log.run_id, log.opened[id(row)])


def _event(row: Row, log: Log) -> Iterator[Record]:
    yield Event(
        run_id=log.run_id,
        recorded_seq=row.seq,
        occurred_at=row.time,
        span_id=log.within.get(id(row)),
        kind=row.kind,
        name=text(row.meta.get("tool")) if row.kind == "tool_use" else text(row.meta.get("status")),
        phase=row.said("phase"),
        agent=row.said("agent"),
        summary=_summary(row),
        attributes=row.attributes(),
        flags=tuple(row.flags),
    )


def _summary(row: Row) -> str | None:
    meta = row.meta
    told = [said for key in _TOLD if key in meta and (said := text(meta[key]))]
    if not told:
        told = [f"{key} {item}" for key, item in meta.items() if isinstance(item, (str, int, float))]
    return words(" · ".join(told))


def _error(row: Row, log: Log) -> Iterator[Record]:
    message = text(row.meta.get("message")) or text(row.meta.get("error"))
    place = location_in(message or "")
    yield ErrorEvent(
        run_id=log.run_id,
        recorded_seq=row.seq,
        occurred_at=row.time,
        span_id=log.within.get(id(row)),
        type=text(row.meta.get("type")),
        error_code=text(row.meta.get("code")) or text(row.meta.get("error_code")),
        phase=row.said("phase"),
        agent=row.said("agent"),
        details=message,
        location=place.path if place else None,
        exit_code=text(row.meta.get("exit_code")),
        attributes=row.attributes(),
        flags=tuple(row.flags),
    )


def _wait(row: Row, log: Log) -> Iterator[Record]:
    deadline, flags = utc_time(row.meta.get("deadline"))
    yield Wait(
        run_id=log.run_id,
        event_id=f"checkpoint-{row.seq if row.seq is not None else row.place.line}",
        recorded_seq=row.seq,
        occurred_at=row.time,
        waiter=row.said("agent"),
        holder=text(row.meta.get("holder")) or text(row.meta.get("approver")),
        waits_for=checkpoint_of(row) or text(row.meta.get("reason")),
        since=row.time,
        deadline=deadline,
        until=log.resolved.get(id(row)),
        attributes=row.attributes(),
        flags=(*row.flags, *flags),
    )


def _gate(row: Row, log: Log) -> Iterator[Record]:
    yield GuardrailEvent(
        run_id=log.run_id,
        recorded_seq=row.seq,
        occurred_at=row.time,
        trigger=row.kind,
        agent=row.said("agent"),
        decision=text(row.meta.get("verdict")) or text(row.meta.get("decision")),
        reason_code=text(row.meta.get("reason_code")),
        details=_summary(row),
        attributes=row.attributes(),
        flags=tuple(row.flags),
    )


_READERS: dict[str, Callable[[Row, Log], Iterator[Record]]] = {
    "run_start": _run_start,
    "run_end": _run_end,
    "agent_start": _begun,
    "phase_enter": _begun,
    "step_enter": _begun,
    "error": _error,
    "checkpoint_wait": _wait,
    "risk_gate": _gate,
}
