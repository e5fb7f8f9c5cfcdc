"""A lake as a catalog of a DuckDB connection, and its catalogue in PostgreSQL."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ingest.store.catalog import detach
from ingest.store.lake_extensions import load

if TYPE_CHECKING:
    import duckdb

    from ingest.store.lake_url import LakeAddress

_TOLD = "catalogue_told"


def equip(con: duckdb.DuckDBPyConnection, address: LakeAddress) -> None:
    """The connection can read and write this lake."""
    load(con)
    if address.may_be_remote:
        _know_the_object_store(con)


def attach_snapshot(con: duckdb.DuckDBPyConnection, address: LakeAddress, alias: str, snapshot: int) -> None:
    """Attach one snapshot for reading."""
    con.execute(f"ATTACH {_target(address)} AS {alias} (READ_ONLY, SNAPSHOT_VERSION {snapshot})")


def attach_lake(con: duckdb.DuckDBPyConnection, address: LakeAddress, alias: str) -> None:
    """Attach the lake for writing, made when it is missing."""
    place = f" (DATA_PATH {_text(address.data_path)})" if address.data_path else ""
    con.execute(f"ATTACH {_target(address)} AS {alias}{place}")


def attach_postgres(con: duckdb.DuckDBPyConnection, address: LakeAddress, alias: str) -> None:
    """Attach the PostgreSQL database for reading, for what DuckLake itself does not say."""
    con.execute(f"ATTACH {_text(address.conninfo)} AS {alias} (TYPE postgres, READ_ONLY)")


def tell_postgres(con: duckdb.DuckDBPyConnection, address: LakeAddress, *statements: str) -> None:
    """PostgreSQL has done these statements, each in a transaction of its own."""
    con.execute(f"ATTACH {_text(address.conninfo)} AS {_TOLD} (TYPE postgres)")
    try:
        for statement in statements:
            con.execute("CALL postgres_execute(?, ?, use_transaction => false)", [_TOLD, statement]).fetchall()
    finally:
        detach(con, _TOLD)


def asked(cursor: duckdb.DuckDBPyConnection, alias: str, sql: str) -> list[tuple[object, ...]]:
    """What PostgreSQL answers; within a transaction of the cursor always over the same connection."""
    return cursor.execute("SELECT * FROM postgres_query(?, ?)", [alias, sql]).fetchall()


def _target(address: LakeAddress) -> str:
    return _text(f"ducklake:postgres:{address.conninfo}")


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _know_the_object_store(con: duckdb.DuckDBPyConnection) -> None:
    """What AWS_* says of the object store holds for this connection's database."""
    said = {
        "KEY_ID": os.environ.get("AWS_ACCESS_KEY_ID"),
        "SECRET": os.environ.get("AWS_SECRET_ACCESS_KEY"),
        "SESSION_TOKEN": os.environ.get("AWS_SESSION_TOKEN"),
        "REGION": os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION"),
    }
    endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
    options = [f"{name} {_text(value)}" for name, value in said.items() if value]
    if endpoint:
        parts = urlsplit(endpoint)
        # A store of one's own seldom has a name for every bucket.
        options += [f"ENDPOINT {_text(parts.netloc + parts.path.rstrip('/'))}", "URL_STYLE 'path'"]
        options += ["USE_SSL false"] if parts.scheme == "http" else []
    if options:
        con.execute(f"CREATE OR REPLACE SECRET object_store (TYPE s3, {', '.join(options)})")
