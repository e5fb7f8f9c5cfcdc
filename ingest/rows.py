"""A record as rows of the store's tables: its own, and those of its steps or items."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ingest import records as kinds
from ingest.json_writing import writer
from ingest.records import Record

# The column that holds a record's own id, where it is not event_id.
ID_COLUMN = {"diagnoses": "diagnosis_id"}
# What the rows of a record's parts say, beside their place and the id of the record.
CHILD_COLUMNS = {
    "context_items": frozenset({"run_id", "step_id", "set_name", "item_id", "revision"}),
    "recovery_steps": frozenset({"run_id", "step", "agent", "action", "result"}),
}
# What a row says beyond the fields of its record.
SET_COLUMNS = {"context_sets": ("recorded", "items")}


# The file, part, line, unit and position of a row, and whether its id is still to be counted.
Where = tuple[str, str | None, int | None, int | None, int | None, bool | None]


class Row(NamedTuple):
    """One row: `values` has a value for every column of its own, and may have more."""

    table: str
    values: dict[str, Any]
    event_id: str
    attributes: str | None = None


def rows_of(record: Record, event_id: str, changed: Mapping[str, Any] | None = None) -> list[Row]:
    """The rows of a record, with the values that were `changed` since: those of its steps or items, then its own."""
    values = {**record.__dict__, **changed} if changed else record.__dict__
    attributes = as_json(record.attributes) if record.attributes else None
    if type(record) is kinds.ContextSet:
        values = {**values, "recorded": True, "items": len(record.members)}
        return [*_item_rows(record, event_id), Row(record.TABLE, values, event_id, attributes)]
    if type(record) is kinds.RecoveryEvent:
        return [*_step_rows(record, event_id), Row(record.TABLE, values, event_id, attributes)]
    return [Row(record.TABLE, values, event_id, attributes)]


def _item_rows(record: kinds.ContextSet, event_id: str) -> Iterator[Row]:
    for item in record.members:
        values = {
            "run_id": record.run_id, "step_id": record.step_id, "set_name": record.set_name, **item.__dict__,
        }  # fmt: skip
        yield Row("context_items", values, event_id)


def _step_rows(record: kinds.RecoveryEvent, event_id: str) -> Iterator[Row]:
    for step in record.steps:
        yield Row("recovery_steps", {**step.__dict__, "run_id": record.run_id}, event_id, as_json(step.attributes))


def as_json(attributes: dict[str, Any]) -> str | None:
    """The attributes as JSON text, None where there are none."""
    if not attributes:
        return None
    try:
        return _compact(attributes)
    except ValueError:
        return _compact(_without_nan(attributes))


_compact = writer(allow_nan=False)


def _without_nan(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(item) for item in value]
    return value
