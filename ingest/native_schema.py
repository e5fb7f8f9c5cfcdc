"""The JSON Schema of the native format, made from the record models so that it cannot say anything else."""

from __future__ import annotations

import types
import typing
from typing import Any

from ingest import native
from ingest.lint import described_values
from ingest.records import SET_NAMES

_STEP = {"type": ["string", "integer"], "description": "the step as X/Y or a number"}
_ITEM = {
    "anyOf": [
        {"type": "string", "description": "id or id@revision"},
        {"type": "integer"},
        {
            "type": "object",
            "properties": {"id": {"type": ["string", "integer"]}, "revision": {"type": ["string", "integer", "null"]}},
            "required": ["id"],
        },
    ]
}
_RECOVERY_STEP = {
    "type": "object",
    "properties": {
        "step": {"type": "integer"},
        "agent": {"type": ["string", "null"]},
        "action": {"type": ["string", "null"]},
        "result": {"enum": ["SUCCESS", "FAILED", None]},
    },
}
_BESIDE: dict[str, dict[str, Any]] = {
    "error_event": {"step": _STEP},
    "guardrail_event": {"step": _STEP},
    "recovery_event": {
        "duration": {"type": ["integer", "null"], "description": "steps completed, not time"},
        "steps": {"type": "array", "items": _RECOVERY_STEP},
    },
    "context": {name: {"type": "array", "items": _ITEM} for name in SET_NAMES},
    "diagnosis": {"event_id": {"type": ["string", "null"], "description": "the event that is diagnosed"}},
}
_REQUIRED = {"span": ["span_id"], "context": ["step_id"], "catalogue": ["item_id"]}
_HIDDEN = frozenset({"members", "set_name", "for_event", "steps"})


def schema() -> dict[str, Any]:
    """The schema of one line."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "faultlens native record: one JSON object a line",
        "type": "object",
        "required": ["record"],
        "oneOf": [_kind(kind) for kind in native.RECORDS],
    }


def _kind(kind: str) -> dict[str, Any]:
    properties: dict[str, Any] = {"record": {"const": kind}, "run_id": {"type": ["string", "integer"]}}
    for column in native.columns_of(kind):
        if column not in _HIDDEN or (kind == "recovery_event" and column == "for_event"):
            properties[column] = _property(kind, column)
    properties |= _BESIDE.get(kind, {})
    properties["seq"] = {"type": ["integer", "null"], "description": "the order in the run, where the producer has one"}
    properties["attributes"] = {"type": "object", "description": "anything else worth keeping"}
    found: dict[str, Any] = {
        "title": kind,
        "description": (native.RECORDS[kind].__doc__ or "").partition("\n")[0],
        "type": "object",
        "properties": properties,
        "required": ["record", *([] if kind in native.RUNLESS else ["run_id"]), *_REQUIRED.get(kind, [])],
    }
    if kind == "context":
        found["anyOf"] = [{"required": [name]} for name in SET_NAMES]
    return found


def _property(kind: str, column: str) -> dict[str, Any]:
    if column in native.TIMES:
        return {
            "type": ["string", "number", "null"],
            "description": "ISO 8601 with a zone, or seconds, ms, µs, ns since 1970",
        }
    if column == "chain":
        return {"type": ["string", "null"], "description": "CHAIN_A, L3_RECOVERY_CHAIN_A, Chain A or A"}
    if column in native.SHARES:
        return {"type": ["number", "string", "null"], "description": "0-1, or a percentage as text"}
    allowed = described_values(kind, column)
    if allowed:
        return {"enum": [*allowed, None]}
    return _typed(native.RECORDS[kind].model_fields[column].annotation)


def _typed(annotation: Any) -> dict[str, Any]:
    is_union = typing.get_origin(annotation) in {types.UnionType, typing.Union}
    options = typing.get_args(annotation) if is_union else (annotation,)
    options = tuple(
        typing.get_args(option)[0] if typing.get_origin(option) is typing.Annotated else option for option in options
    )
    for option in options:
        if typing.get_origin(option) is typing.Literal:
            return {"enum": [*typing.get_args(option), None]}
    if bool in options:
        return {"type": ["boolean", "null"]}
    if int in options:
        return {"type": ["integer", "null"]}
    if float in options:
        return {"type": ["number", "null"]}
    if any(typing.get_origin(option) is tuple for option in options):
        return {"type": ["array", "null"], "items": {"type": "string"}}
    return {"type": ["string", "number", "null"]}
