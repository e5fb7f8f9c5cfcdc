"""A big file read set by set, where its format has a bulk reader; every other line goes to the adapter as ever."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from heapq import merge

import pyarrow as pa

import ingest.bulk
from ingest.adapter import Adapter, Item
from ingest.bulk.format import BulkFormat
from ingest.bulk.hands import Hand, staged_in_order
from ingest.bulk.stage import BulkStage
from ingest.bulk.windows import windows
from ingest.json_text import UTF16_MARKS, Line, line_of
from ingest.source import Source, text_size

# Below it a set costs more than its lines: so many bytes of text.
SMALLEST_BYTES = 3_000_000


@cache
def formats() -> dict[str, BulkFormat]:
    """Every `BULK` in this package, by the name of its adapter."""
    names = sorted(module.name for module in pkgutil.iter_modules(ingest.bulk.__path__))
    modules = [importlib.import_module(f"ingest.bulk.{name}") for name in names]
    found = (module.BULK for module in modules if hasattr(module, "BULK"))
    return {bulk.adapter: bulk for bulk in found}


def format_for(adapter: Adapter, source: Source) -> BulkFormat | None:
    """The format to read the source with, None where it is small, or has no set-based reader."""
    # What a small file has no use for is not even imported.
    if source.companions or text_size(source.path) < SMALLEST_BYTES:
        return None
    bulk = formats().get(adapter.name)
    if bulk is None:
        return None
    if source.head.sample.startswith(UTF16_MARKS) or not bulk.suits(source.head):
        return None
    return bulk


def in_bulk(adapter: Adapter, bulk: BulkFormat, stage: BulkStage) -> Adapter:
    """The adapter, staging what is regular on its way and giving items of the other lines only."""

    def read(source: Source) -> Iterator[Item]:
        for item in bulk.items(_irregular_lines(source, bulk, stage)):
            yield from stage.skipped()
            yield item
        yield from stage.skipped()

    return replace(adapter, read=read)


def _irregular_lines(source: Source, bulk: BulkFormat, stage: BulkStage) -> Iterator[Line]:
    bulk.prepare(stage.con)
    with source.open() as stream:
        for window, staged in staged_in_order(windows(stream), lambda: Hand.of(bulk, stage.file())):
            stage.reserve(window.last_line)
            stage.note(staged)
            yield from merge(window.odd, _lines(staged.irregular), key=lambda line: line.number)


def _lines(irregular: pa.Table) -> Iterator[Line]:
    if "before" not in irregular.column_names:
        irregular = irregular.append_column("before", pa.repeat(0, irregular.num_rows))
    ordered = irregular.sort_by([("line", "ascending"), ("before", "ascending")])
    for batch in ordered.to_batches(max_chunksize=1_000):
        columns = (batch.column(name).to_pylist() for name in ("text", "line", "offset_bytes", "before"))
        for text, number, offset, before in zip(*columns, strict=True):
            yield from (line._replace(before=before) for line in line_of(text.encode(), number, offset))
