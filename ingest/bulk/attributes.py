"""What a record has besides its columns, as the record path keeps it: Python reads and writes it, nothing else does.

DuckDB prints numbers and sorts keys in other ways; so it asks this function, for the lines that have attributes.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import duckdb
import pyarrow as pa
from duckdb.func import FunctionNullHandling, PythonUDFType

from ingest.identity import sorted_text
from ingest.json_text import Decoded, decode
from ingest.rows import as_json

FUNCTION = "bulk_attributes"
_KEPT = pa.struct([("kept", pa.string()), ("sorted", pa.string())])


def register(con: duckdb.DuckDBPyConnection) -> None:
    """SQL has `bulk_attributes(given, others)`: of two JSON objects, either of which may be NULL.

    The result is a struct of the text that is `kept` and the `sorted` one that the id is made of, both NULL where there
    is nothing; as a whole it is NULL where the record path would have something to say about the objects.
    """
    with suppress(duckdb.Error):
        con.remove_function(FUNCTION)
    con.create_function(
        FUNCTION, _attributes, ["VARCHAR", "VARCHAR"], duckdb.struct_type({"kept": "VARCHAR", "sorted": "VARCHAR"}),
        type=PythonUDFType.ARROW, null_handling=FunctionNullHandling.SPECIAL,
    )  # fmt: skip


def _attributes(given: pa.ChunkedArray, others: pa.ChunkedArray) -> pa.Array:
    pairs = zip(given.to_pylist(), others.to_pylist(), strict=True)
    return pa.array([_texts(*pair) for pair in pairs], _KEPT)


def _texts(given: str | None, others: str | None) -> dict[str, str | None] | None:
    if given is None and others is None:
        return {"kept": None, "sorted": None}
    objects = [_object(text) for text in (given, others) if text is not None]
    if None in objects:
        return None
    value: dict[str, Any] = {key: item for found in objects if found for key, item in found.items()}
    try:
        return {"kept": as_json(value), "sorted": sorted_text(value) or None}
    except RecursionError:
        return None


def _object(text: str) -> dict[str, Any] | None:
    decoded = decode(text)
    if not isinstance(decoded, Decoded) or decoded.flags or not isinstance(decoded.value, dict):
        return None
    return decoded.value
