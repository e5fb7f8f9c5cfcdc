"""A run trace as records: the run from its header, then every entry."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from ingest.adapter import Item, Parsed, Rejected, Unreadable
from ingest.bijux.agent_entry import entry_facts, entry_records
from ingest.bijux.agent_parts import Document
from ingest.bijux.agent_values import (
    HEADER_STATUS,
    REPLAY_STATUS,
    SOURCE,
    STOP_REASON,
    TERMINATION_REASON,
    Flags,
    mapping,
    sequence,
    text,
    without,
)
from ingest.derive.agent_outcome import TraceFacts, trace_outcome
from ingest.records import Record, Run, run_key

NEWEST_SCHEMA = 2
_IN_COLUMNS = ("run_id", "started_at", "completed_at", "status", "termination_reason", "entries")
_LAST_ENTRY = ("prompt_hash", "model_hash", "phase", "stop_reason", "termination_reason", "epistemic_verdict")


def schema_of(trace: dict[str, Any]) -> int:
    """The trace's schema, 1 where it names none; one that is newer than we know is refused by name."""
    version = trace.get("trace_schema_version")
    if version is None:
        return 1
    if isinstance(version, str) and version.isdecimal():
        version = int(version)
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise Unreadable("unknown_schema", f"bijux-canon-agent run trace: schema {version!r} does not exist")
    if version > NEWEST_SCHEMA:
        raise Unreadable(
            "newer_schema",
            f"bijux-canon-agent run trace: schema {version} is newer than {NEWEST_SCHEMA}, the newest that is read",
        )
    return version


def native_id_of(trace: dict[str, Any]) -> str | None:
    """The run's own id; the entries name it where the header has lost it."""
    return text(trace.get("run_id")) or next(
        (found for entry in sequence(trace.get("entries")) if (found := text(mapping(entry).get("run_id")))), None
    )


def input_of(trace: dict[str, Any]) -> dict[str, Any]:
    """The input of the first entry that has one."""
    inputs = (mapping(mapping(entry).get("input")) for entry in sequence(trace.get("entries")))
    return next((found for found in inputs if found), {})


def task_goal_of(trace: dict[str, Any]) -> str | None:
    """What the run was asked to do, as the first entry that says it has it."""
    inputs = (mapping(mapping(entry).get("input")) for entry in sequence(trace.get("entries")))
    return next((goal for found in inputs if (goal := text(found.get("task_goal")))), None)


def trace_items(
    document: Document,
    native_id: str,
    workload: str | None,
    final_result: dict[str, Any] | None,
    stages: tuple[Record, ...] = (),
) -> Iterator[Item]:
    """The run, then its entries; an entry that is none costs only itself. `stages` stand with the run."""
    run = _run(document, native_id, workload, final_result)
    yield Parsed(document.place, (run, *stages))
    for index, entry in enumerate(sequence(document.value.get("entries"))):
        yield _entry_item(document, run, index, entry)


def _entry_item(document: Document, run: Run, index: int, entry: Any) -> Item:
    if not isinstance(entry, dict):
        return Rejected(document.place, "not_an_object", f"entry {index} of the trace is no object", str(entry)[:2000])
    try:
        return Parsed(document.place, entry_records(run.run_id, run.native_id, index, entry))
    except (ValidationError, RecursionError) as error:
        return Rejected(document.place, "invalid_entry", f"entry {index} of the trace: {error}", str(entry)[:2000])


def _run(document: Document, native_id: str, workload: str | None, final_result: dict[str, Any] | None) -> Run:
    trace, flags = document.value, Flags()
    flags.add(*document.flags)
    status = flags.one_of(HEADER_STATUS, trace.get("status"))
    reason = flags.one_of(TERMINATION_REASON, trace.get("termination_reason"))
    outcome = trace_outcome(_facts(trace, status, reason, final_result))
    stop_reason, basis = _stop_reason(flags, trace, reason, final_result)
    return Run(
        run_id=run_key(SOURCE, native_id),
        source=SOURCE,
        native_id=native_id,
        identity="recorded" if native_id_of(trace) == native_id else "derived",
        workload=workload,
        name=task_goal_of(trace),
        status=outcome.status,
        status_reason=outcome.reason,
        stop_reason=stop_reason,
        started_at=flags.time(trace.get("started_at")),
        ended_at=flags.time(trace.get("completed_at")),
        clock="wall",
        attributes={**_attributes(flags, trace, final_result), "stop_reason_basis": basis},
        flags=flags.all(),
    )


def _facts(
    trace: dict[str, Any], status: str | None, reason: str | None, final_result: dict[str, Any] | None
) -> TraceFacts:
    return TraceFacts(
        header_status=status,
        termination_reason=reason,
        entries=tuple(entry_facts(entry) for entry in sequence(trace.get("entries")) if isinstance(entry, dict)),
        trace_path_is_null=trace_path_is_null(final_result),
    )


def trace_path_is_null(final_result: dict[str, Any] | None) -> bool:
    """A final result that was written without a trace says so with a null path."""
    return final_result is not None and final_result.get("trace_path", "") is None


def _stop_reason(
    flags: Flags, trace: dict[str, Any], termination: str | None, final_result: dict[str, Any] | None
) -> tuple[str | None, str | None]:
    """The recorded stop reason of the last entry that has one, else the final result's, else a convergence."""
    for entry in reversed(sequence(trace.get("entries"))):
        if (found := flags.one_of(STOP_REASON, mapping(entry).get("stop_reason"))) is not None:
            return found, "entry"
    if (found := flags.one_of(STOP_REASON, mapping(final_result).get("stop_reason"))) is not None:
        return found, "final_result"
    converged = termination == "convergence" or mapping(final_result).get("converged") is True
    return ("convergence_reached", "termination_reason") if converged else (None, None)


def _attributes(flags: Flags, trace: dict[str, Any], final_result: dict[str, Any] | None) -> dict[str, Any]:
    """The header verbatim, without what stands in columns, and what the rules ask of a whole trace."""
    schema = schema_of(trace)
    if schema == 1:
        flags.add("schema_1")
    if not isinstance(trace.get("entries"), list):
        flags.add("entries_missing")
    flags.one_of(REPLAY_STATUS, trace.get("replay_status"))
    entries = [entry for entry in sequence(trace.get("entries")) if isinstance(entry, dict)]
    return {
        **without(trace, *_IN_COLUMNS),
        "record": "run_trace",
        "trace_schema_version": schema,
        "header_status": trace.get("status"),
        "header_termination_reason": trace.get("termination_reason"),
        "lifecycle": lifecycle_of(trace),
        "phases": [entry.get("phase") for entry in entries],
        "entries": len(entries),
        "last_entry": _last_entry(entries),
        "input_file": input_of(trace).get("file_path"),
        "final_result": final_result,
    }


def lifecycle_of(trace: dict[str, Any]) -> str | None:
    """Which of the producer's three writers wrote the trace."""
    entries = [entry for entry in sequence(trace.get("entries")) if isinstance(entry, dict)]
    if not entries:
        return None
    if not any(entry.get("phase") for entry in entries):
        return "workflow"
    alone = len(entries) == 1 and entries[0].get("phase") == "FINALIZE" and not entries[0].get("decision_artifact")
    return "command_line" if alone else "pipeline"


def _last_entry(entries: list[dict[str, Any]]) -> dict[str, Any] | None:
    if not entries:
        return None
    last = entries[-1]
    return {**{key: last.get(key) for key in _LAST_ENTRY}, "has_run_fingerprint": bool(last.get("run_fingerprint"))}
