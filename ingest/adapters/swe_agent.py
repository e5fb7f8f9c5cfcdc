"""SWE-agent `.traj` files: one run a file, no times, one step per action.

`submitted` says that a patch was handed in, not that it is right: the outcome stays unknown unless an
evaluation in the file decides it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ingest.adapter import Adapter, Item, Rejected
from ingest.source import Head, Source
from ingest.vendor.json_values import Unit, glimpses, units
from ingest.vendor.parsed import parsed
from ingest.vendor.swe_agent_records import run_id_of, run_record, step_records, steps_of
from ingest.vendor.values import mapping, sequence


def recognise(head: Head) -> bool:
    """An object with a `trajectory` of actions and observations, or a `history` that names message types."""
    return any(_is_trajectory(value) for value in glimpses(head))


def _is_trajectory(value: dict[str, Any]) -> bool:
    steps, history = sequence(value.get("trajectory")), sequence(value.get("history"))
    if steps:
        return {"action", "observation"} <= mapping(steps[0]).keys()
    if "trajectory" in value and "exit_status" in mapping(value.get("info")):
        return True
    return any("message_type" in mapping(message) and "role" in mapping(message) for message in history)


def read(source: Source) -> Iterator[Item]:
    """The run of the file and its steps."""
    for number, unit in enumerate(units(source)):
        if isinstance(unit, Unit) and isinstance(unit.value, dict) and _is_trajectory(unit.value):
            yield from _trajectory_items(unit, source.below if number == 0 else f"{source.below}#{number}")
        elif isinstance(unit, Unit):
            yield Rejected(unit.place, "unknown_record", "neither a trajectory nor a history", unit.raw)
        else:
            yield unit


def _trajectory_items(unit: Unit, native_id: str) -> Iterator[Item]:
    steps, run_id = steps_of(unit.value), run_id_of(unit.value, native_id)
    yield parsed(unit.place, unit.raw, run_record, unit.value, run_id, native_id, len(steps), unit.flags)
    for index, step in enumerate(steps):
        yield parsed(unit.place, step, step_records, step, run_id, index)


ADAPTER = Adapter(
    name="swe_agent",
    version=1,
    title="SWE-agent trajectories (.traj)",
    recognised_by="an object with `trajectory` of `action` and `observation`, or a `history` with `message_type`",
    yields=("runs", "spans", "errors"),
    recognise=recognise,
    read=read,
    record_is="run or step",
)
