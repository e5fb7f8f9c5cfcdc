"""A catalogue of current items: what is recognised, what is read, what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest.adapter import Parsed, Rejected, items_of
from ingest.adapters.catalogue import ADAPTER
from ingest.records import CatalogueItem
from ingest.source import Source

HEADERS = {
    "item,revision": True,
    "Item_ID, Revision ,valid_from": True,
    "item;revision;valid_from;workload": True,
    "item\trevision": True,
    '"item","revision"': True,
    "\ufeffitem,revision": True,
    "item": False,
    "item,revision,price": False,
    "item,item_id,revision": False,
    "revision,valid_from": False,
    '{"item": 1, "revision": 2}': False,
    "": False,
    "item,revision," + "x" * 140_000: False,
}


def source(folder: Path, text: str, encoding: str = "utf-8") -> Source:
    path = folder / "catalogue.csv"
    path.write_bytes(text.encode(encoding))
    return Source(path, str(path), path.name)


@pytest.mark.parametrize("header", HEADERS, ids=lambda header: header[:40] or "empty")
def test_it_is_recognised_by_its_header_alone(header: str, tmp_path: Path) -> None:
    assert ADAPTER.recognise(source(tmp_path, f"{header}\na,1\n").head) is HEADERS[header]


ROWS = {
    "a,1,2026-11-01T00:00:00Z": ("a", "1", "2026-11-01T00:00:00+00:00", ()),
    "a,1,2026-11-01": ("a", "1", "2026-11-01T00:00:00+00:00", ("naive_time",)),
    '"a, b",1,': ("a, b", "1", None, ()),
    "a,,": ("a", None, None, ()),
    "0012,007,": ("0012", "007", None, ()),
}


@pytest.mark.parametrize("row", ROWS)
def test_a_row_is_an_item_with_its_revision(row: str, tmp_path: Path) -> None:
    (found,) = items_of(ADAPTER, source(tmp_path, f"item,revision,valid_from\n{row}\n"))
    assert isinstance(found, Parsed)
    (item,) = found.records
    assert isinstance(item, CatalogueItem)
    valid_from = item.valid_from.isoformat() if item.valid_from else None
    assert (item.item_id, item.revision, valid_from, item.flags) == ROWS[row]


REFUSED = {
    ",1,": "missing_item",
    "a,1": "wrong_columns",
    "a,1,2026-11-01,x": "wrong_columns",
    "a,1,soon": "bad_valid_from",
}


@pytest.mark.parametrize("row", REFUSED)
def test_a_bad_row_is_refused_and_takes_no_other_with_it(row: str, tmp_path: Path) -> None:
    bad, good = items_of(ADAPTER, source(tmp_path, f"item,revision,valid_from\n{row}\nb,2,\n"))
    assert isinstance(bad, Rejected)
    assert (bad.reason, bad.place.line, bad.raw) == (REFUSED[row], 2, row)
    assert isinstance(good, Parsed)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_other_encodings_are_read(encoding: str, tmp_path: Path) -> None:
    (found,) = items_of(ADAPTER, source(tmp_path, "item,revision\nä,1\n", encoding))
    assert isinstance(found, Parsed)
    assert isinstance(found.records[0], CatalogueItem)
    assert found.records[0].item_id == "ä"
