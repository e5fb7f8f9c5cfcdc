"""A catalogue of what is current: CSV with the columns `item` and `revision`, perhaps `valid_from` and `workload`.

It belongs to no run. A step that does not record its `current` set has the newest revision that the catalogue
gives for the step's time.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator

from ingest.adapter import Adapter, Item, Parsed, Place, Rejected
from ingest.json_text import Line, lines
from ingest.records import CatalogueItem
from ingest.source import Head, Source
from ingest.times import utc_time

_NAMES = {"item": "item", "item_id": "item", "revision": "revision", "valid_from": "valid_from", "workload": "workload"}
_NEEDED = frozenset({"item", "revision"})
_DELIMITERS = (",", ";", "\t")


def recognise(head: Head) -> bool:
    """The first line names item and revision, and nothing that a catalogue does not have."""
    first = next((line for line in head.text.splitlines() if line.strip()), "")
    return _header(first) is not None


def read(source: Source) -> Iterator[Item]:
    """Every row as an item of the catalogue, or the reason why not."""
    with source.open() as stream:
        found = lines(stream)
        first = next(found, None)
        header = _header(first.text) if first else None
        if first is None or header is None:
            yield Rejected(Place(1, 0), "no_header", "the first line must name the columns item and revision")
            return
        delimiter, columns = header
        for line in found:
            yield _item(line, delimiter, columns)


def _header(text: str) -> tuple[str, tuple[str, ...]] | None:
    """The delimiter and the columns in order; None where the line is no header of a catalogue."""
    for delimiter in _DELIMITERS:
        names = [_NAMES.get(name.strip().casefold()) for name in _cells(text, delimiter)]
        columns = tuple(name for name in names if name is not None)
        if len(columns) == len(names) == len(set(columns)) and set(columns) >= _NEEDED:
            return delimiter, columns
    return None


def _cells(text: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([text], delimiter=delimiter), [])
    except csv.Error:  # a cell longer than the reader takes
        return []


def _item(line: Line, delimiter: str, columns: tuple[str, ...]) -> Item:
    place = Place(line.number, line.offset)
    if line.fault:
        return Rejected(place, line.fault.reason, line.fault.message, line.text)
    cells = [cell.strip() for cell in _cells(line.text, delimiter)]
    if len(cells) != len(columns):
        return Rejected(place, "wrong_columns", f"{len(columns)} cells are wanted, not {len(cells)}", line.text)
    row = dict(zip(columns, cells, strict=True))
    if not row["item"]:
        return Rejected(place, "missing_item", "a row needs an item", line.text)
    valid_from, flags = utc_time(row.get("valid_from"))
    if row.get("valid_from") and valid_from is None:
        return Rejected(place, "bad_valid_from", f"no time can be read from {row['valid_from'][:60]!r}", line.text)
    item = CatalogueItem(
        item_id=row["item"],
        revision=row["revision"] or None,
        valid_from=valid_from,
        workload=row.get("workload") or None,
        flags=flags,
    )
    return Parsed(place, (item,))


ADAPTER = Adapter(
    name="catalogue",
    version=1,
    title="Catalogue of current items (CSV: item, revision, perhaps valid_from and workload)",
    recognised_by="a header of `item` and `revision`, and nothing but `valid_from` and `workload` beside them",
    yields=("current revisions of context items",),
    recognise=recognise,
    read=read,
    record_is="row",
)
