"""Windows of a file staged by two hands at once come out as if one had staged them in order."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from threading import Barrier, Event

import duckdb
import pyarrow as pa
import pytest

from ingest.bulk.format import LINES, Staged
from ingest.bulk.hands import Hand, staged_in_order
from ingest.bulk.windows import Window
from ingest.staging import HANDS

PATIENCE_S = 30


def window(number: int) -> Window:
    lines = {"line": [number], "offset_bytes": [0], "text": ["{}"]}
    schema = pa.schema([("line", pa.int64()), ("offset_bytes", pa.int64()), ("text", pa.string())])
    return Window(pa.table(lines, schema), (), number, 2)


class Reader:
    """Stages the number of its line; what happens before that is the test's."""

    def __init__(self, con: duckdb.DuckDBPyConnection) -> None:
        self.con = con

    def stage(self, lines: pa.Table) -> Staged:
        self.before(lines["line"][0].as_py())
        self.con.execute(f"INSERT INTO seen SELECT line FROM {LINES}").fetchall()
        return Staged(1)

    def before(self, _line: int) -> None:
        """Nothing happens."""


@pytest.fixture
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as one:
        one.execute("CREATE TABLE seen (line BIGINT)")
        yield one


def staged(
    con: duckdb.DuckDBPyConnection, windows: Iterator[Window], reader: type[Reader]
) -> list[tuple[int, int, int]]:
    """Of each window the line, how many units are staged, and how many lines are left."""

    def begin() -> Hand:
        cursor = con.cursor()
        return Hand(cursor, reader(cursor))

    return [(one.last_line, found.units, found.irregular.num_rows) for one, found in staged_in_order(windows, begin)]


def seen(con: duckdb.DuckDBPyConnection) -> list[int]:
    return [line for (line,) in con.execute("SELECT line FROM seen ORDER BY rowid").fetchall()]


def test_two_windows_are_worked_on_at_once(con: duckdb.DuckDBPyConnection) -> None:
    both = Barrier(HANDS)

    class Together(Reader):
        def before(self, _line: int) -> None:
            both.wait(PATIENCE_S)

    assert staged(con, map(window, range(1, 5)), Together) == [(line, 1, 0) for line in range(1, 5)]


def test_rows_stay_in_the_order_of_the_file_whoever_is_done_first(con: duckdb.DuckDBPyConnection) -> None:
    second_is_done = Event()

    class FirstIsLast(Reader):
        def before(self, line: int) -> None:
            if line == 1:
                assert second_is_done.wait(PATIENCE_S)

        def stage(self, lines: pa.Table) -> Staged:
            found = super().stage(lines)
            second_is_done.set()
            return found

    staged(con, map(window, range(1, 7)), FirstIsLast)
    assert seen(con) == [1, 2, 3, 4, 5, 6]


def test_a_window_that_sql_stumbles_over_is_left_as_a_whole_and_no_other(con: duckdb.DuckDBPyConnection) -> None:
    class StumblesOverTwo(Reader):
        def stage(self, lines: pa.Table) -> Staged:
            found = super().stage(lines)
            if lines["line"][0].as_py() == 2:
                self.con.execute("SELECT error('as wanted')").fetchall()
            return found

    assert staged(con, map(window, range(1, 5)), StumblesOverTwo) == [(1, 1, 0), (2, 0, 1), (3, 1, 0), (4, 1, 0)]
    assert seen(con) == [1, 3, 4]


def test_a_window_that_cannot_be_committed_is_left_as_a_whole_and_no_other(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE TABLE once (number INTEGER PRIMARY KEY)")
    both = Barrier(HANDS)

    class BothTheSame(Reader):
        def stage(self, lines: pa.Table) -> Staged:
            self.con.execute("INSERT INTO once VALUES (1)").fetchall()
            both.wait(PATIENCE_S)
            return super().stage(lines)

    assert staged(con, map(window, (1, 2)), BothTheSame) == [(1, 1, 0), (2, 0, 1)]
    assert seen(con) == [1]


def test_what_stands_before_a_damage_is_staged_before_it_is_told(con: duckdb.DuckDBPyConnection) -> None:
    def damaged() -> Iterator[Window]:
        yield from map(window, (1, 2, 3))
        raise zlib.error("as wanted")

    with pytest.raises(zlib.error, match="as wanted"):
        staged(con, damaged(), Reader)
    assert seen(con) == [1, 2, 3]


def test_another_fault_ends_the_file_and_no_thread_is_left(con: duckdb.DuckDBPyConnection) -> None:
    class Breaks(Reader):
        def before(self, line: int) -> None:
            if line == 2:
                raise LookupError("as wanted")

    with pytest.raises(LookupError, match="as wanted"):
        staged(con, map(window, range(1, 9)), Breaks)
    assert seen(con)[:1] == [1]
