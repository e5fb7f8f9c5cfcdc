"""One store into another, whatever their kinds: records, what is derived from them, and what people wrote.

Afterwards both are read again and compared table by table: the number of rows, and for every column and for whole rows
a sum of digests that no order of rows changes.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ingest.store.catalog import memory_connection
from ingest.store.errors import FaultlensError, StoreMissing
from ingest.store.hub import process_hub
from ingest.store.migrate import main_migrations, people_migrations

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    import duckdb

    from ingest.store.lease import Lease
    from ingest.store.publish import Publication
    from ingest.store.url import AnyStore

    Progress = Callable[[str], None]
    Publish = Callable[[duckdb.DuckDBPyConnection], AbstractContextManager[Publication]]

BATCH_ROWS = 50_000
# It says when the store itself was made.
_NOT_COPIED = frozenset({"schema_version"})
# Filled by migrations, in every store alike.
_SIGNS_OF_USE = ("source_files", "run_records", "runs", "forgotten_runs")


class TargetInUse(FaultlensError):
    """The target holds something already."""


@dataclass(frozen=True, slots=True)
class TableCopy:
    """A table in both stores: its rows there, and the columns in which they differ."""

    table: str
    rows: int
    rows_in_target: int
    differing: tuple[str, ...]

    @property
    def is_equal(self) -> bool:
        """Whether the target has the same rows."""
        return self.rows == self.rows_in_target and not self.differing


def copy(source: AnyStore, target: AnyStore, *, replace: bool, progress: Progress | None = None) -> list[TableCopy]:
    """The target holds what the source holds; the answer says of each table whether it does."""
    if source.url == target.url:
        raise TargetInUse(f"store {target.url} is both source and target: name another one with --to")
    with source.lease() as lease:
        if lease.as_of is None:
            raise StoreMissing(f"store {source.url} does not exist: there is nothing to copy")
        if not replace:
            _require_unused(target)
        for tables, publish in _halves(target):
            _write(lease, tables, publish, progress)
        with target.lease() as written:
            return [_compared(lease, written, table) for tables, _ in _halves(target) for table in tables]


def _halves(target: AnyStore) -> Iterator[tuple[list[str], Publish]]:
    """The tables of the records and those of people, with what publishes to each."""
    yield _tables(process_hub().empty(main_migrations())), target.publication
    yield _tables(process_hub().empty(people_migrations())), target.people_publication


def _tables(empty: str) -> list[str]:
    with process_hub().cursor() as cursor:
        cursor.execute("SELECT table_name FROM duckdb_tables() WHERE database_name = ? ORDER BY 1", [empty])
        return [name for (name,) in cursor.fetchall() if name not in _NOT_COPIED]


def _require_unused(target: AnyStore) -> None:
    people = _tables(process_hub().empty(people_migrations()))
    with target.lease() as lease:
        used = [table for table in (*_SIGNS_OF_USE, *people) if lease.rows(f"SELECT 1 FROM {table} LIMIT 1")]  # noqa: S608 - our names
    if used:
        raise TargetInUse(
            f"store {target.url} is not empty ({', '.join(used)}): name another one, or replace what it holds "
            "with --replace",
        )


def _write(lease: Lease, tables: list[str], publish: Publish, progress: Progress | None) -> None:
    with memory_connection() as con, publish(con) as draft:
        into = draft.cursor()
        for table in tables:
            with closing(lease.cursor()) as rows:
                _write_table(rows, into, table)
            if progress:
                progress(table)


def _write_table(rows: duckdb.DuckDBPyConnection, into: duckdb.DuckDBPyConnection, table: str) -> None:
    columns = _columns(rows, table)
    order = ", ".join(name for name in ("run_id", "seq") if name in columns)
    # Runs lie together, so that one is found without reading the others.
    found = rows.sql(f"SELECT * FROM {table}{f' ORDER BY {order}' if order else ''}")  # noqa: S608 - our names
    into.execute(f"DELETE FROM {table}").fetchall()  # noqa: S608
    into.register("rows_copied", found.to_arrow_reader(BATCH_ROWS))
    names = ", ".join(f'"{name}"' for name in columns)
    into.execute(f"INSERT INTO {table} ({names}) SELECT {names} FROM rows_copied").fetchall()  # noqa: S608
    into.unregister("rows_copied")


def _columns(cursor: duckdb.DuckDBPyConnection, table: str) -> list[str]:
    return [row[0] for row in cursor.execute(f"DESCRIBE {table}").fetchall()]


def _compared(source: Lease, target: Lease, table: str) -> TableCopy:
    with closing(source.cursor()) as cursor:
        columns = _columns(cursor, table)
    here, there = (_digests(lease, table, columns) for lease in (source, target))
    names = ("the rows", *columns)
    differing = tuple(name for name, a, b in zip(names, here[1:], there[1:], strict=True) if a != b)
    return TableCopy(table, here[0], there[0], differing)


def _digests(lease: Lease, table: str, columns: list[str]) -> list[int]:
    """The number of rows, a digest of all rows, and one of every column."""
    quoted = [f'"{name}"' for name in columns]
    row = ", ".join(f"{name}::VARCHAR" for name in quoted)
    digests = [f"sum(hash({value})) AS d{place}" for place, value in enumerate((f"[{row}]", *quoted))]
    (found,) = lease.rows(f"SELECT count(*) AS n, {', '.join(digests)} FROM {table}")  # noqa: S608 - our names
    return list(found.values())
