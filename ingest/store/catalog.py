"""One file as one catalog of a DuckDB connection."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import duckdb

from ingest.store.errors import HANDLE_CONFLICT, duckdb_refusal, os_refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

# Files of this version are readable by the DuckDB people have and by the lake extra.
STORAGE_VERSION = "v1.5.0"

# Any other error of DuckDB is a mistake in our SQL, and no reason to distrust the file.
_OF_THE_FILE = (duckdb.IOException, duckdb.SerializationException, duckdb.InternalException)


_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}


def memory_connection() -> duckdb.DuckDBPyConnection:
    """Return an in-memory connection that loads nothing from the network and thinks in UTC.

    What has no room in memory goes into a folder of its own among the temporary files: DuckDB would take `.tmp` in the
    working folder, the same for every process that is started there. It makes the folder when needed, and removes it.
    """
    spilled = Path(tempfile.gettempdir()) / f"faultlens-spilled-{uuid4().hex}"
    con = duckdb.connect(config={**_CONFIG, "temp_directory": str(spilled)})
    con.execute("SET GLOBAL TimeZone = 'UTC'")
    return con


def signatures_are_checked() -> None:
    """What this process loaded of extensions was checked once; later connections need not: it costs each 0.3 s."""
    _CONFIG["allow_unsigned_extensions"] = True


def attach_memory(con: duckdb.DuckDBPyConnection, alias: str) -> None:
    """Attach an empty catalog that lives in memory."""
    con.execute(f"ATTACH ':memory:' AS {alias}")


def attach_read_only(con: duckdb.DuckDBPyConnection, path: Path, alias: str) -> None:
    """Attach a file for reading, or say why it cannot be."""
    with refusals(path):
        _require_readable(path)
        con.execute(f"ATTACH {quoted(path)} AS {alias} (READ_ONLY)")


def attach_writable(con: duckdb.DuckDBPyConnection, path: Path, alias: str) -> None:
    """Attach a file for writing, made when it is missing."""
    con.execute(f"ATTACH {quoted(path)} AS {alias} (STORAGE_VERSION '{STORAGE_VERSION}')")


def detach(con: duckdb.DuckDBPyConnection, alias: str) -> None:
    """Let go of a catalog; nothing happens when it is not attached."""
    with suppress(duckdb.Error):
        con.execute(f"DETACH DATABASE IF EXISTS {alias}")


def quoted(path: Path) -> str:
    """Return the path as an SQL string."""
    return "'" + str(path).replace("'", "''") + "'"


@contextmanager
def refusals(store: Path) -> Iterator[None]:
    """Turn whatever the disk or DuckDB refuses into one line about this store."""
    try:
        yield
    except OSError as cause:
        raise os_refusal(store, cause) from cause
    except duckdb.Error as cause:
        if isinstance(cause, _OF_THE_FILE) or HANDLE_CONFLICT in str(cause):
            raise duckdb_refusal(store, cause) from cause
        raise


def _require_readable(path: Path) -> None:
    # DuckDB calls a file that it may not read one that does not exist.
    if path.exists() and not os.access(path, os.R_OK):
        raise PermissionError(13, "permission denied")
