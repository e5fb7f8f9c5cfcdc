"""The mapping file: which keys of any JSON lines or CSV file are the run, the step, the times, the error.

`faultlens.mapping.toml` beside the file, or any file given as such. Without one, keys that everybody
would read the same way are read that way (`BUILT_IN`).
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ingest.store.errors import FaultlensError

FILE_NAME = "faultlens.mapping.toml"
_FILES = ("*.jsonl", "*.ndjson", "*.json", "*.csv", "*.tsv")


class BadMapping(FaultlensError):
    """The mapping file is wrong; the message names the key and what may stand there."""


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Match(_Table):
    """Which files, and which of their rows: a key's value is one of those listed."""

    files: tuple[str, ...] = _FILES
    where: dict[str, tuple[str, ...]] = Field(default_factory=dict)


class Fields(_Table):
    """For each field the key that holds it; dots lead into nested objects."""

    run: str | None = None
    session: str | None = None
    workload: str | None = None
    tenant: str | None = None
    run_name: str | None = None
    run_status: str | None = None
    step: str | None = None
    parent: str | None = None
    index: str | None = None
    seq: str | None = None
    time: str | None = None
    end: str | None = None
    duration_s: str | None = None
    duration_ms: str | None = None
    name: str | None = None
    kind: str | None = None
    phase: str | None = None
    agent: str | None = None
    tool: str | None = None
    model: str | None = None
    status: str | None = None
    error: str | None = None
    error_code: str | None = None
    level: str | None = None
    location: str | None = None
    input_tokens: str | None = None
    output_tokens: str | None = None
    cost: str | None = None
    text: str | None = None

    def set_ones(self) -> dict[str, str]:
        """The fields that have a key."""
        return {name: key for name, key in self if key}


class Words(_Table):
    """What the producer's status words mean for a step."""

    ok: tuple[str, ...] = ("ok", "success", "succeeded", "completed", "done", "passed")
    error: tuple[str, ...] = ("error", "failed", "failure", "errored", "exception")
    open: tuple[str, ...] = ("running", "pending", "in_progress", "started")


class MappingFile(_Table):
    """A whole mapping."""

    match: Match = Match()
    fields: Fields
    status: Words = Words()
    origin: Literal["file", "built_in"] = "file"

    def takes_file(self, name: str) -> bool:
        """The file's name is one of those that the mapping is for."""
        return any(fnmatch(name, pattern) for pattern in self.match.files)

    def takes_row(self, row: Mapping[str, Any]) -> bool:
        """The row has the values that the mapping asks for."""
        return all(str(found(row, key)) in values for key, values in self.match.where.items())

    def step_status(self, recorded: str) -> str | None:
        """ok, error or open for a recorded word; None for one that the mapping does not know."""
        word = recorded.strip().casefold()
        for status, words in self.status:
            if word in {known.casefold() for known in words}:
                return str(status)
        return None


def load(path: Path) -> MappingFile:
    """The mapping of the file; raises BadMapping with the wrong key."""
    try:
        value = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        return MappingFile.model_validate({key: item for key, item in value.items() if key != "origin"})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadMapping(f"{path.name}: not TOML: {error}") from None
    except ValidationError as error:
        raise BadMapping(f"{path.name}: {_first_fault(error)}") from None


def _first_fault(error: ValidationError) -> str:
    faults = error.errors(include_url=False, include_input=False, include_context=False)
    # A misspelt table is missing too; the misspelling says more.
    fault = next((found for found in faults if found["type"] == "extra_forbidden"), faults[0])
    key = ".".join(str(part) for part in fault["loc"])
    if fault["type"] == "extra_forbidden":
        return f"`{key}` is no key of a mapping; known are: {', '.join(_known(fault['loc']))}"
    if fault["type"] == "missing":
        return f"the table `{key}` is missing"
    return f"`{key}`: {fault['msg']}"


def _known(place: tuple[int | str, ...]) -> Iterable[str]:
    tables: dict[str, type[BaseModel]] = {"match": Match, "fields": Fields, "status": Words}
    table = tables.get(str(place[0]))
    return table.model_fields if table and len(place) > 1 else tables


def beside(path: Path) -> Path | None:
    """The mapping file in the folder of the file, if there is one."""
    candidate = path.parent / FILE_NAME
    return candidate if candidate.is_file() and candidate != path else None


def found(row: Mapping[str, Any], key: str) -> Any:
    """The value under a key: the key as it stands, else its parts one inside the other; None where there is none."""
    if key in row:
        return row[key]
    value: Any = row
    for part in key.split("."):
        if isinstance(value, list) and part.isascii() and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        elif isinstance(value, dict) and part in value:
            value = value[part]
        else:
            return None
    return value


# For each field the names that everybody reads the same way; the first that is there is taken.
OBVIOUS: dict[str, tuple[str, ...]] = {
    "run": ("run_id", "runId", "run", "trace_id", "traceId"),
    "session": ("session_id", "sessionId", "conversation_id", "thread_id"),
    "workload": ("workload",),
    "tenant": ("tenant", "tenant_id"),
    "step": ("span_id", "spanId", "step_id", "stepId"),
    "parent": ("parent_span_id", "parentSpanId", "parent_id", "parentId", "parent_step_id"),
    "index": ("step_index", "step", "step_number"),
    "seq": ("seq", "sequence"),
    "time": ("start", "start_time", "startTime", "started_at", "ts", "timestamp", "time"),
    "end": ("end", "end_time", "endTime", "ended_at"),
    "duration_s": ("duration_s",),
    "duration_ms": ("duration_ms",),
    "name": ("name", "event", "operation"),
    "kind": ("kind", "type"),
    "phase": ("phase",),
    "agent": ("agent", "agent_name"),
    "tool": ("tool", "tool_name"),
    "model": ("model", "model_name"),
    "status": ("status",),
    "error": ("error", "exception", "error_message"),
    "error_code": ("error_code", "error_type", "exception_type"),
    "level": ("level", "severity"),
    "input_tokens": ("input_tokens", "prompt_tokens"),
    "output_tokens": ("output_tokens", "completion_tokens"),
    "cost": ("cost_usd", "cost"),
    "text": ("text", "message", "msg", "content"),
}


def obvious(keys: Iterable[str]) -> MappingFile:
    """The mapping of the keys whose names say what they are."""
    there = set(keys)
    chosen = {field: next((name for name in names if name in there), None) for field, names in OBVIOUS.items()}
    return MappingFile(fields=Fields(**chosen), origin="built_in")


def as_toml(mapping: MappingFile, files: str) -> str:
    """The mapping as the text of a mapping file."""
    lines = [f'{name} = "{_escaped(key)}"' for name, key in mapping.fields.set_ones().items()]
    return "\n".join(["[match]", f'files = ["{_escaped(files)}"]', "", "[fields]", *lines, ""])


def _escaped(key: str) -> str:
    return key.replace("\\", "\\\\").replace('"', '\\"')
