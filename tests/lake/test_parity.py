"""A lake and a file hold the same after the same ingest, and every named query gives the same bytes of answer."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ingest.load import ingest
from ingest.store import Lease
from ingest.store.attach import Store
from ingest.store.copying import _compared, _halves, copy
from ingest.store.lake import LakeStore
from queries import catalogue, export
from queries.reader import Query
from tests.lake.cluster import Cluster

SAMPLES = Path(__file__).parents[2] / "sample_traces"
# When a file was ingested, and by whom it was judged, are of the ingest, not of the records.
OF_THE_INGEST = {"source_files": ("ingested_at",)}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with Store(tmp_path_factory.mktemp("samples") / "samples.duckdb") as store:
        assert ingest([str(SAMPLES)], store).runs > 1_000
        yield store


@pytest.fixture(scope="module")
def ingested(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LakeStore]:
    with LakeStore(cluster.lake("parity_ingested", tmp_path_factory.mktemp("ingested"))) as store:
        ingest([str(SAMPLES)], store)
        yield store
    cluster.drop("parity_ingested")


@pytest.fixture(scope="module")
def copied(file: Store, cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LakeStore]:
    with LakeStore(cluster.lake("parity_copied", tmp_path_factory.mktemp("copied"))) as store:
        assert [table.table for table in copy(file, store, replace=False) if not table.is_equal] == []
        yield store
    cluster.drop("parity_copied")


def test_an_ingest_of_all_samples_leaves_the_same_tables(file: Store, ingested: LakeStore) -> None:
    with file.lease() as here, ingested.lease() as there:
        tables = [_compared(here, there, table) for names, _ in _halves(file) for table in names]
    differing = {table.table: table.differing for table in tables if not table.is_equal}
    assert {name: columns for name, columns in differing.items() if name not in OF_THE_INGEST} == {}
    assert set(differing.get("source_files", ())) <= {"the rows", "ingested_at"}


def test_a_second_ingest_of_all_samples_stores_nothing_and_makes_no_snapshot(ingested: LakeStore) -> None:
    with ingested.lease() as lease:
        before = lease.generation
    report = ingest([str(SAMPLES)], ingested)
    assert report.totals.stored == 0
    with ingested.lease() as lease:
        assert lease.generation == before


@pytest.mark.parametrize("name", sorted(catalogue.queries()))
def test_a_named_query_gives_the_same_bytes(file: Store, copied: LakeStore, name: str) -> None:
    query = catalogue.named(name)
    with file.lease() as here, copied.lease() as there:
        for given in _calls(query, here):
            assert _bytes(query, there, given) == _bytes(query, here, given), given


def _calls(query: Query, lease: Lease) -> Iterator[dict[str, str]]:
    """Without parameters, with a workload and a window; or for the runs that have most to tell."""
    needed = [name for name, parameter in query.parameters.items() if parameter.default is inspect.Parameter.empty]
    if not needed:
        yield {}
        (busiest,) = lease.rows("SELECT workload FROM runs GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1")
        window = {"workload": busiest["workload"], "since": "2026-01-01", "until": "2026-11-29"}
        yield {name: value for name, value in window.items() if name in query.parameters}
        return
    rows = lease.rows("SELECT run_id FROM runs ORDER BY errors + recoveries + least(spans, 50) DESC, run_id LIMIT 8")
    runs = [row["run_id"] for row in rows]
    for run, other in zip(runs, runs[1:] + runs[:1], strict=True):
        names = iter((run, other))
        yield {name: next(names) if "run" in name else "1" for name in needed}


def _bytes(query: Query, lease: Lease, given: dict[str, str]) -> bytes:
    """The answer as it leaves; of a sum of shares the last digits depend on the order in which they are added up."""
    answer = query.ask(lease, given)
    rows = json.loads(export.as_json(answer, query.row), parse_float=lambda text: f"{float(text):.12g}")
    return json.dumps([rows, dict(answer.left_out)]).encode()


def test_a_copy_back_into_a_file_is_the_file(file: Store, copied: LakeStore, tmp_path: Path) -> None:
    with closing(Store(tmp_path / "back.duckdb")) as back:
        assert [table for table in copy(copied, back, replace=False) if not table.is_equal] == []
        with file.lease() as here, back.lease() as there:
            tables = [_compared(here, there, table) for names, _ in _halves(file) for table in names]
    assert [table for table in tables if not table.is_equal] == []
