"""Every error of a lake that a person may meet, as one line without a password: what, where, what to do."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

import duckdb

from ingest.store.errors import StoreCorrupt, StoreLocked, StoreTooNew, StoreUnusable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ingest.store.lake_url import LakeAddress

_LONGEST = 200
# Mistakes in our SQL, and values that it cannot take: their texts may quote what a trace says.
_OURS = (
    duckdb.ConversionException,
    duckdb.ConstraintException,
    duckdb.OutOfRangeException,
    duckdb.ParserException,
    duckdb.TypeMismatchException,
)


class LakeChanged(StoreLocked):
    """What was read or written is no longer as it was when this began."""


class LakeUnreachable(StoreUnusable):
    """PostgreSQL does not answer."""


@contextmanager
def lake_refusals(address: LakeAddress) -> Iterator[None]:
    """Turn whatever DuckDB, PostgreSQL or an object store refuses into one line about this lake."""
    try:
        yield
    except duckdb.Error as cause:
        refusal = None if isinstance(cause, _OURS) else lake_refusal(address, cause)
        if refusal is None:
            raise
        # The cause may hold the password: nothing may print it.
        raise refusal from None


def lake_refusal(address: LakeAddress, cause: Exception) -> StoreUnusable | None:
    """What to say of this error; None where it is a mistake in our SQL, and no reason to distrust the lake."""
    text = str(cause).replace(address.conninfo, address.shown)
    for kind, signs, advice in _REFUSALS:
        if any(sign in text for sign in signs):
            return kind(f"store {address.shown}: {_reason(address, text)}: {advice}")
    if text != str(cause) or address.masked(text) != text:
        return StoreCorrupt(f"store {address.shown}: {_reason(address, text)}: {_ASK}")
    return None


def _reason(address: LakeAddress, text: str) -> str:
    """The last thing that was said, which is the nearest to the cause."""
    said = " ".join(address.masked(text).split())
    for mark in ("FATAL: ", "ERROR: ", " failed: ", "Error: "):
        said = said.rpartition(mark)[2] or said
    said = re.sub(r"\s*(Is the server running|This probably means|LINE 1:|\. Consider increasing).*", "", said)
    return said[:_LONGEST].strip(" :.") or "no reason given"


_ASK = "ask whoever keeps this store"
_NO_PLACE = (
    "the first call names the place of its files: data_path=… in the URL, FAULTLENS_DATA_PATH or `data_path` in "
    "faultlens.toml, a folder or s3://bucket/folder"
)
_OBJECT_STORE = "check the bucket, and AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION, AWS_ENDPOINT_URL"
_FILES = "files of this store are not where they were: try again, or check that its folder is mounted here"
_REFUSALS: tuple[tuple[type[StoreUnusable], tuple[str, ...], str], ...] = (
    (
        StoreUnusable,
        ("password authentication failed", "no password supplied", "authentication failed", "pg_hba.conf"),
        "check user and password (password=…, PGPASSWORD or a .pgpass file)",
    ),
    (StoreUnusable, ('FATAL:  role "',), "check user=…"),
    (StoreUnusable, ('FATAL:  database "',), "create it first (createdb), or check dbname=…"),
    (StoreLocked, ("too many clients", "remaining connection slots"), "try again, or let PostgreSQL take more of them"),
    (StoreLocked, ("lock timeout",), "try again when the other writer is done"),
    (
        LakeUnreachable,
        (
            "Connection refused", "could not translate host name", "timeout expired", "Is the server running",
            "server closed the connection", "no connection to the server", "terminating connection",
            "the database system is", "Connection reset", "SSL SYSCALL", "could not receive data",
            "connection is closed", 'Failed to execute query "ROLLBACK"', "Network is unreachable", "No route to host",
        ),
        "check that PostgreSQL runs there and can be reached",
    ),
    (StoreUnusable, ("data_path is not set",), _NO_PLACE),
    (StoreUnusable, ("does not match existing data path",), "leave data_path out: the store knows where its files are"),
    (StoreTooNew, ("catalog version mismatch", "Only DuckLake version"), "upgrade faultlens"),
    (StoreUnusable, ("permission denied for",), "ask for the right to write there"),
    (
        LakeChanged,
        ("Transaction conflict", "Exceeded the maximum retry count", "No snapshot found"),
        "somebody else wrote at the same time: try again",
    ),
    (
        StoreUnusable,
        ("HTTP", "S3 ", "InvalidAccessKeyId", "NoSuchBucket", "Could not establish connection"),
        _OBJECT_STORE,
    ),
    (StoreUnusable, ("Permission denied", "Read-only file system"), "ask for the right to write among its files"),
    (StoreUnusable, ("No space left", "Could not write"), "free some space and try again"),
    (
        LakeChanged,
        ("No such file or directory", "Cannot open file", "No files found", "Could not read from file"),
        _FILES,
    ),
)  # fmt: skip
