"""What bijux-canon-agent writes, told apart by content alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import StrEnum
from typing import Any

from ingest.source import Head

# Keys of a trace header that no other format has.
_TRACE_MARKS = frozenset(
    {"trace_schema_version", "pipeline_definition_hash", "agent_versions", "replay_status", "convergence_hash"}
)
_LOG_KEYS = frozenset({"timestamp", "level", "name", "message", "module", "line", "context", "metrics"})
_WRONG_ROUTE_STATUSES = frozenset({404, 405})
STATUS_KEYS = ("http_status", "status", "status_code")
_CODE = re.compile(r"[A-Z][A-Z0-9_]*")
_CUT_TRACE = ('"run_id"', '"agent_versions"', '"replay_status"', '"entries"')


class Shape(StrEnum):
    """The kinds of records the producer writes."""

    TRACE = "trace"
    PROCESS_FILES = "process_files"
    PIPELINE_RESULT = "pipeline_result"
    FINAL_RESULT = "final_result"
    LOG = "log"
    HTTP_ERROR = "http_error"


def is_trace(value: dict[str, Any]) -> bool:
    """A run trace of any schema: entries under a header, or a header that names the trace schema."""
    entries = value.get("entries")
    if isinstance(entries, list):
        return bool(_TRACE_MARKS & value.keys()) or ("run_id" in value and _holds_entry(entries))
    return {"run_id", "trace_schema_version"} <= value.keys()


def _holds_entry(entries: list[Any]) -> bool:
    return any(isinstance(entry, dict) and {"agent_id", "node", "replay_metadata"} <= entry.keys() for entry in entries)


def is_http_error(value: dict[str, Any]) -> bool:
    """{code, message, http_status}, or the {error} of a wrong route kept together with its status."""
    if {"code", "message", "http_status"} <= value.keys():
        return isinstance(value["code"], str) and bool(_CODE.fullmatch(value["code"])) and "record" not in value
    keys = set(value)
    return (
        isinstance(value.get("error"), str)
        and keys <= {"error", *STATUS_KEYS}
        and any(value.get(key) in _WRONG_ROUTE_STATUSES for key in STATUS_KEYS if isinstance(value.get(key), int))
    )


def _is_process_files(value: dict[str, Any]) -> bool:
    return isinstance(value.get("successful"), list) and isinstance(value.get("failed"), list) and "telemetry" in value


def _is_pipeline_result(value: dict[str, Any]) -> bool:
    return isinstance(value.get("final_status"), dict) and {"stages", "audit_trail"} <= value.keys()


def _is_final_result(value: dict[str, Any]) -> bool:
    return {"verdict", "confidence", "trace_path", "termination_reason"} <= value.keys()


def _is_log_line(value: dict[str, Any]) -> bool:
    return value.keys() >= _LOG_KEYS


_SHAPES: tuple[tuple[Shape, Callable[[dict[str, Any]], bool]], ...] = (
    (Shape.TRACE, is_trace),
    (Shape.PROCESS_FILES, _is_process_files),
    (Shape.PIPELINE_RESULT, _is_pipeline_result),
    (Shape.FINAL_RESULT, _is_final_result),
    (Shape.LOG, _is_log_line),
    (Shape.HTTP_ERROR, is_http_error),
)


def shape_of(value: Any) -> Shape | None:
    """What the JSON value is, or None where the producer never writes such a thing."""
    if not isinstance(value, dict):
        return None
    return next((shape for shape, fits in _SHAPES if fits(value)), None)


def shape_of_head(head: Head) -> Shape | None:
    """What the file is by its content, a damaged trace included: it is refused record by record, not by name."""
    document = head.document
    if isinstance(document, dict):
        return shape_of(document)
    if isinstance(document, list):
        return Shape.HTTP_ERROR if document and all(shape_of(v) is Shape.HTTP_ERROR for v in document) else None
    shapes = [shape_of(value) for value in head.first_records if isinstance(value, dict)]
    if Shape.LOG in shapes:
        return Shape.LOG
    if shapes and all(shape is Shape.HTTP_ERROR for shape in shapes):
        return Shape.HTTP_ERROR
    return Shape.TRACE if _is_cut_trace(head.text) else None


def _is_cut_trace(sample: str) -> bool:
    return sample.lstrip().startswith("{") and all(mark in sample for mark in _CUT_TRACE)
