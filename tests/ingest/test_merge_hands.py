"""The portions of an ingest are put together by two hands at once, and leave what one hand leaves."""

from __future__ import annotations

import shutil
from pathlib import Path
from threading import Barrier, Event, Lock, get_ident
from typing import Any

import duckdb
import pytest

from ingest import affected, storing
from ingest.derive import steps
from ingest.load import ingest
from ingest.report import IngestReport
from ingest.staging import HANDS, NoRoom
from ingest.store.publish import FilePublication
from ingest.tables import OF_RUNS
from tests.bench import data
from tests.ingest.loaded import content

# A lake has one writer, and one hand.
pytestmark = pytest.mark.file_store

PATIENCE_S = 30
RUNS = 12


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "lines.jsonl"
    data.write(path, events=50 * RUNS, runs=RUNS)
    return path


@pytest.fixture
def in_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is much, and few runs are put together at once."""
    monkeypatch.setattr(storing, "IN_MEMORY_BYTES", 0)
    monkeypatch.setattr(affected, "ROWS_AT_ONCE", 1_000)
    monkeypatch.setattr(affected, "_FEW_RUNS", 0)


def counts(report: IngestReport) -> dict[str, Any]:
    return report.as_json()["totals"]  # type: ignore[no-any-return]


@pytest.mark.usefixtures("in_portions")
def test_two_portions_are_derived_at_the_same_time(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    met, real = Barrier(HANDS, timeout=PATIENCE_S), steps.run
    threads: list[int] = []

    def meet(con: duckdb.DuckDBPyConnection, rows: Any) -> None:
        threads.append(get_ident())
        if len(threads) <= HANDS:
            met.wait()
        real(con, rows)

    monkeypatch.setattr(steps, "run", meet)
    ingest([str(file)], tmp_path / "s.duckdb")
    assert len(set(threads)) == HANDS
    assert len(threads) > HANDS


def test_they_leave_what_one_leaves(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    at_once, by_hands, by_one = (tmp_path / f"{name}.duckdb" for name in ("once", "hands", "one"))
    first = tmp_path / "first.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    first.write_text("".join(lines[::2]), encoding="utf-8")
    # The second half of each run comes to a store that has the first one; half of what comes is there already.
    said = [counts(ingest([str(one)], at_once)) for one in (first, file)]
    request.getfixturevalue("in_portions")
    assert [counts(ingest([str(one)], by_hands)) for one in (first, file)] == said
    monkeypatch.setattr(FilePublication, "takes_hands", False)
    assert [counts(ingest([str(one)], by_one)) for one in (first, file)] == said
    assert said[1]["duplicates"] == len(lines[::2])
    assert content(by_hands) == content(at_once) == content(by_one)


@pytest.mark.usefixtures("in_portions")
def test_what_is_written_lies_in_the_order_of_the_portions(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, over = steps.run, Event()

    def first_one_last(con: duckdb.DuckDBPyConnection, rows: Any) -> None:
        """The first portion is still to be derived when the second one is done."""
        if con.execute("SELECT 1 FROM replaced WHERE run_id LIKE '%bench-000000'").fetchall():
            assert over.wait(PATIENCE_S)
        real(con, rows)
        over.set()

    monkeypatch.setattr(steps, "run", first_one_last)
    ingest([str(file)], tmp_path / "s.duckdb")
    with duckdb.connect(str(tmp_path / "s.duckdb"), read_only=True) as con:
        runs = [run for (run,) in con.execute("SELECT run_id FROM runs ORDER BY rowid").fetchall()]
    assert runs == sorted(runs)
    assert len(runs) == RUNS


@pytest.mark.parametrize("failing", [1, 4])
def test_what_one_hand_stumbles_over_leaves_the_store_as_it_was(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, *, failing: int
) -> None:
    store, real = tmp_path / "s.duckdb", steps.run
    ingest([str(file)], store)
    before = store.read_bytes()
    request.getfixturevalue("in_portions")
    more = tmp_path / "more.jsonl"
    data.write(more, events=50 * RUNS, runs=RUNS, seed=12)
    done: list[int] = []

    def stumble(con: duckdb.DuckDBPyConnection, rows: Any) -> None:
        done.append(get_ident())
        if len(done) == failing:
            raise duckdb.InvalidInputException("stumbled")
        real(con, rows)

    monkeypatch.setattr(steps, "run", stumble)
    with pytest.raises(duckdb.InvalidInputException, match="stumbled"):
        ingest([str(more)], store)
    assert store.read_bytes() == before
    assert len(done) >= failing
    monkeypatch.undo()
    assert counts(ingest([str(more)], store))["stored"] > 0


@pytest.mark.parametrize("starved", [{1, 2}, {0, 1, 2, 3, 4, 5}], ids=str)
@pytest.mark.parametrize("at", ["beginning", "end"])
def test_a_portion_without_memory_beside_others_is_put_together_alone(
    file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
    *,
    starved: set[int],
    at: str,
) -> None:
    """Memory is gone once for each of these portions: before its derivation, or when its rows are being written."""
    store, expected, first = tmp_path / "s.duckdb", tmp_path / "expected.duckdb", tmp_path / "first.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    first.write_text("".join(lines[::2]), encoding="utf-8")
    ingest([str(first)], expected)
    shutil.copy(expected, store)
    said = counts(ingest([str(file)], expected))
    request.getfixturevalue("in_portions")
    place, name = (steps, "run") if at == "beginning" else (FilePublication, "insert_staged")
    real, lock = getattr(place, name), Lock()
    numbers: dict[str, int] = {}
    hungry, working, beside = set(starved), set[int](), list[int]()

    def starve(con: duckdb.DuckDBPyConnection) -> bool:
        run = str(con.execute("SELECT min(run_id) FROM replaced").fetchall()[0][0])
        with lock:
            number = numbers.setdefault(run, len(numbers))
            is_starved = number in hungry
            hungry.discard(number)
            if not is_starved and number in starved:
                beside.append(len(working - {get_ident()}))
        return is_starved

    def work(*given: Any) -> Any:
        con = next(one for one in given if isinstance(one, duckdb.DuckDBPyConnection))
        is_of_a_run = con.execute("SELECT bool_and(run_id LIKE '%bench%') FROM replaced").fetchall()[0][0]
        with lock:
            working.add(get_ident())
        try:
            if is_of_a_run and starve(con):
                raise duckdb.OutOfMemoryException("Out of Memory Error: all of it is used")
            return real(*given)
        finally:
            with lock:
                working.discard(get_ident())

    monkeypatch.setattr(place, name, work)
    report = ingest([str(file)], store)
    assert not hungry
    assert beside
    assert set(beside) == {0}
    assert counts(report) == said
    assert content(store) == content(expected)


@pytest.mark.usefixtures("in_portions")
def test_a_portion_that_is_too_large_alone_is_said_to_be(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = steps.run

    def starve(con: duckdb.DuckDBPyConnection, rows: Any) -> None:
        if con.execute("SELECT 1 FROM replaced WHERE run_id LIKE '%bench-000003'").fetchall():
            raise duckdb.OutOfMemoryException("Out of Memory Error: all of it is used")
        real(con, rows)

    monkeypatch.setattr(steps, "run", starve)
    with pytest.raises(NoRoom, match="all of it is used: the store is unchanged"):
        ingest([str(file)], tmp_path / "s.duckdb")
    assert not (tmp_path / "s.duckdb").exists()


@pytest.mark.usefixtures("in_portions")
@pytest.mark.parametrize("takes_hands", [True, False], ids=["by_hands", "by_one"])
def test_every_hand_has_as_much_to_put_together(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, takes_hands: bool
) -> None:
    """A little more than one hand may have at once: halves of it, not one hand full and a rest.

    A store that takes only one needs the rest of the memory to write.
    """
    monkeypatch.setattr(FilePublication, "takes_hands", takes_hands)
    counted: list[int] = []
    real = steps.run

    def count(con: duckdb.DuckDBPyConnection, rows: Any) -> None:
        counted.append(con.execute("SELECT count(*) FROM replaced").fetchall()[0][0])
        real(con, rows)

    monkeypatch.setattr(steps, "run", count)
    monkeypatch.setattr(affected, "ROWS_AT_ONCE", 1_000_000)
    rows = 0
    with duckdb.connect() as con:
        ingest([str(file)], tmp_path / "whole.duckdb")
        con.execute(f"ATTACH '{tmp_path / 'whole.duckdb'}' AS whole (READ_ONLY)")
        for table in OF_RUNS:
            rows += con.execute(f"SELECT count(*) FROM whole.{table}").fetchall()[0][0]
    counted.clear()
    monkeypatch.setattr(affected, "ROWS_AT_ONCE", rows * 3 // 2)
    ingest([str(file)], tmp_path / "s.duckdb")
    assert sum(counted) == RUNS
    assert len(counted) == HANDS
    assert max(counted) - min(counted) <= 2
