"""A schema is a row of numbered files, each applied once."""

from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from ingest.store import (
    Migrations,
    StoreTooNew,
    StoreUnusable,
    main_migrations,
    migrate,
    migrations_in,
    people_migrations,
)


@pytest.fixture
def catalog(con: duckdb.DuckDBPyConnection) -> str:
    con.execute("ATTACH ':memory:' AS fresh")
    return "fresh"


def tables(con: duckdb.DuckDBPyConnection) -> set[tuple[str, str]]:
    return set(con.execute("SELECT database_name, table_name FROM duckdb_tables()").fetchall())


def test_a_fresh_catalog_gets_every_step_and_a_second_time_none(
    con: duckdb.DuckDBPyConnection,
    catalog: str,
    schema: Migrations,
) -> None:
    assert migrate(con, catalog, schema)
    assert not migrate(con, catalog, schema)
    assert tables(con) == {(catalog, "first_half"), (catalog, "second_half"), (catalog, "schema_version")}
    assert con.execute("SELECT version, name FROM fresh.schema_version").fetchall() == [(1, "two_tables")]


def test_a_step_that_fails_changes_nothing_and_is_named(
    con: duckdb.DuckDBPyConnection,
    catalog: str,
    folder: Path,
) -> None:
    (folder / "0002_broken.sql").write_text("CREATE TABLE half_done (i INTEGER); CREATE TABLE first_half (i INTEGER);")
    with pytest.raises(StoreUnusable, match="0002_broken failed"):
        migrate(con, catalog, migrations_in(folder))
    assert (catalog, "half_done") not in tables(con)
    assert con.execute("SELECT max(version) FROM fresh.schema_version").fetchall() == [(1,)]


def test_a_newer_catalog_is_refused(con: duckdb.DuckDBPyConnection, catalog: str, schema: Migrations) -> None:
    migrate(con, catalog, schema)
    con.execute("INSERT INTO fresh.schema_version VALUES (9, 'later', now())")
    with pytest.raises(StoreTooNew, match="schema 9"):
        migrate(con, catalog, schema)


def test_the_caller_keeps_its_search_path_and_transaction(
    con: duckdb.DuckDBPyConnection,
    catalog: str,
    schema: Migrations,
) -> None:
    con.execute("CREATE TABLE mine (i INTEGER)")
    con.begin()
    con.execute("INSERT INTO mine VALUES (1)")
    migrate(con, catalog, schema)
    con.rollback()
    assert con.execute("SELECT count(*) FROM mine").fetchall() == [(0,)]
    assert migrate(con, catalog, schema) is False


@pytest.mark.parametrize("name", ["0003_gap.sql", "0001_twice.sql"])
def test_a_gap_or_a_double_number_is_refused(folder: Path, name: str) -> None:
    (folder / name).write_text("SELECT 1;")
    with pytest.raises(StoreUnusable, match="not numbered"):
        migrations_in(folder)


def test_other_files_in_the_folder_are_no_steps(folder: Path) -> None:
    (folder / "README.md").write_text("")
    assert [step.name for step in migrations_in(folder)] == ["two_tables"]


@pytest.mark.parametrize("schema_of", [main_migrations, people_migrations])
def test_the_packaged_schemas_have_no_keys_and_no_indexes(
    con: duckdb.DuckDBPyConnection,
    catalog: str,
    schema_of: Callable[[], Migrations],
) -> None:
    assert migrate(con, catalog, schema_of())
    found = con.execute(
        "SELECT table_name, constraint_type FROM duckdb_constraints() WHERE constraint_type <> 'NOT NULL'"
        " UNION ALL SELECT table_name, 'INDEX' FROM duckdb_indexes()",
    )
    assert found.fetchall() == []
