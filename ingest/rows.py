"""A record as rows of the store's tables: its own, and those of its steps or items."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

from ingest import records as kinds
from ingest.records import Record

# The column that holds a record's own id, where it is not event_id.
ID_COLUMN = {"diagnoses": "diagnosis_id"}


def rows_of(record: Record, event_id: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The rows of a record: its own, and those of its steps or items."""
    values: dict[str, Any] = {name: value for name, value in record.__dict__.items() if value is not None}
    values.pop("event_id", None)
    values[ID_COLUMN.get(record.TABLE, "event_id")] = event_id
    values["flags"] = list(record.flags) or None
    values["attributes"] = as_json(record.attributes)
    if isinstance(record, kinds.ContextSet):
        values.update(recorded=True, items=len(record.members))
        yield from _item_rows(record, event_id)
    if isinstance(record, kinds.RecoveryEvent):
        values["artifacts"] = None if record.artifacts is None else list(record.artifacts)
        yield from _step_rows(record, event_id)
    yield record.TABLE, values


def _item_rows(record: kinds.ContextSet, event_id: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for item in record.members:
        yield "context_items", {
            "run_id": record.run_id, "event_id": event_id, "step_id": record.step_id, "set_name": record.set_name,
            "item_id": item.item_id, "revision": item.revision,
        }  # fmt: skip


def _step_rows(record: kinds.RecoveryEvent, event_id: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for step in record.steps:
        yield "recovery_steps", {
            "run_id": record.run_id, "event_id": event_id, "step": step.step, "agent": step.agent,
            "action": step.action, "result": step.result, "attributes": as_json(step.attributes),
        }  # fmt: skip


def as_json(attributes: dict[str, Any]) -> str | None:
    """The attributes as JSON text, None where there are none."""
    if not attributes:
        return None
    try:
        return _compact(attributes)
    except ValueError:
        return _compact(_without_nan(attributes))


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str, allow_nan=False, separators=(",", ":"))


def _without_nan(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(item) for item in value]
    return value
