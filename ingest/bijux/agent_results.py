"""Result files of the command line as records: the stages of an input, what failed in them, the final result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from ingest.bijux.agent_entry import failed_stage
from ingest.bijux.agent_values import (
    SOURCE,
    TERMINATION_REASON,
    VERDICT,
    Flags,
    first_line,
    mapping,
    number,
    sequence,
    text,
    without,
)
from ingest.derive.agent_outcome import CommandLineFacts, Outcome, command_line_outcome
from ingest.records import ErrorEvent, Event, Record, Run, Span, run_key


@dataclass(frozen=True, slots=True)
class Identity:
    """Which run records belong to."""

    run_id: str
    native_id: str

    @classmethod
    def of(cls, native_id: str) -> Identity:
        """The identity of the run with this native id."""
        return cls(run_key(SOURCE, native_id), native_id)


def times_of(result: dict[str, Any]) -> tuple[datetime | None, datetime | None]:
    """The first and the last time in the audit trail, which is written to the second."""
    times = [
        time for row in sequence(result.get("audit_trail")) if (time := Flags().time(mapping(row).get("timestamp")))
    ]
    return (min(times), max(times)) if times else (None, None)


def result_outcome(result: dict[str, Any]) -> Outcome:
    """The outcome of one pipeline result, read as the command line turns it into a verdict."""
    status = mapping(result.get("final_status"))
    success = status.get("success")
    return command_line_outcome(
        CommandLineFacts(
            verdict=None if not isinstance(success, bool) else "pass" if success else "veto",
            termination_reason=text(status.get("termination_reason")),
            confidence=number(status.get("score", 0.0)),
            failed_stage=failed_stage(result.get("stages")),
        )
    )


def derived_run(
    identity: Identity,
    outcome: Outcome,
    *,
    name: str | None = None,
    workload: str | None = None,
    result: dict[str, Any] | None = None,
    attributes: dict[str, Any] | None = None,
    flags: tuple[str, ...] = (),
) -> Run:
    """A run that no trace describes; its id comes from where its record stands."""
    started, ended = times_of(result or {})
    status = mapping((result or {}).get("final_status"))
    noted = Flags()
    noted.add(*flags)
    reason = noted.one_of(TERMINATION_REASON, status.get("termination_reason"))
    converged = reason == "convergence" or status.get("converged") is True
    return Run(
        run_id=identity.run_id,
        source=SOURCE,
        native_id=identity.native_id,
        identity="derived",
        workload=workload,
        name=name,
        status=outcome.status,
        status_reason=outcome.reason,
        stop_reason="convergence_reached" if converged else None,
        started_at=started,
        ended_at=ended,
        clock="wall" if started else "none",
        attributes={"final_status": status or None, **(attributes or {})},
        flags=noted.all(),
    )


def stage_records(identity: Identity, result: dict[str, Any]) -> Iterator[Record]:
    """A span for every stage run, one for every stage never reached, and what went wrong."""
    spans = tuple(_stage_spans(identity, result))
    yield from spans
    yield from _revisions(identity, result)
    yield from _stage_errors(identity, result, spans)


def _stage_spans(identity: Identity, result: dict[str, Any]) -> Iterator[Span]:
    stages = mapping(result.get("stages"))
    rows = [mapping(row) for row in sequence(result.get("audit_trail")) if text(mapping(row).get("stage_name"))]
    runs_of = Counter(text(row["stage_name"]) for row in rows)
    seen: Counter[str] = Counter()
    for index, row in enumerate(rows):
        name = str(text(row["stage_name"]))
        seen[name] += 1
        last = seen[name] == runs_of[name]
        # `stages` holds the result of the last iteration only: earlier ones have no recorded status.
        output = mapping(stages.get(name)) if last else None
        yield _stage_span(identity, name, row, nth=seen[name], index=index, output=output)
    for index, (name, output) in enumerate(stages.items(), start=len(rows)):
        if not runs_of[name]:
            yield _unaudited_stage(identity, name, index, mapping(output), audited=bool(rows))


def _stage_span(
    identity: Identity, name: str, row: dict[str, Any], *, nth: int, index: int, output: dict[str, Any] | None
) -> Span:
    flags = Flags()
    ended = flags.time(row.get("timestamp"))
    duration_s = number(row.get("duration_sec"))
    status = None if output is None else "error" if output.get("error") else "ok"
    return Span(
        run_id=identity.run_id,
        span_id=f"stage-{name}" if nth == 1 else f"stage-{name}-{nth}",
        kind="stage",
        name=name,
        step_index=index,
        started_at=_before(ended, duration_s),
        ended_at=ended,
        status=status,
        attributes={"audit": row, "output": output},
        flags=flags.all(),
    )


def _before(time: datetime | None, duration_s: float | None) -> datetime | None:
    if time is None or duration_s is None:
        return time
    try:
        return time - timedelta(seconds=duration_s)
    except (OverflowError, ValueError):
        return time


def _unaudited_stage(identity: Identity, name: str, index: int, output: dict[str, Any], *, audited: bool) -> Span:
    """A stage that the audit trail does not name was never reached; without a trail that is not known."""
    status = "error" if output.get("error") else "not_reached" if audited else None
    return Span(
        run_id=identity.run_id,
        span_id=f"stage-{name}",
        kind="stage",
        name=name,
        step_index=index,
        status=status,
        attributes={"output": output},
    )


def _revisions(identity: Identity, result: dict[str, Any]) -> Iterator[Event]:
    _, ended = times_of(result)
    for nth, revision in enumerate(sequence(result.get("revision_history")), start=1):
        why = text(mapping(mapping(revision).get("feedback")).get("reason"))
        iteration = text(mapping(revision).get("iteration")) or str(nth)
        yield Event(
            run_id=identity.run_id,
            event_id=f"revision-{nth}",
            occurred_at=ended,
            kind="revision",
            name=f"iteration {iteration}",
            summary=f"revision after iteration {iteration}: {first_line(why) if why else 'no reason recorded'}",
            attributes={"revision": revision},
        )


def _stage_errors(identity: Identity, result: dict[str, Any], spans: tuple[Span, ...]) -> Iterator[ErrorEvent]:
    """One error per failed stage; the final status repeats it, and stands for itself only where it says more."""
    told: list[str] = []
    for span in spans:
        error = text(mapping(span.attributes.get("output")).get("error"))
        if error is not None:
            told.append(error)
            yield ErrorEvent(
                run_id=identity.run_id,
                event_id=f"{span.span_id}-error",
                span_id=span.span_id,
                occurred_at=span.ended_at,
                step_index=span.step_index,
                details=error,
                location=span.name,
                attributes={"recorded_in": f"stages.{span.name}.error"},
            )
    final = text(mapping(result.get("final_status")).get("error")) or text(result.get("error"))
    if final is not None and not any(final in error or error in final for error in told):
        yield ErrorEvent(
            run_id=identity.run_id,
            event_id="final-status-error",
            occurred_at=times_of(result)[1],
            details=final,
            attributes={"recorded_in": "final_status.error"},
        )


def file_result_event(identity: Identity, entry: dict[str, Any], outcome: str) -> Event:
    """The row of an input in the list of files, without the stages, which are spans."""
    result = mapping(entry.get("result"))
    kept = {**without(entry, "result"), "listed_as": outcome, "result": without(result, "stages") or None}
    return Event(
        run_id=identity.run_id,
        event_id="file-result",
        occurred_at=times_of(result)[1],
        kind="file_result",
        name=text(entry.get("file_path")),
        summary=f"listed as {outcome}{_said(result) or _failed(entry)}",
        attributes=kept,
    )


def pipeline_result_event(identity: Identity, name: str, result: dict[str, Any], flags: tuple[str, ...]) -> Event:
    """The pipeline result file of an input, without the stages, which are spans."""
    return Event(
        run_id=identity.run_id,
        event_id=f"pipeline-result-{name}",
        occurred_at=times_of(result)[1],
        kind="pipeline_result",
        name=name,
        summary=f"pipeline result written{_said(result)}",
        attributes=without(result, "stages"),
        flags=flags,
    )


def _said(result: dict[str, Any]) -> str:
    status = mapping(result.get("final_status"))
    if not status:
        return ""
    reason = text(status.get("termination_reason")) or "not recorded"
    return f": success {text(status.get('success'))}, termination {reason}"


def _failed(entry: dict[str, Any]) -> str:
    said = text(entry.get("error")) or text(entry.get("message"))
    return f": {first_line(said)}" if said else ""


def file_error(identity: Identity, entry: dict[str, Any]) -> Iterator[ErrorEvent]:
    """What kept an input from having any result."""
    error = text(entry.get("error"))
    if error is not None:
        yield ErrorEvent(
            run_id=identity.run_id,
            event_id="file-error",
            details=error,
            location=text(entry.get("file_path")),
            attributes={"recorded_in": "failed"},
        )


def final_result_outcome(result: dict[str, Any]) -> Outcome:
    """What the final result alone says about the run it was written for."""
    return command_line_outcome(
        CommandLineFacts(
            verdict=text(result.get("verdict")),
            termination_reason=text(result.get("termination_reason")),
            confidence=number(result.get("confidence")),
            trace_path_is_null=result.get("trace_path", "") is None,
        )
    )


def final_result_event(identity: Identity, result: dict[str, Any], said: tuple[str, ...]) -> Event:
    """The final result of the call, verbatim. It has no time of its own and stands after the trace."""
    flags = Flags()
    flags.add(*said)
    verdict = flags.one_of(VERDICT, result.get("verdict"))
    reason = flags.one_of(TERMINATION_REASON, result.get("termination_reason"))
    return Event(
        run_id=identity.run_id,
        event_id="final-result",
        kind="final_result",
        name=verdict,
        summary=f"final result {verdict}: confidence {result.get('confidence')}, termination {reason}",
        attributes=result,
        flags=flags.all(),
    )
