"""One output folder as its run or runs: which file speaks of which run, and the records of all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic import ValidationError

from ingest.adapter import Item, Parsed, Rejected
from ingest.bijux.agent_folder import ResultName, folder_name, place_name, result_name
from ingest.bijux.agent_log import Call, LogLine, call_of, files_said, input_at, log_items, log_lines
from ingest.bijux.agent_parts import Document, Parts, parts_of
from ingest.bijux.agent_results import (
    Identity,
    derived_run,
    file_error,
    file_result_event,
    final_result_event,
    final_result_outcome,
    pipeline_result_event,
    result_outcome,
    stage_records,
    times_of,
)
from ingest.bijux.agent_trace import input_of, lifecycle_of, native_id_of, schema_of, task_goal_of, trace_items
from ingest.bijux.agent_values import Flags, last_name, mapping, sequence, text
from ingest.derive.agent_outcome import Outcome
from ingest.records import Record
from ingest.source import Source

# A result file is written right after the last stage; one whose name says another time is of another run.
_SAME_RUN_WITHIN = timedelta(seconds=60)


@dataclass(slots=True)
class Input:
    """One input of the call: its row in the list of files, and the run it is."""

    index: int
    entry: Any
    listed_as: str
    identity: Identity
    has_trace: bool = False

    @property
    def file(self) -> str:
        """The input's path as the command line was given it."""
        return text(mapping(self.entry).get("file_path")) or ""

    @property
    def result(self) -> dict[str, Any]:
        """The pipeline's result for it, empty where there is none."""
        return mapping(mapping(self.entry).get("result"))


@dataclass(slots=True)
class Output:
    """The folder with every input's run settled."""

    source: Source
    parts: Parts
    folder: str
    trace_identity: Identity | None
    inputs: list[Input] = field(default_factory=list)
    with_stages: set[str] = field(default_factory=set)
    lines: list[LogLine] = field(default_factory=list)
    call: Call = field(default_factory=Call)

    @property
    def task_goal(self) -> str | None:
        """What the call was asked to do; only the trace says it."""
        return task_goal_of(self.parts.trace.value) if self.parts.trace else None

    @property
    def ended(self) -> datetime | None:
        """When the trace was written, at the end of the call."""
        return Flags().time(self.parts.trace.value.get("completed_at")) if self.parts.trace else None

    @property
    def first_identity(self) -> Identity:
        """The run that speaks for the whole call: the one with the trace, else the first input's."""
        if self.trace_identity is not None:
            return self.trace_identity
        return self.inputs[0].identity if self.inputs else Identity.of(self.folder)


def output_of(source: Source) -> Output:
    """The folder, read and settled. A trace of a newer schema refuses the whole."""
    parts = parts_of(source)
    folder = folder_name(source)
    trace_identity = None
    if parts.trace is not None:
        schema_of(parts.trace.value)
        trace_identity = Identity.of(native_id_of(parts.trace.value) or folder)
    output = Output(source, parts, folder, trace_identity)
    if parts.logs:
        output.lines = log_lines(source, parts.logs)
        output.call = call_of(output.lines, output.ended)
        parts.process_files = parts.process_files or _files_in_log(output)
    output.inputs = list(_inputs(output))
    return output


def _files_in_log(output: Output) -> Document | None:
    """The list of files that the call logged at its end: the command line itself keeps it nowhere else."""
    found = files_said(output.lines, output.call)
    return Document(output.source.path, found[0].place, found[1]) if found else None


def _inputs(output: Output) -> Iterator[Input]:
    """One run per input; the one whose trace was written is the trace's run."""
    rows = list(_rows(output.parts.process_files))
    names = _names([text(mapping(entry).get("file_path")) for _, entry in rows])
    traced = _traced(output.parts.trace, rows) if output.trace_identity else None
    for index, (listed_as, entry) in enumerate(rows):
        if index == traced and output.trace_identity is not None:
            yield Input(index, entry, listed_as, output.trace_identity, has_trace=True)
        else:
            yield Input(index, entry, listed_as, _identity(output, names[index], len(rows)))


def _rows(document: Document | None) -> Iterator[tuple[str, Any]]:
    for listed_as in ("successful", "failed"):
        for entry in sequence(document.value.get(listed_as)) if document else []:
            yield listed_as, entry


def _names(paths: list[str | None]) -> list[str]:
    """The inputs' names, by their whole path where two files are called the same."""
    short = [last_name(path) if path else f"input-{number}" for number, path in enumerate(paths, start=1)]
    return [path if path and short.count(name) > 1 else name for path, name in zip(paths, short, strict=True)]


def _traced(trace: Document | None, rows: list[tuple[str, Any]]) -> int | None:
    """The row that the trace was written for: the input it names, else the first with a result."""
    if trace is None:
        return None
    named = text(input_of(trace.value).get("file_path"))
    for index, (_, entry) in enumerate(rows):
        if named is not None and text(mapping(entry).get("file_path")) == named:
            return index
    if named is not None:
        return None
    return next((index for index, (_, entry) in enumerate(rows) if mapping(entry).get("result")), None)


def _identity(output: Output, name: str, inputs: int) -> Identity:
    """Below the id of the call that wrote a trace, for the next call writes to the same paths; else by place."""
    if output.trace_identity is not None:
        return Identity.of(f"{output.trace_identity.native_id}/{name}")
    return Identity.of(output.folder if inputs == 1 else f"{output.folder}/{name}")


def output_items(source: Source) -> Iterator[Item]:
    """Everything in the folder, one run after the other."""
    output = output_of(source)
    parts = output.parts
    yield from parts.rejected
    final = parts.final_result.value if parts.final_result else None
    if parts.trace is not None and output.trace_identity is not None:
        stages = tuple(_stages_of_trace(output, parts.trace, output.trace_identity))
        yield from trace_items(parts.trace, output.trace_identity.native_id, source.workload, final, stages)
        if parts.final_result is not None:
            yield _final_result_item(output, parts.final_result)
    if parts.process_files is not None:
        for found in output.inputs:
            yield _input_item(output, parts.process_files, found)
    yield from _pipeline_result_items(output)
    if parts.final_result is not None and parts.trace is None:
        yield _final_result_item(output, parts.final_result)
    yield from _log_items(output)


def _stages_of_trace(output: Output, trace: Document, identity: Identity) -> Iterator[Record]:
    """The stages that a command-line trace keeps as artifacts, where no result file tells more of them."""
    told = any(found.has_trace and found.result for found in output.inputs) or identity in _owners(output).values()
    if not told and lifecycle_of(trace.value) == "command_line":
        yield from stage_records(identity, {"stages": _artifacts(trace)})


def _input_item(output: Output, document: Document, found: Input) -> Item:
    if not isinstance(found.entry, dict):
        message = f"{found.listed_as}[{found.index}] is no object"
        return Rejected(document.place, "not_an_object", message, str(found.entry)[:2000])
    try:
        return Parsed(document.place, tuple(_input_records(output, found)))
    except (ValidationError, RecursionError) as error:
        return Rejected(document.place, "invalid_entry", f"{found.file}: {error}", str(found.entry)[:2000])


def _input_records(output: Output, found: Input) -> Iterator[Record]:
    if not found.has_trace:
        yield derived_run(
            found.identity,
            _input_outcome(found),
            name=output.task_goal,
            workload=output.source.workload,
            result=found.result,
            attributes={"record": "file_result", "input_file": found.file, "folder": output.folder},
        )
    if found.result:
        output.with_stages.add(found.identity.run_id)
        yield from stage_records(found.identity, found.result)
    yield from file_error(found.identity, found.entry)
    yield file_result_event(found.identity, found.entry, found.listed_as)


def _input_outcome(found: Input) -> Outcome:
    if found.listed_as == "failed":
        return Outcome("failed", "listed as failed: the input has no result")
    if found.entry.get("status") == "dry_run":
        return Outcome("unknown", "dry run: nothing was executed")
    return result_outcome(found.result)


def _pipeline_result_items(output: Output) -> Iterator[Item]:
    owners = _owners(output)
    for document in output.parts.pipeline_results:
        try:
            yield Parsed(document.place, tuple(_pipeline_records(output, document, owners.get(document.path.name))))
        except (ValidationError, RecursionError) as error:
            yield Rejected(document.place, "invalid_entry", f"{document.path.name}: {error}")


def _pipeline_records(output: Output, document: Document, owner: Identity | None) -> Iterator[Record]:
    identity = owner or Identity.of(_own_place(output, document))
    if owner is None:
        yield derived_run(
            identity,
            result_outcome(document.value),
            workload=output.source.workload,
            result=document.value,
            attributes={"record": "pipeline_result", "folder": output.folder},
            flags=document.flags,
        )
    if identity.run_id not in output.with_stages:
        output.with_stages.add(identity.run_id)
        yield from stage_records(identity, document.value)
    yield pipeline_result_event(identity, document.path.name, document.value, document.flags)


def _own_place(output: Output, document: Document) -> str:
    """A result file of its own is called by its place in the folder, read with the folder or alone."""
    return place_name(output.source) if document.is_main else f"{output.folder}/{document.path.name}"


def _owners(output: Output) -> dict[str, Identity]:
    """For every result file of this call the run it belongs to: same input, same stages, nearest time stamp."""
    owners: dict[str, Identity] = {}
    for identity, file, stages, time in _claimants(output):
        fitting = [
            (distance, document.path.name)
            for document in output.parts.pipeline_results
            if (distance := _distance(document, file, stages, time)) is not None and document.path.name not in owners
        ]
        if fitting:
            owners[min(fitting)[1]] = identity
    return owners


def _claimants(output: Output) -> Iterator[tuple[Identity, str, dict[str, Any], datetime | None]]:
    """The runs of this call with their input, stages and time."""
    for found in output.inputs:
        if found.result:
            yield found.identity, found.file, mapping(found.result.get("stages")), times_of(found.result)[1]
    trace = output.parts.trace
    if trace is not None and output.trace_identity and not any(found.has_trace for found in output.inputs):
        artifacts = _artifacts(trace)
        time = times_of({"audit_trail": [mapping(mapping(stage).get("audit")) for stage in artifacts.values()]})[1]
        yield output.trace_identity, text(input_of(trace.value).get("file_path")) or "", artifacts, time or output.ended


def _artifacts(trace: Document) -> dict[str, Any]:
    entries = sequence(trace.value.get("entries"))
    return mapping(mapping(mapping(entries[-1]).get("output")).get("artifacts")) if entries else {}


def _distance(document: Document, file: str, stages: dict[str, Any], time: datetime | None) -> timedelta | None:
    """How far the file's time stamp is from the run, or None where it is another input's or another run's."""
    name = result_name(document.path.name)
    if name is None or name.context != _context(file) or mapping(document.value.get("stages")) != stages:
        return None
    distance = abs(_stamp(name) - time) if time else timedelta(0)
    return distance if distance <= _SAME_RUN_WITHIN else None


def _context(file: str) -> str:
    """The command line calls the context of an input after its stem."""
    name = last_name(file)
    stem, dot, _ = name.rpartition(".")
    return f"file_{stem if dot and stem else name}"


def _stamp(name: ResultName) -> datetime:
    try:
        return datetime.strptime(name.stamp, "%Y%m%d_%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return datetime.max.replace(tzinfo=UTC)


def _final_result_item(output: Output, document: Document) -> Item:
    identity = output.first_identity
    records: list[Record] = []
    if output.trace_identity is None and not output.inputs:
        outcome = final_result_outcome(document.value)
        attributes = {"record": "final_result", "final_result": document.value}
        records.append(derived_run(identity, outcome, workload=output.source.workload, attributes=attributes))
    try:
        records.append(final_result_event(identity, document.value, document.flags))
    except (ValidationError, RecursionError) as error:
        return Rejected(document.place, "invalid_entry", f"{document.path.name}: {error}")
    return Parsed(document.place, tuple(records))


def _log_items(output: Output) -> Iterator[Item]:
    current = input_at(output.lines)
    by_name = {last_name(found.file): found.identity for found in output.inputs}

    def owner(line: LogLine) -> Identity:
        return by_name.get(current(line) or "", output.first_identity)

    yield from log_items(output.lines, output.call, owner)
