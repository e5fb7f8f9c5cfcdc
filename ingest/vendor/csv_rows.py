"""CSV as exporters write it: every cell is text, every row has its line, nothing is inferred."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator

from ingest.adapter import Place, Rejected
from ingest.json_text import UTF8_MARK, UTF16_MARKS, decoded_leniently
from ingest.source import Head, Source
from ingest.vendor.json_values import Unit

# One cell may hold a whole prompt; the module's own limit is 128 KiB.
csv.field_size_limit(2**31 - 1)
_HEADER = re.compile(r"^[\w .\"'/:()\[\]-]+(?:[,;\t][\w .\"'/:()\[\]-]*)+$")
_NOT_UTF8 = re.compile("[\udc80-\udcff]")
_GUARDED = re.compile(r'="(.*)"', re.DOTALL)


def header(head: Head) -> tuple[str, ...]:
    """The column names where the first line looks like a header of names, else nothing."""
    first = head.text.lstrip("\ufeff").split("\n", 1)[0].rstrip("\r")
    if not _HEADER.match(first):
        return ()
    try:
        return tuple(name.strip() for name in next(csv.reader([first], delimiter=_delimiter(first))))
    except (csv.Error, StopIteration):
        return ()


def rows(source: Source) -> Iterator[Unit | Rejected]:
    """Every row as an object of its cells; empty cells are absent. A row of another width is refused."""
    text = _text(source.data())
    delimiter = _delimiter(text.split("\n", 1)[0])
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    names: list[str] = []
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield Rejected(Place(line), "not_csv", str(error))
            continue
        if not names:
            names = [name.strip() for name in cells]
        elif cells:
            yield _row(names, cells, Place(line), delimiter.join(cells)[:2_000])


def _row(names: list[str], cells: list[str], place: Place, raw: str) -> Unit | Rejected:
    if _NOT_UTF8.search(raw):
        clean = _NOT_UTF8.sub("\ufffd", raw)
        return Rejected(place, "not_utf8", "the row has bytes that are not UTF-8", clean)
    if len(cells) != len(names):
        message = f"the row has {len(cells)} cells, the header {len(names)}"
        return Rejected(place, "column_count", message, raw)
    return Unit({name: bare(cell) for name, cell in zip(names, cells, strict=True) if cell != ""}, place, raw)


def bare(cell: str) -> str:
    """The cell without the `="…"` that some exporters wrap around text so that spreadsheets leave it alone."""
    guarded = _GUARDED.fullmatch(cell)
    return guarded[1].replace('""', '"') if guarded else cell


def _delimiter(first: str) -> str:
    return max((",", ";", "\t"), key=first.count)


def _text(data: bytes) -> str:
    if data.startswith(UTF16_MARKS):
        return decoded_leniently(data)
    return data.removeprefix(UTF8_MARK).decode("utf-8", errors="surrogateescape")
