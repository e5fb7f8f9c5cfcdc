"""The columns and rows of a Parquet file, with Arrow's reader."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

# Rows held as Python values at once: a row may carry whole conversations.
ROWS_AT_ONCE = 2_048
FAULTS = (pa.ArrowException, OSError)


def columns_in(stream: BinaryIO) -> tuple[str, ...]:
    """The names of the columns; raises one of `FAULTS` for what is no readable table."""
    return tuple(pq.ParquetFile(stream).schema_arrow.names)


def rows_in(stream: BinaryIO) -> Iterator[dict[str, Any]]:
    """Every row as plain values, a batch of them in memory at once; raises one of `FAULTS` where it is damaged."""
    for batch in pq.ParquetFile(stream).iter_batches(batch_size=ROWS_AT_ONCE):
        columns = {name: _values(batch.column(index)) for index, name in enumerate(batch.schema.names)}
        for cells in zip(*columns.values(), strict=True):
            yield dict(zip(columns, cells, strict=True))


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
