"""Rows as table, JSON, CSV or Parquet: what leaves faultlens, with secrets masked and nothing that runs.

Text cells that a spreadsheet would take for a formula get a quote before them; numbers are never touched.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
import types
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import fields
from datetime import date, datetime, timedelta
from typing import Any, cast, get_args, get_type_hints

import pyarrow as pa
import pyarrow.parquet

from ingest.store.masking import masked
from queries.reader import Answer

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_WIDEST = 60
# What a terminal cell can show of a text, with room for escapes that are taken out.
_LOOKED_AT = 10_000
_ARROW: dict[Any, pa.DataType] = {
    bool: pa.bool_(),
    int: pa.int64(),
    float: pa.float64(),
    datetime: pa.timestamp("us", tz="UTC"),
    date: pa.date32(),
    timedelta: pa.duration("us"),
}
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\].*?(?:\x07|\x1b\\)|.)", re.DOTALL)


def columns(row: type[Any]) -> list[str]:
    """The names of an answer's columns."""
    return [field.name for field in fields(cast("Any", row))]


def records(answer: Answer[Any], row: type[Any]) -> list[dict[str, Any]]:
    """The rows as JSON-ready objects: times as ISO text in UTC, no NaN, secrets masked."""
    names = columns(row)
    return [{name: plain(getattr(item, name)) for name in names} for item in answer.rows]


def plain(value: Any) -> Any:  # noqa: PLR0911 - one return a type
    """A value as JSON knows it."""
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, datetime):
        return iso(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    return value


def iso(value: datetime) -> str:
    """A time in UTC, ending in Z."""
    return value.isoformat().replace("+00:00", "Z")


def as_json(answer: Answer[Any], row: type[Any]) -> str:
    """An array of objects."""
    return json.dumps(records(answer, row), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def as_csv(answer: Answer[Any], row: type[Any]) -> str:
    """Comma-separated, one header line."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = columns(row)
    writer.writerow(names)
    for item in records(answer, row):
        writer.writerow([cell(item[name]) for name in names])
    return text.getvalue()


def cell(value: Any) -> Any:
    """A CSV cell: absent is empty, lists are JSON, a text that looks like a formula is quoted."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | dict):
        value = json.dumps(value, ensure_ascii=False)
    if isinstance(value, str):
        text = value.replace("\x00", "\ufffd")
        return f"'{text}" if text.startswith(_FORMULA) else text
    return value


def as_parquet(answer: Answer[Any], row: type[Any]) -> bytes:
    """One Parquet file; times stay times."""
    names = columns(row)
    hints = get_type_hints(row)
    table = pa.table(
        {
            name: pa.array([_masked_cell(getattr(item, name)) for item in answer.rows], arrow_type(hints[name]))
            for name in names
        }
    )
    buffer = io.BytesIO()
    pa.parquet.write_table(table, buffer)
    return buffer.getvalue()


def arrow_type(annotation: Any) -> pa.DataType:
    """The column type of a row's field, the same whether there are rows or none; lists and objects are JSON text."""
    options = get_args(annotation) if isinstance(annotation, types.UnionType) else (annotation,)
    return next((_ARROW[option] for option in options if option in _ARROW), pa.string())


def _masked_cell(value: Any) -> Any:
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, dict | list | tuple):
        return json.dumps(plain(value), ensure_ascii=False)
    return value


def as_table(answer: Answer[Any], row: type[Any]) -> str:
    """Aligned columns for a terminal; control characters of the records are shown, not obeyed."""
    names = columns(row)
    body = [[shown(item[name]) for name in names] for item in records(answer, row)]
    widths = [max(_width(line[at]) for line in [names, *body]) for at in range(len(names))]
    lines = [_aligned(names, widths), "  ".join("─" * width for width in widths)]
    return "\n".join([*lines, *(_aligned(line, widths) for line in body)]) + "\n"


def shown(value: Any) -> str:
    """A table cell: absent is –, long text is cut."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = without_controls(text[:_LOOKED_AT])
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"


def without_controls(text: str) -> str:
    """The text without terminal escapes and with every other control character made visible."""
    text = _ESCAPES.sub("", text).replace("\n", "⏎").replace("\t", " ")
    return "".join(mark if unicodedata.category(mark) not in {"Cc", "Cf"} else "\ufffd" for mark in text)


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(mark) in "WF" else 1 for mark in text)


def _aligned(cells: Sequence[str], widths: Iterable[int]) -> str:
    return "  ".join(cell + " " * (width - _width(cell)) for cell, width in zip(cells, widths, strict=True)).rstrip()
