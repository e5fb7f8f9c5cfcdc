"""A table of a lake as Parquet: its files without what is deleted in them, and the rows that the catalogue holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from ingest.store import Lease, main_migrations, memory_connection, open_store
from queries.engines.lake import lake_relation
from queries.engines.relation import Relation, columns_of, place_of
from tests.ingest.loaded import error, line, loaded
from tests.lake.cluster import Cluster, programs, running

pytest.importorskip("duckdb_extension_ducklake", reason="of the extra faultlens[lake]")
pytestmark = pytest.mark.skipif(programs() is None, reason="there is no PostgreSQL here")

NAMES = {"run_id", "event_id", "seq", "error_code", "flags", "occurred_at", "failure_class", "category", "body"}


@pytest.fixture(scope="module")
def server() -> Iterator[Cluster]:
    with running() as cluster:
        yield cluster


@pytest.fixture
def lake(server: Cluster, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """A lake with two runs in it, and the errors of each."""
    url = server.lake(f"lake_{abs(hash(request.node.name))}", tmp_path / "what is here")
    grow(url, tmp_path, "a", 300)
    return url


def grow(url: str, folder: Path, run: str, errors: int) -> None:
    file = folder / f"{run}.jsonl"
    file.write_bytes(
        line("run", run, status="failed") + b"".join(error(f"E{n}", run_id=run, seq=n) for n in range(errors))
    )
    loaded(url, file)  # type: ignore[arg-type] # the URL of a store names it as a path does


def shrink(url: str, statement: str) -> None:
    with memory_connection() as con, open_store(url).publication(con) as draft:
        draft.cursor().execute(statement).fetchall()


@pytest.fixture
def leased() -> Iterator[Callable[[str], Lease]]:
    taken: list[Lease] = []

    def lease(url: str) -> Lease:
        taken.append(open_store(url).lease())
        return taken[-1]

    yield lease
    for each in taken:
        each.close()


def relation_of(lease: Lease, table: str) -> Relation:
    place = place_of(lease, table)
    assert place.kind == "ducklake"
    return lake_relation(lease, place, columns_of(lease, place, NAMES))


def assembled(relation: Relation) -> list[dict[str, Any]]:
    """The rows of a relation, put together as any engine would."""
    names = list(relation.columns)
    gone = set() if relation.deleted is None else {tuple(row.values()) for row in relation.deleted.to_pylist()}
    rows = [dict(zip(names, row, strict=True)) for row in relation.beside]
    for file in relation.files:
        stored = pyarrow.parquet.ParquetFile(file).read(columns=names).to_pylist()
        rows += [row for at, row in enumerate(stored) if (file.rpartition("/")[2], at) not in gone]
    return sorted(rows, key=repr)


def assert_whole(lease: Lease, table: str) -> Relation:
    """The relation has the rows that DuckDB reads, each once."""
    relation = relation_of(lease, table)
    listed = ", ".join(relation.columns)
    assert assembled(relation) == sorted(lease.rows(f"SELECT {listed} FROM {table}"), key=repr)
    return relation


def test_a_table_is_its_files(lake: str, leased: Callable[[str], Lease]) -> None:
    relation = assert_whole(leased(lake), "error_events")
    assert relation.files
    assert (relation.deleted, relation.beside) == (None, ())


def test_what_was_deleted_in_a_file_is_named_by_its_position(lake: str, leased: Callable[[str], Lease]) -> None:
    shrink(lake, "DELETE FROM error_events WHERE error_code IN ('E7', 'E8', 'E299')")
    relation = assert_whole(leased(lake), "error_events")
    assert relation.deleted is not None
    assert relation.deleted.num_rows == 3


def test_a_file_of_which_nothing_is_left_is_not_read(lake: str, leased: Callable[[str], Lease]) -> None:
    shrink(lake, "DELETE FROM error_events")
    assert assert_whole(leased(lake), "error_events") == Relation(
        relation_of(leased(lake), "error_events").columns, (), None, ()
    )


def test_rows_that_the_catalogue_holds_itself_come_along(lake: str, leased: Callable[[str], Lease]) -> None:
    # The only table whose few rows DuckLake keeps in PostgreSQL.
    relation = assert_whole(leased(lake), "schema_version")
    assert (relation.files, relation.deleted) == ((), None)
    assert len(relation.beside) == len(main_migrations())


def test_an_empty_table_is_no_rows(lake: str, leased: Callable[[str], Lease]) -> None:
    for table in ("waits", "reviews"):
        relation = assert_whole(leased(lake), table)
        assert (relation.files, relation.beside) == ((), ())
        assert relation.columns


def test_a_lease_sees_its_own_snapshot(lake: str, leased: Callable[[str], Lease], tmp_path: Path) -> None:
    before = leased(lake)
    rows = assembled(relation_of(before, "error_events"))
    grow(lake, tmp_path, "b", 5)
    shrink(lake, "DELETE FROM error_events WHERE error_code = 'E7'")
    assert assembled(assert_whole(before, "error_events")) == rows
    after = assert_whole(leased(lake), "error_events")
    assert len(assembled(after)) == len(rows) + 5 - 1


def test_a_lake_that_is_not_there_yet_has_its_tables(server: Cluster, tmp_path: Path) -> None:
    with closing(open_store(server.lake("nothing", tmp_path / "nothing"))) as store, store.lease() as lease:
        place = place_of(lease, "runs")
        assert lease.rows(f"SELECT count(*) AS rows FROM {place.name}") == [{"rows": 0}]
