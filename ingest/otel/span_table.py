"""Rows of a Parquet table as plain values; a column of another kind never becomes a guess.

Arrow is loaded once such a file is met: who asks which formats there are does not wait for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ingest.adapter import Unreadable
from ingest.source import PARQUET_MAGIC, Head, Source


def column_names(head: Head) -> tuple[str, ...]:
    """The columns of a Parquet file; none for a file that is no readable one."""
    if not head.sample.startswith(PARQUET_MAGIC):
        return ()
    from ingest.otel.parquet_rows import FAULTS, columns_in  # noqa: PLC0415

    try:
        with head.source.open() as stream:
            return columns_in(stream)
    except FAULTS:
        return ()


def rows(source: Source) -> Iterator[tuple[int, dict[str, Any]]]:
    """Every row with its number from 1."""
    from ingest.otel.parquet_rows import FAULTS, rows_in  # noqa: PLC0415

    try:
        with source.open() as stream:
            yield from enumerate(rows_in(stream), start=1)
    except FAULTS as error:
        raise Unreadable("damaged_table", f"the Parquet file cannot be read: {error}") from None
