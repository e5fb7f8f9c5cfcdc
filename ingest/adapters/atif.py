"""ATIF trajectories (Harbor, Terminal-Bench): one run a session, its continuation files included.

A continuation repeats part of the context it was given; those steps are copies and are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ingest.adapter import Adapter, Item, Rejected, Skipped
from ingest.source import Head, Source
from ingest.vendor.atif_records import Trajectory, run_record, step_records
from ingest.vendor.json_values import Unit, glimpses, units
from ingest.vendor.parsed import parsed
from ingest.vendor.values import mapping, sequence


def recognise(head: Head) -> bool:
    """An object whose `schema_version` is an ATIF one."""
    return any(_is_trajectory(value) for value in glimpses(head))


def _is_trajectory(value: dict[str, Any]) -> bool:
    return str(value.get("schema_version", "")).startswith("ATIF-") and isinstance(value.get("steps"), list)


def read(source: Source) -> Iterator[Item]:
    """The run and its steps."""
    for unit in units(source):
        if isinstance(unit, Unit) and isinstance(unit.value, dict) and _is_trajectory(unit.value):
            yield from _trajectory_items(unit, source)
        elif isinstance(unit, Unit):
            yield Rejected(
                unit.place, "unknown_record", "an ATIF trajectory has `schema_version` and `steps`", unit.raw
            )
        else:
            yield unit


def _trajectory_items(unit: Unit, source: Source) -> Iterator[Item]:
    trajectory = Trajectory.of(unit.value, source.below)
    yield parsed(unit.place, unit.raw, run_record, unit.value, trajectory, unit.flags)
    for index, step in enumerate(sequence(unit.value.get("steps"))):
        if not mapping(step):
            yield Rejected(unit.place, "not_an_object", f"step {index + 1} is no object", str(step)[:2_000])
        elif step.get("is_copied_context"):
            yield Skipped(unit.place, "copied_context")
        else:
            yield parsed(unit.place, step, step_records, step, trajectory, index)


ADAPTER = Adapter(
    name="atif",
    version=1,
    title="ATIF trajectories (Harbor, Terminal-Bench)",
    recognised_by="an object whose `schema_version` begins with ATIF-",
    yields=("runs", "spans", "events", "errors", "context operations", "delegations"),
    recognise=recognise,
    read=read,
    record_is="run or step",
)
