"""Rows of a Parquet table as plain values; a column of another kind never becomes a guess."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ingest.adapter import Unreadable
from ingest.source import PARQUET_MAGIC, Head, Source

# Rows held as Python values at once: a row may carry whole conversations.
ROWS_AT_ONCE = 2_048


def column_names(head: Head) -> tuple[str, ...]:
    """The columns of a Parquet file; none for a file that is no readable one."""
    if not head.sample.startswith(PARQUET_MAGIC):
        return ()
    try:
        with head.source.open() as stream:
            return tuple(pq.ParquetFile(stream).schema_arrow.names)
    except (pa.ArrowException, OSError):
        return ()


def rows(source: Source) -> Iterator[tuple[int, dict[str, Any]]]:
    """Every row with its number from 1."""
    try:
        with source.open() as stream:
            number = 0
            for batch in pq.ParquetFile(stream).iter_batches(batch_size=ROWS_AT_ONCE):
                columns = {name: _values(batch.column(index)) for index, name in enumerate(batch.schema.names)}
                for cells in zip(*columns.values(), strict=True):
                    number += 1
                    yield number, dict(zip(columns, cells, strict=True))
    except (pa.ArrowException, OSError) as error:
        raise Unreadable("damaged_table", f"the Parquet file cannot be read: {error}") from None


def _values(column: Any) -> list[Any]:
    """The column's cells; times as times of whole microseconds, which is what is kept of them.

    Finer ones would be pandas' own, and no value at all in a process without it.
    """
    kept = _in_microseconds(column.type)
    return list((column if kept == column.type else column.cast(kept, safe=False)).to_pylist())


def _in_microseconds(kind: pa.DataType) -> pa.DataType:
    """The type with the times in it, however deep, in microseconds."""
    if pa.types.is_timestamp(kind):
        return pa.timestamp("us", tz=kind.tz)
    if pa.types.is_duration(kind):
        return pa.duration("us")
    if pa.types.is_time64(kind):
        return pa.time64("us")
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_in_microseconds(field.type)) for field in kind])
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_in_microseconds(kind.value_type)))
    return kind
