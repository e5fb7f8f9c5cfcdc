"""A table of the store as Parquet: the rows that a statement needs, with their types."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

from ingest.store import Lease
from queries.engines.relation import columns_of, exported, listed, place_of


def copied(lease: Lease, table: str, wanted: set[str], folder: Path) -> pa.Table:
    place = place_of(lease, table)
    relation = exported(lease, place, columns_of(lease, place, wanted), folder / f"{table}.parquet")
    assert (relation.deleted, relation.beside) == (None, ())
    return pyarrow.parquet.ParquetFile(relation.files[0]).read()


@pytest.mark.parametrize("table", ["runs", "error_events", "source_files", "failure_profiles"])
def test_a_copy_has_the_rows_of_the_table(full_lease: Lease, table: str, tmp_path: Path) -> None:
    stored = full_lease.rows(f"SELECT count(*) AS rows FROM {table}")[0]["rows"]
    assert stored > 0
    assert copied(full_lease, table, set(), tmp_path).num_rows == stored


def test_a_copy_has_the_columns_that_are_named_and_no_other(full_lease: Lease, tmp_path: Path) -> None:
    names = {"run_id", "started_at", "flags", "attributes", "errors", "no_column", "coalesce"}
    schema = copied(full_lease, "runs", names, tmp_path).schema
    assert {field.name: field.type for field in schema} == {
        "run_id": pa.string(),
        "started_at": pa.timestamp("us", tz="UTC"),
        "errors": pa.int64(),
        "flags": pa.list_(pa.field("element", pa.string())),
        "attributes": pa.string(),
    }


def test_a_statement_that_only_counts_has_something_to_count(full_lease: Lease, tmp_path: Path) -> None:
    assert copied(full_lease, "runs", {"count"}, tmp_path).column_names == ["run_id"]


def test_an_empty_table_keeps_its_columns(empty_lease: Lease, tmp_path: Path) -> None:
    copy = copied(empty_lease, "error_events", {"run_id", "transient"}, tmp_path)
    assert (copy.num_rows, copy.schema.field("transient").type) == (0, pa.bool_())


@pytest.mark.file_store
def test_what_people_wrote_lies_in_a_catalogue_of_its_own(full_lease: Lease) -> None:
    records, people = place_of(full_lease, "runs"), place_of(full_lease, "reviews")
    assert records.kind == people.kind == "duckdb"
    assert records.catalog != people.catalog
    assert full_lease.rows(f"SELECT count(*) AS rows FROM {people.name}")


def test_json_is_listed_as_text() -> None:
    assert listed({"run_id": "VARCHAR", "body": "JSON"}) == '"run_id", CAST("body" AS VARCHAR) AS "body"'


def test_a_folder_with_a_quotation_mark_is_a_folder(full_lease: Lease, tmp_path: Path) -> None:
    folder = tmp_path / "it's"
    folder.mkdir()
    assert copied(full_lease, "runs", {"run_id"}, folder).num_rows
