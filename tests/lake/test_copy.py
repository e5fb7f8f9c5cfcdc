"""A store copied into another kind of store is the same store, and a difference is told."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from ingest.load import ingest
from ingest.reviews import Review, write
from ingest.store import memory_connection
from ingest.store.attach import Store
from ingest.store.copying import TargetInUse, _compared, copy
from ingest.store.errors import StoreMissing
from ingest.store.lake import LakeStore
from tests.cli.command import faultlens
from tests.ingest.loaded import line


@pytest.fixture
def source(tmp_path: Path) -> Store:
    (tmp_path / "a.jsonl").write_bytes(
        line("run", "r", status="failed")
        + line("error_event", "r", error_code="E", details='a "quote", a\nline, a \x00 byte, an €')
        + b"not json\n"
    )
    store = Store(tmp_path / "source.duckdb")
    ingest([str(tmp_path / "a.jsonl")], store)
    write(store, [Review("faultlens:r", "comment", "Mara", {"comment": "look here"})])
    return store


def differing(source: Store | LakeStore, target: Store | LakeStore) -> list[str]:
    return [table.table for table in copy(source, target, replace=False) if not table.is_equal]


def test_a_file_into_a_lake_and_back_into_a_file(source: Store, lake: LakeStore, tmp_path: Path) -> None:
    assert differing(source, lake) == []
    with closing(Store(tmp_path / "back.duckdb")) as back:
        assert differing(lake, back) == []
        with back.lease() as lease:
            assert lease.rows("SELECT details FROM error_events")[0]["details"].count("\x00") == 1
            assert [row["author"] for row in lease.rows("SELECT author FROM reviews")] == ["Mara"]
            assert len(lease.rows("SELECT raw FROM rejections")) == 1
    # What was ingested before is known to the copy.
    assert ingest([str(tmp_path / "a.jsonl")], lake).totals.stored == 0


def test_a_target_that_holds_something_is_refused_unless_it_may_be_replaced(source: Store, lake: LakeStore) -> None:
    assert differing(source, lake) == []
    with pytest.raises(TargetInUse, match="--replace"):
        copy(source, lake, replace=False)
    assert all(table.is_equal for table in copy(source, lake, replace=True))


def test_a_difference_is_told_by_table_and_column(source: Store, lake: LakeStore) -> None:
    assert differing(source, lake) == []
    with memory_connection() as con, lake.publication(con) as draft:
        draft.cursor().execute("UPDATE error_events SET error_code = 'F'")
    with source.lease() as here, lake.lease() as there:
        assert _compared(here, there, "error_events").differing == ("the rows", "error_code")
        assert _compared(here, there, "runs").is_equal


def test_a_store_that_is_not_there_or_is_the_target_itself_is_refused(source: Store, tmp_path: Path) -> None:
    with closing(Store(tmp_path / "none.duckdb")) as none, pytest.raises(StoreMissing, match="nothing to copy"):
        copy(none, source, replace=True)
    with pytest.raises(TargetInUse, match="both source and target"):
        copy(source, Store(tmp_path / "source.duckdb"), replace=True)


def test_the_command_prints_a_line_a_table(source: Store, url: str, tmp_path: Path) -> None:
    done = faultlens("copy", "--store", "source.duckdb", "--to", url, folder=tmp_path)
    assert done.code == 0, done.err
    lines = {text.split()[0]: text.split()[1:] for text in done.text.splitlines()}
    assert lines["runs"] == ["1", "1", "equal"]
    assert lines["reviews"] == ["1", "1", "equal"]
    assert "are those of" in done.err
    again = faultlens("copy", "--store", "source.duckdb", "--to", url, folder=tmp_path)
    assert again.code == 2
    assert "--replace" in again.refusal
