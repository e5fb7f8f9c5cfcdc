"""A schema is a row of numbered files, each applied once."""

import sys
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

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
from ingest.store.migrate import keep_pattern


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


def everything_in(con: duckdb.DuckDBPyConnection, catalog: str) -> list[object]:
    """Columns with types and defaults, views, constraints, and the rows, of reference tables; not when they came."""
    asked = (
        "SELECT table_name, column_index, column_name, data_type, is_nullable, column_default FROM duckdb_columns()",
        "SELECT view_name, sql FROM duckdb_views()",
        "SELECT table_name, constraint_type, constraint_text FROM duckdb_constraints()",
        "SELECT index_name, sql FROM duckdb_indexes()",
    )
    schema = [con.execute(f"{text} WHERE database_name = ? ORDER BY ALL", [catalog]).fetchall() for text in asked]
    of_catalog = "SELECT table_name FROM duckdb_tables() WHERE database_name = ? ORDER BY 1"
    names = [name for (name,) in con.execute(of_catalog, [catalog]).fetchall() if name != "schema_version"]
    rows = {name: con.execute(f"FROM {catalog}.main.{name}").fetchall() for name in names}
    return [*schema, rows, con.execute(f"SELECT version, name FROM {catalog}.main.schema_version").fetchall()]


@pytest.mark.parametrize("schema_of", [main_migrations, people_migrations])
@pytest.mark.parametrize("in_file", [False, True])
def test_what_is_made_by_the_pattern_is_what_every_step_makes(
    con: duckdb.DuckDBPyConnection, catalog: str, path: Path, schema_of: Callable[[], Migrations], *, in_file: bool
) -> None:
    assert migrate(con, catalog, schema_of())
    keep_pattern(con, schema_of())
    con.execute(f"ATTACH '{path if in_file else ':memory:'}' AS made (STORAGE_VERSION 'v1.5.0')")
    with patch.object(sys.modules[migrate.__module__], "_apply") as step_by_step:
        assert migrate(con, "made", schema_of())
    step_by_step.assert_not_called()
    assert everything_in(con, "made") == everything_in(con, catalog)
    assert con.execute("SELECT count(*) FROM made.schema_version WHERE applied_at IS NULL").fetchall() == [(0,)]
    assert not migrate(con, "made", schema_of())


def test_a_pattern_of_other_steps_and_a_catalog_with_tables_are_left_alone(
    con: duckdb.DuckDBPyConnection, catalog: str, schema: Migrations, folder: Path
) -> None:
    keep_pattern(con, schema)
    (folder / "0002_third.sql").write_text("CREATE TABLE third (i INTEGER);")
    longer = migrations_in(folder)
    assert migrate(con, catalog, longer)
    assert con.execute("SELECT version FROM fresh.schema_version").fetchall() == [(1,), (2,)]
    con.execute("ATTACH ':memory:' AS older")
    migrate(con, "older", schema)
    keep_pattern(con, longer)
    con.execute("INSERT INTO older.first_half VALUES ('w', 1)")
    assert migrate(con, "older", longer)
    assert con.execute("SELECT n FROM older.first_half").fetchall() == [(1,)]
    assert everything_in(con, "older")[0] == everything_in(con, catalog)[0]
