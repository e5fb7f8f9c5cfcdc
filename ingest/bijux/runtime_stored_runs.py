"""Runs from the rows of an execution store."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from ingest import json_text
from ingest.adapter import Item, Place, Rejected, Unreadable
from ingest.bijux.runtime_records import units
from ingest.bijux.runtime_run import PlannedStep, RuntimeEvent, RuntimeRun
from ingest.bijux.runtime_store import Row, Store, opened
from ingest.derive.runtime_outcome import EventFact
from ingest.source import Source
from ingest.times import utc_time

Key = tuple[str, str]
# What still holds of a run is part of its state at failure; the rows themselves stay with their owner.
_COUNTED = ("artifacts", "evidence", "claims", "tool_invocations", "entropy_usage")
_OWN_COLUMNS = frozenset({"tenant_id", "run_id", "flow_id", "plan_hash", "run_mode", "created_at", "non_certifiable"})
_PLAN_COLUMNS = frozenset({"tenant_id", "run_id", "step_index", "agent_id", "step_type", "inputs_fingerprint"})
_BY_KEY = "tenant_id, run_id"


def items(source: Source) -> Iterator[Item]:
    """One unit for every row of the store's runs and events; a row's line is its number in reading order."""
    with opened(source) as store:
        if not store.has_tables:
            raise Unreadable("not_an_execution_store", f"{source.shown} is a DuckDB file without the runtime's tables")
        yield from _items(store)


def _items(store: Store) -> Iterator[Item]:
    around = _Around(store)
    runs = {_key(row): row for row in store.rows("runs", _BY_KEY)}
    number = 0
    for key, rows in _with_events(runs, store):
        events = [_event(row) for row in rows]
        if key not in runs:
            for row in rows:
                number += 1
                yield _without_run(row, number)
            continue
        number += 1
        places = {event.event_id: Place(number + position) for position, event in enumerate(events, start=1)}
        yield from units(_run(runs[key], events, around), Place(number), places)
        number += len(events)


def _with_events(runs: dict[Key, Row], store: Store) -> Iterator[tuple[Key, list[Row]]]:
    """Every run with its events, those without any included; runs and events come in the same order."""
    waiting = iter(runs)
    seen: set[Key] = set()
    for key, rows in groupby(store.rows("events", f"{_BY_KEY}, event_index"), key=_key):
        if key in runs:
            for run in waiting:
                seen.add(run)
                if run == key:
                    break
                yield run, []
        yield key, list(rows)
    yield from ((run, []) for run in runs if run not in seen)


class _Around:
    """What other tables say of each run, read once for all of them."""

    def __init__(self, store: Store) -> None:
        self.steps: dict[Key, list[PlannedStep]] = defaultdict(list)
        for row in store.rows("steps", f"{_BY_KEY}, step_index"):
            self.steps[_key(row)].append(_step(row))
        self.checkpoints = {_key(row): _kept(row) for row in store.rows("run_checkpoints", _BY_KEY)}
        self.counts = {table: store.counts(table) for table in _COUNTED}

    def of(self, key: Key) -> dict[str, Any]:
        """What still holds of the run, as attributes."""
        counted = {table: counts.get(key, 0) for table, counts in self.counts.items()}
        return {"recorded_rows": counted, "checkpoint": self.checkpoints.get(key)}


def _key(row: Row) -> Key:
    return str(row["tenant_id"]), str(row["run_id"])


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _kept(row: Row, but: frozenset[str] = frozenset({"tenant_id", "run_id"})) -> dict[str, Any]:
    """A row's other columns as they can stand in JSON."""
    plain = (str, int, float, bool, type(None))
    return {name: value if isinstance(value, plain) else str(value) for name, value in row.items() if name not in but}


def _run(row: Row, events: list[RuntimeEvent], around: _Around) -> RuntimeRun:
    key = _key(row)
    created_at, flags = utc_time(row.get("created_at"))
    return RuntimeRun(
        tenant=key[0],
        flow=_text(row.get("flow_id")),
        events=tuple(events),
        finalized=row.get("finalized") is True,
        recorded_id=key[1],
        plan_hash=_text(row.get("plan_hash")),
        run_mode=_text(row.get("run_mode")),
        non_certifiable=row.get("non_certifiable") is True,
        steps=tuple(around.steps.get(key, ())),
        created_at=created_at,
        kept={**_kept(row, _OWN_COLUMNS), **_mode(row), **around.of(key)},
        flags=flags,
    )


def _mode(row: Row) -> dict[str, Any]:
    return {"run_mode": row.get("run_mode"), "plan_hash": row.get("plan_hash")}


def _step(row: Row) -> PlannedStep:
    return PlannedStep(
        index=int(row["step_index"]),
        agent=_text(row.get("agent_id")),
        type=_text(row.get("step_type")),
        inputs_fingerprint=_text(row.get("inputs_fingerprint")),
        kept=_kept(row, _PLAN_COLUMNS),
    )


def _event(row: Row) -> RuntimeEvent:
    decoded = json_text.decode(str(row.get("payload_json") or "{}"))
    payload = decoded.value if isinstance(decoded, json_text.Decoded) else None
    flags = () if isinstance(payload, dict) else ("payload_unreadable",)
    kept = {"causality_tag": row.get("causality_tag"), "timestamp_utc": row.get("timestamp_utc")}
    if flags:
        kept["payload_text"] = row.get("payload_json")
    step = row.get("step_index")
    return RuntimeEvent(
        event_id=str(row["event_index"]),
        fact=EventFact(
            index=int(row["event_index"]),
            type=str(row.get("event_type")),
            step=None if step is None else int(step),
            payload=payload if isinstance(payload, dict) else {},
        ),
        payload_hash=_text(row.get("payload_hash")),
        kept=kept,
        flags=flags,
    )


def _without_run(row: Row, number: int) -> Rejected:
    message = f"event {row.get('event_index')} belongs to run {row.get('run_id')}, which the store does not have"
    return Rejected(Place(number), "event_without_run", message, str(row.get("payload_json") or ""))
