"""The extensions of DuckDB that a lake needs, out of their packages: nothing is fetched, nothing is copied."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.resources import as_file, files
from typing import TYPE_CHECKING

import duckdb

from ingest.store.catalog import memory_connection, signatures_are_checked
from ingest.store.errors import StoreUnusable

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ("ducklake", "postgres_scanner", "httpfs")


class ExtraMissing(StoreUnusable):
    """The packages of `faultlens[lake]` are not installed, or not those of this DuckDB."""


@cache
def check() -> None:
    """The extra is installed, and its extensions are as DuckDB's makers signed them."""
    with memory_connection() as con:
        load(con)
    signatures_are_checked()


def load(con: duckdb.DuckDBPyConnection) -> None:
    """The connection's database can read and write lakes."""
    for name in NAMES:
        path = str(_packaged(name)).replace("'", "''")
        try:
            con.execute(f"LOAD '{path}'")
        except duckdb.Error as cause:
            raise _unloadable(name, cause) from cause


def _packaged(name: str) -> Path:
    """The extension's file, as built for the DuckDB that runs."""
    try:
        import_module("pytz")  # DuckDB 1.5 needs it to give a time with a zone to Python
        package = files(import_module(f"duckdb_extension_{name}"))
    except ModuleNotFoundError:
        raise _missing() from None
    with as_file(package / "extensions" / f"v{duckdb.__version__}" / f"{name}.duckdb_extension") as path:
        if not path.exists():
            raise _missing()
        return path


def _missing() -> ExtraMissing:
    return ExtraMissing(
        "a shared store needs more than is installed: pip install 'faultlens[lake]' in an environment of its own "
        f"(it brings DuckDB 1.5; here is {duckdb.__version__})",
    )


def _unloadable(name: str, cause: Exception) -> ExtraMissing:
    return ExtraMissing(
        f"the extension {name} of DuckDB {duckdb.__version__} cannot be loaded ({str(cause)[:200]}): "
        "install 'faultlens[lake]' again",
    )
