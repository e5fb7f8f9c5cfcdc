"""Roll-ups stay what a count of the whole store would give, while runs come, change and go."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest import rollups
from ingest.load import ingest
from ingest.removal import remove
from ingest.rollups import tallies
from ingest.store import memory_connection, open_store

TABLES = (*(tally.table for tally in tallies()), "signature_totals", "signature_returns")
START = datetime(2026, 11, 1, 22, tzinfo=UTC)
FAILURES: tuple[dict[str, Any], ...] = (
    {"error_code": "E_A", "location": "a.py", "state_hash": "1", "tool_error_class": "transport", "level": "L1"},
    {"error_code": "E_B", "location": "b.py", "failure_class": "execution_error",
     "category": "epistemic", "recoverable": True},
    {"type": "odd thing", "level": "L9"},
    {"type": "KeyError", "contract_class": "unclassified"},
)  # fmt: skip


def lines_of(
    run: int, day: int | None, workload: str, failures: Iterable[int], contexts: int
) -> Iterator[dict[str, Any]]:
    """A run as a producer writes it; without a day it has no time at all."""
    at = None if day is None else START + timedelta(days=day)
    run_id = f"r{run}"
    yield {"record": "run", "run_id": run_id, "workload": workload, "status": "failed"} | (
        {"started_at": at.isoformat()} if at else {}
    )
    for number, failure in enumerate(failures):
        # Past midnight: what a run tells may lie on another day than its start.
        moment = {"occurred_at": (at + timedelta(hours=number)).isoformat()} if at else {}
        shared = {"record": "error_event", "run_id": run_id, "step": f"{number}/9", "phase": "VERIFY"}
        yield shared | FAILURES[failure] | moment
    for step in range(contexts):
        yield {"record": "context", "run_id": run_id, "step_id": str(step), "required": ["a", "b"],
               "retrieved": ["a", "c"],
               "eligible": ["a"], "composed": ["a"], "consumed": ["a"]}  # fmt: skip


RUNS = st.lists(
    st.tuples(
        st.integers(0, 3),
        st.one_of(st.none(), st.integers(0, 3)),
        st.sampled_from(("w", "v")),
        st.lists(st.integers(0, len(FAILURES) - 1), max_size=5),
        st.integers(0, 2),
    ),
    min_size=1,
    max_size=4,
)


def rows(store: Path, table: str) -> list[tuple[Any, ...]]:
    with open_store(store) as opened, opened.lease() as lease:
        return sorted(tuple(map(repr, row.values())) for row in lease.rows(f"SELECT * FROM {table}"))


def recounted(store: Path) -> dict[str, list[tuple[Any, ...]]]:
    """The roll-ups as a count of the whole store gives them; they are put in the place of what was there."""
    with memory_connection() as con, open_store(store) as opened, opened.publication(con) as draft:
        rollups.rebuild(con, draft)
    return {table: rows(store, table) for table in TABLES}


def written(folder: Path, numbers: Iterator[int], runs: Iterable[tuple[Any, ...]]) -> Path:
    file = folder / f"{next(numbers)}.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for run in runs for line in lines_of(*run)))
    return file


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(loads=st.lists(RUNS, min_size=1, max_size=3), gone=st.sets(st.integers(0, 3), max_size=2))
def test_are_what_a_count_of_the_whole_store_gives(
    tmp_path_factory: pytest.TempPathFactory, loads: list[Any], gone: set[int]
) -> None:
    folder, numbers = tmp_path_factory.mktemp("rollups"), count()
    store = folder / "s.duckdb"
    for runs in loads:
        ingest([str(written(folder, numbers, runs))], store)
    here = {f"faultlens:r{run}" for runs in loads for run, *_ in runs} & {f"faultlens:r{run}" for run in gone}
    if here:
        with open_store(store) as opened:
            remove(opened, sorted(here), "forget")
    kept = {table: rows(store, table) for table in TABLES}
    assert kept == recounted(store)


def test_a_run_that_moves_to_another_day_leaves_its_old_one(tmp_path: Path) -> None:
    store, numbers = tmp_path / "s.duckdb", count()
    ingest([str(written(tmp_path, numbers, [(1, 2, "w", [0, 0], 1), (2, 2, "w", [0], 0)]))], store)
    ingest([str(written(tmp_path, numbers, [(1, 0, "w", [0, 1], 1)]))], store)
    kept = {table: rows(store, table) for table in TABLES}
    assert kept == recounted(store)


def test_nothing_is_left_of_the_last_run(tmp_path: Path) -> None:
    store = tmp_path / "s.duckdb"
    ingest([str(written(tmp_path, count(), [(1, 2, "w", [0, 0, 2], 1)]))], store)
    assert all(rows(store, table) for table in ("error_days", "rule_days", "context_held", "signature_totals"))
    with open_store(store) as opened:
        remove(opened, ["faultlens:r1"], "forget")
    assert {table: rows(store, table) for table in TABLES} == {table: [] for table in TABLES}
