"""The runtime's execution store, a DuckDB file: read from a private copy, its owner never disturbed.

The copy takes the write-ahead log along: without it the store of a crashed process shows no tables, and
opening the original in place could lock it or fold the log into it.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb

from ingest.adapter import Bundle, Unreadable
from ingest.source import Source

MAGIC = b"DUCK"
MAGIC_AT = 8
SUFFIXES = (".wal", ".lock")
_TABLES = frozenset({"runs", "events", "steps", "schema_contract", "tool_invocations", "run_checkpoints"})
# Table names stand as plain text in a store's catalogue or log. One of these is rare enough to look further.
_TELLING = b"schema_contract"
# The library version in the main header, after checksum, magic, storage version and flags.
_VERSION_AT, _VERSION_BYTES = 52, 32
_CHUNK = 1 << 20
_ROWS = 5_000
Row = dict[str, Any]


def is_duckdb(sample: bytes) -> bool:
    """The first bytes are those of a DuckDB file of any version."""
    return sample[MAGIC_AT : MAGIC_AT + len(MAGIC)] == MAGIC


def bundle(path: Path) -> Bundle | None:
    """A DuckDB file with the log and lock beside it, whichever of them was given."""
    main = path.with_name(path.name.removesuffix(path.suffix)) if path.suffix in SUFFIXES else path
    if not _is_duckdb_file(main):
        return None
    beside = (main.with_name(main.name + suffix) for suffix in SUFFIXES)
    return Bundle(main, tuple(companion for companion in beside if companion.is_file()))


def _is_duckdb_file(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return is_duckdb(file.read(MAGIC_AT + len(MAGIC)))
    except OSError:
        return False


def is_execution_store(source: Source) -> bool:
    """The DuckDB file holds the runtime's tables; one that names them and cannot be opened is claimed too."""
    try:
        if not _names_the_tables(source):
            return False
    except Unreadable:
        return False
    try:
        with opened(source) as store:
            return store.has_tables
    except Unreadable:
        return True


def _names_the_tables(source: Source) -> bool:
    """Looked for in the bytes first, so that other people's large stores are not copied to be looked at."""
    parts = [None, *(part for part in [_log(source)] if part is not None)]
    return any(_holds(source, part) for part in parts)


def _holds(source: Source, part: Path | None) -> bool:
    tail = b""
    for chunk in _chunks(source, part):
        if _TELLING in tail + chunk:
            return True
        tail = chunk[-len(_TELLING) :]
    return False


def _chunks(source: Source, part: Path | None) -> Iterator[bytes]:
    """The unpacked bytes; an archive that is cut or damaged makes the whole store unreadable."""
    try:
        with source.open(part) as stream:
            while chunk := stream.read(_CHUNK):
                yield chunk
    except Exception as error:  # every codec has errors of its own
        raise Unreadable("damaged_archive", f"{source.shown} cannot be unpacked: {error}") from error


def _log(source: Source) -> Path | None:
    """The write-ahead log: the companion, or the file beside it where nobody looked for companions."""
    named = next((path for path in source.companions if path.name.endswith(".wal")), None)
    beside = source.path.with_name(source.path.name + ".wal")
    return named or (beside if beside.is_file() else None)


class Store:
    """A fenced connection to the private copy."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, copy: Path, source: Source) -> None:
        self._connection = connection
        self._copy = copy
        self._source = source
        rows = self._rows("SELECT table_name FROM duckdb_tables() WHERE database_name = 'copy'")
        self.tables = frozenset(str(row["table_name"]) for row in rows)

    @property
    def has_tables(self) -> bool:
        """The runtime's own tables are all there."""
        return self.tables >= _TABLES

    def rows(self, table: str, order: str) -> Iterator[Row]:
        """Every row of a table in that order; nothing where an older schema has no such table."""
        if table in self.tables:
            yield from self._rows(f'SELECT * FROM copy.main."{table}" ORDER BY {order}')  # noqa: S608 - names of ours

    def counts(self, table: str) -> dict[tuple[str, str], int]:
        """How many rows of a table each (tenant, run) has."""
        if table not in self.tables:
            return {}
        sql = f'SELECT tenant_id, run_id, count(*) AS n FROM copy.main."{table}" GROUP BY ALL'  # noqa: S608
        return {(str(row["tenant_id"]), str(row["run_id"])): int(row["n"]) for row in self._rows(sql)}

    def _rows(self, sql: str) -> Iterator[Row]:
        """One cursor a query, since a connection answers one query at a time."""
        try:
            with self._connection.cursor() as cursor:
                cursor.execute(sql)
                names = [column[0] for column in cursor.description or ()]
                while rows := cursor.fetchmany(_ROWS):
                    yield from (dict(zip(names, row, strict=True)) for row in rows)
        except duckdb.Error as error:
            raise _unreadable(error, self._copy, self._source) from error


@contextmanager
def opened(source: Source) -> Iterator[Store]:
    """The store, readable for as long as the context lasts; the copy is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="faultlens-") as folder:
        copy = Path(folder) / "store.duckdb"
        _copied(source, None, copy)
        if log := _log(source):
            _copied(source, log, copy.with_name(copy.name + ".wal"))
        connection = _attached(copy, source)
        try:
            yield Store(connection, copy, source)
        finally:
            connection.close()


def _copied(source: Source, part: Path | None, target: Path) -> None:
    with target.open("wb") as file:
        for chunk in _chunks(source, part):
            file.write(chunk)


def _attached(copy: Path, source: Source) -> duckdb.DuckDBPyConnection:
    """In a memory connection that loads no extension and, once the copy is attached, opens no other file."""
    connection = duckdb.connect(
        ":memory:",
        config={
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "temp_directory": str(copy.parent / "spill"),
        },
    )
    try:
        connection.execute(f"ATTACH '{str(copy).replace(chr(39), chr(39) * 2)}' AS copy")
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
    except duckdb.Error as error:
        connection.close()
        raise _unreadable(error, copy, source) from error
    return connection


def _unreadable(error: duckdb.Error, copy: Path, source: Source) -> Unreadable:
    """Said without the path of the copy, which means nothing to anybody."""
    said = str(error).splitlines()[0].replace(str(copy), source.shown)
    writer = _written_by(copy)
    if "version number" in said or _is_newer(writer):
        message = f"{source.shown} was written by DuckDB {writer}; this is {duckdb.__version__}, which cannot read it"
        return Unreadable("newer_duckdb", f"{message} ({said})")
    message = f"{source.shown} is a DuckDB file (written by {writer or 'an unknown version'}) that cannot be read"
    return Unreadable("store_unreadable", f"{message}: {said}")


def _written_by(copy: Path) -> str | None:
    """The version of the library that wrote the file, as its header says."""
    with copy.open("rb") as file:
        header = file.read(_VERSION_AT + _VERSION_BYTES)
    named = header[_VERSION_AT:].split(b"\0")[0].decode("ascii", errors="replace")
    return named if re.fullmatch(r"v\d+\.\d+.*", named) else None


def _is_newer(writer: str | None) -> bool:
    def number(version: str) -> tuple[int, ...]:
        return tuple(int(part) for part in re.findall(r"\d+", version)[:3])

    return writer is not None and number(writer) > number(duckdb.__version__)
