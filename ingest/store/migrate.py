"""Numbered SQL files, and the table that remembers which of them a store has seen."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from hashlib import blake2s
from importlib.resources import files
from typing import TYPE_CHECKING

import duckdb

from ingest.store.errors import StoreCorrupt, StoreTooNew, StoreUnusable

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

_FILE_NAME = re.compile(r"(\d{4})_(\w+)\.sql")
VERSIONS_TABLE = "CREATE TABLE IF NOT EXISTS schema_version (version INTEGER, name VARCHAR, applied_at TIMESTAMPTZ)"


@dataclass(frozen=True)
class Migration:
    """One step of a schema."""

    version: int
    name: str
    sql: str


Migrations = tuple[Migration, ...]


@cache
def main_migrations() -> Migrations:
    """Return the schema of the main store."""
    return migrations_in(files("ingest.store") / "migrations")


@cache
def people_migrations() -> Migrations:
    """Return the schema of what people write."""
    return migrations_in(files("ingest.store") / "people_migrations")


def migrations_in(folder: Traversable) -> Migrations:
    """Return the folder's steps in order; a gap or a double number is refused."""
    found = sorted(
        (
            Migration(int(match[1]), match[2], entry.read_text(encoding="utf-8"))
            for entry in folder.iterdir()
            if (match := _FILE_NAME.fullmatch(entry.name))
        ),
        key=lambda migration: migration.version,
    )
    if [migration.version for migration in found] != list(range(1, len(found) + 1)):
        raise _misnumbered(folder)
    return tuple(found)


def newest(migrations: Migrations) -> int:
    """Return the version at which these steps end."""
    return migrations[-1].version if migrations else 0


def migrate(
    con: duckdb.DuckDBPyConnection,
    catalog: str,
    migrations: Migrations | None = None,
    *,
    schema: str = "main",
) -> bool:
    """Bring a schema of a catalog to the newest version; say whether that changed it."""
    steps = main_migrations() if migrations is None else migrations
    found = usable_version(con, catalog, steps, schema=schema)
    if found == 0 and schema == "main" and _made_by_pattern(con, catalog, steps):
        return True
    pending = [step for step in steps if step.version > found]
    for step in pending:
        _apply(con, f"{catalog}.{schema}", step)
    return bool(pending)


def keep_pattern(con: duckdb.DuckDBPyConnection, migrations: Migrations | None = None) -> None:
    """The connection has an empty catalog of this schema, after which new ones are made: step by step takes longer."""
    steps = main_migrations() if migrations is None else migrations
    with con.cursor() as cursor:
        cursor.execute(f"ATTACH ':memory:' AS {_pattern_of(steps)}")
    migrate(con, _pattern_of(steps), steps)


def usable_version(
    con: duckdb.DuckDBPyConnection,
    catalog: str,
    migrations: Migrations,
    where: object = None,
    *,
    schema: str = "main",
) -> int:
    """Return a schema's version, which this code knows; a newer one or a stranger's file is refused."""
    version = _version(con, catalog, schema)
    if version is None:
        raise _foreign(where or catalog)
    if version > newest(migrations):
        raise _newer(where or catalog, version, newest(migrations))
    return version


def _version(con: duckdb.DuckDBPyConnection, catalog: str, schema: str) -> int | None:
    """Return the version, 0 for an empty schema, None for tables that are not ours."""
    with con.cursor() as cursor:
        try:
            # The catalog is an alias of our own making, the schema one of two.
            cursor.execute(f"SELECT coalesce(max(version), 0) FROM {catalog}.{schema}.schema_version")  # noqa: S608
            return int(cursor.fetchall()[0][0])
        except duckdb.CatalogException:
            return None if _has_tables(cursor, catalog, schema) else 0


@cache
def _pattern_of(steps: Migrations) -> str:
    """What the pattern of these steps, and of no others, is called."""
    return f"pattern_{blake2s(repr(steps).encode(), digest_size=8).hexdigest()}"


def _made_by_pattern(con: duckdb.DuckDBPyConnection, catalog: str, steps: Migrations) -> bool:
    """Whether the catalog, in which there was nothing, could be made to be as its pattern."""
    pattern = _pattern_of(steps)
    with con.cursor() as cursor:
        if not (_is_ours(cursor, catalog) and _has_tables(cursor, pattern, "main")):
            return False
        if _has_tables(cursor, catalog, "main"):
            return False
        cursor.begin()
        # To copy the rows as well would take a statement for each table, of which hardly one has rows.
        cursor.execute(f"COPY FROM DATABASE {pattern} TO {catalog} (SCHEMA)").fetchall()
        for table in _with_rows(cursor, pattern):
            cursor.execute(f"INSERT INTO {catalog}.main.{table} FROM {pattern}.main.{table}").fetchall()
        cursor.execute(f"UPDATE {catalog}.main.schema_version SET applied_at = now()").fetchall()  # noqa: S608 - our own
        cursor.commit()
    return True


def _is_ours(cursor: duckdb.DuckDBPyConnection, catalog: str) -> bool:
    """Whether DuckDB itself keeps the catalog; a lake is made step by step, in what it knows of SQL."""
    cursor.execute("SELECT type FROM duckdb_databases() WHERE database_name = ?", [catalog])
    return cursor.fetchall() == [("duckdb",)]


def _with_rows(cursor: duckdb.DuckDBPyConnection, catalog: str) -> list[str]:
    cursor.execute(
        "SELECT table_name FROM duckdb_tables() WHERE database_name = ? AND estimated_size > 0 ORDER BY table_name",
        [catalog],
    )
    return [name for (name,) in cursor.fetchall()]


def _has_tables(cursor: duckdb.DuckDBPyConnection, catalog: str, schema: str) -> bool:
    cursor.execute(
        "SELECT 1 FROM duckdb_tables() WHERE database_name = ? AND schema_name = ? LIMIT 1",
        [catalog, schema],
    )
    return bool(cursor.fetchall())


def _apply(con: duckdb.DuckDBPyConnection, place: str, step: Migration) -> None:
    # A cursor of its own: neither the caller's transaction nor its search path may change.
    with con.cursor() as cursor:
        cursor.execute(f"SET search_path = '{place}'")
        cursor.begin()
        try:
            _run(cursor, step)
        except duckdb.Error as cause:
            cursor.rollback()
            raise _failed(place.removesuffix(".main"), step, cause) from cause
        cursor.commit()


def _run(cursor: duckdb.DuckDBPyConnection, step: Migration) -> None:
    cursor.execute(VERSIONS_TABLE).fetchall()
    cursor.execute(step.sql).fetchall()
    cursor.execute("INSERT INTO schema_version VALUES (?, ?, now())", [step.version, step.name]).fetchall()


def _misnumbered(folder: Traversable) -> StoreUnusable:
    return StoreUnusable(f"migrations in {folder} are not numbered 0001, 0002, …: reinstall faultlens")


def _foreign(where: object) -> StoreCorrupt:
    return StoreCorrupt(f"{where} is a DuckDB file of another program: name another store with --store")


def _newer(where: object, version: int, known: int) -> StoreTooNew:
    return StoreTooNew(
        f"store {where} has schema {version}, this faultlens knows up to {known}: upgrade faultlens",
    )


def _failed(catalog: str, step: Migration, cause: Exception) -> StoreUnusable:
    return StoreUnusable(f"store {catalog}: migration {step.version:04d}_{step.name} failed: {cause}")
