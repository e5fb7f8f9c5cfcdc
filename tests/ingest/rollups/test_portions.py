"""An ingest of several portions leaves the roll-ups that one portion leaves, and is published once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from ingest import affected, rollups, storing
from ingest.derive import steps
from ingest.load import ingest
from ingest.removal import remove
from ingest.store import memory_connection, open_store
from ingest.store.publish import Publication
from tests.ingest.rollups.test_rollups import TABLES, recounted, rows, written

RUNS = 24


@pytest.fixture
def portions(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Everything is much: records lie in a file, and few runs are put together at once. How many, one entry each."""
    monkeypatch.setattr(storing, "IN_MEMORY_BYTES", 0)
    monkeypatch.setattr(affected, "ROWS_AT_ONCE", 25)
    monkeypatch.setattr(affected, "_FEW_RUNS", 0)
    written: list[int] = []
    real = steps.run

    def counted(con: Any, tables: Any) -> None:
        written.append(con.execute("SELECT count(*) FROM replaced").fetchall()[0][0])
        real(con, tables)

    monkeypatch.setattr(steps, "run", counted)
    return written


@pytest.fixture
def published(monkeypatch: pytest.MonkeyPatch) -> list[Publication]:
    """The publications that were made, one entry each."""
    made: list[Publication] = []
    real = rollups.Account.settle

    def noted(self: rollups.Account) -> None:
        made.append(self._draft)
        real(self)

    monkeypatch.setattr(rollups.Account, "settle", noted)
    return made


def loads(folder: Path) -> Iterator[Path]:
    """Many runs with the same failures on few days; then some of them again, on other days and with other failures."""
    numbers = count()
    yield written(folder, numbers, [(run, run % 3, "wv"[run % 2], [0, run % 4], run % 2) for run in range(RUNS)])
    yield written(folder, numbers, [(run, (run + 1) % 4, "w", [1, 2, 0], 1) for run in range(0, 2 * RUNS, 2)])


def told(store: Path) -> dict[str, list[tuple[Any, ...]]]:
    return {table: rows(store, table) for table in TABLES}


def test_are_what_one_portion_leaves_and_what_a_count_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    at_once, in_portions = tmp_path / "once.duckdb", tmp_path / "portions.duckdb"
    files = list(loads(tmp_path))
    for file in files:
        ingest([str(file)], at_once)
    made: list[int] = request.getfixturevalue("portions")
    for file in files:
        before = len(made)
        ingest([str(file)], in_portions)
        assert len(made) - before > 3
    kept = told(in_portions)
    assert kept == told(at_once)
    assert all(kept[table] for table in ("error_days", "rule_days", "context_held", "signature_totals"))
    assert kept == recounted(in_portions)


def test_is_published_once(tmp_path: Path, portions: list[int], published: list[Publication]) -> None:
    store = tmp_path / "s.duckdb"
    for number, file in enumerate(loads(tmp_path), start=1):
        ingest([str(file)], store)
        assert len(published) == number
    assert len(portions) > 6


def test_nothing_is_left_when_all_runs_go(tmp_path: Path, portions: list[int]) -> None:
    store = tmp_path / "s.duckdb"
    for file in loads(tmp_path):
        ingest([str(file)], store)
    with open_store(store) as opened:
        with opened.lease() as lease:
            runs = [row["run_id"] for row in lease.rows("SELECT run_id FROM runs")]
        remove(opened, runs, "forget")
    assert told(store) == {table: [] for table in TABLES}
    assert portions


def test_what_is_right_is_not_written_again(tmp_path: Path) -> None:
    store = tmp_path / "s.duckdb"
    ingest([str(next(loads(tmp_path)))], store)
    with memory_connection() as con, open_store(store) as opened, opened.publication(con) as draft:
        assert not rollups.rebuild(con, draft)
        draft.cursor().execute("DELETE FROM error_days WHERE axis = 'code'").fetchall()
        assert rollups.rebuild(con, draft)
        assert not rollups.rebuild(con, draft)
    assert json.dumps(told(store)) == json.dumps(recounted(store))
