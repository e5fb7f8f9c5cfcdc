"""The same file read both ways: set by set, and record by record. Whatever differs is a fault of the first."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from ingest.bulk import native, reading
from ingest.bulk.format import Staged
from ingest.bulk.reading import in_bulk
from ingest.bulk.stage import BulkStage
from ingest.discover import Found
from ingest.load import ingest
from ingest.reading import examined, parse
from ingest.registry import named
from ingest.report import IngestReport
from ingest.source import Source
from ingest.source_stage import SourceStage
from ingest.staging import RECORD_TABLES, Staging, staged_in
from tests.ingest.loaded import as_text, assert_accounted, everything

# Numbers of the staging alone; units may have gaps.
_STAGING = {"unit", "guessed", "counted"}
_NEVER = 1 << 62


@dataclass(frozen=True)
class Ways:
    """How many records went which way, and why the others were left to the record path."""

    set_based: int
    reasons: Counter[str]

    @property
    def left(self) -> int:
        return self.reasons.total()


def ways(seen: list[Staged]) -> Ways:
    reasons = Counter(reason for staged in seen for reason in staged.irregular.column("reason").to_pylist())
    return Ways(sum(staged.units for staged in seen), reasons)


@contextmanager
def bulk_from(size: int) -> Iterator[list[Staged]]:
    """Files of that size are read set by set; what becomes of their windows. Even one odd line is looked at again."""
    seen: list[Staged] = []
    note = BulkStage.note

    def noted(self: BulkStage, staged: Staged) -> None:
        seen.append(staged)
        note(self, staged)

    with (
        patch.object(reading, "SMALLEST_BYTES", size),
        patch.object(native, "WORTH_LEARNING", 1),
        patch.object(BulkStage, "note", noted),
    ):
        yield seen


def same_stores(folder: Path, *steps: tuple[Path, ...] | Path, **options: Any) -> Ways:
    """The files, one ingest a step, give the same stores and reports both ways."""
    reports: dict[str, list[IngestReport]] = {}
    contents: dict[str, dict[str, list[str]]] = {}
    found = Ways(0, Counter())
    for way, size in (("records", _NEVER), ("sets", 0)):
        store = folder / f"{way}.duckdb"
        with bulk_from(size) as seen:
            arguments = [[str(path) for path in (step if isinstance(step, tuple) else (step,))] for step in steps]
            reports[way] = [ingest(paths, store, **options) for paths in arguments]
        contents[way] = everything(store)
        found = ways(seen)
        for report in reports[way]:
            assert_accounted(report)
    assert list(map(_counts, reports["sets"])) == list(map(_counts, reports["records"]))
    # The records before what is derived from them, and their order last: a fault shows where it is.
    for name in RECORD_TABLES:
        _assert_same(name, _unordered(contents["sets"][name]), _unordered(contents["records"][name]))
    for name, rows in contents["records"].items():
        _assert_same(name, contents["sets"][name], rows)
    return found


def _counts(report: IngestReport) -> list[Any]:
    return [(file.status, file.counts, file.skipped_because, file.reason) for file in report.files]


def same_rows(path: Path, adapter: str = "faultlens") -> Ways:
    """The file gives the same staged rows, rejections and skips both ways. Much faster than two stores."""
    with staged_in(None) as staging, bulk_from(0) as seen:
        sets = _staged(path, adapter, staging, in_sets=True)
    with staged_in(None) as staging:
        records = _staged(path, adapter, staging, in_sets=False)
    for name in sets:
        _assert_same(name, sets[name], records[name])
    return ways(seen)


def _staged(path: Path, adapter: str, staging: Staging, *, in_sets: bool) -> dict[str, list[str]]:
    file = examined(Found(Source(path, path.name, path.name), named=True), named(adapter))
    assert file.adapter is not None
    stage = (BulkStage if in_sets else SourceStage)(staging, file.file_ids, None)
    chosen = file.adapter
    if isinstance(stage, BulkStage):
        chosen = in_bulk(file.adapter, reading.formats()[adapter], stage)
    parse(file, chosen, stage)
    staging.flush()
    told = (file.report.counts, file.skips, file.rejections, stage.units, sorted(stage.runs))
    return {"counts": [str(told)], **{table: _rows(staging, table) for table in RECORD_TABLES}}


def _rows(staging: Staging, table: str) -> list[str]:
    """In the order of their units: children in their own order, the others by what they are."""
    found = staging.con.execute(f"SELECT * FROM {table} ORDER BY unit NULLS LAST, rowid")
    names = [column[0] for column in found.description or ()]
    rows = [as_text(dict(zip(names, row, strict=True)), _STAGING) for row in found.fetchall()]
    return rows if table in {"context_items", "recovery_steps"} else sorted(rows)


def _unordered(rows: list[str]) -> list[str]:
    return sorted(json.dumps({key: value for key, value in json.loads(row).items() if key != "seq"}) for row in rows)


def _assert_same(table: str, found: list[str], wanted: list[str]) -> None:
    if found == wanted:
        return
    more = sorted((Counter(found) - Counter(wanted)).elements(), key=_place)
    less = sorted((Counter(wanted) - Counter(found)).elements(), key=_place)
    pairs = itertools.zip_longest(more, less)
    told = "\n".join(_difference(*pair) for pair in pairs) or "the same in another order"
    raise AssertionError(f"{table}, set by set and record by record:\n{told[:4000]}")


def _place(row: str) -> tuple[Any, ...]:
    told = json.loads(row) if row.startswith("{") else {}
    return told.get("line") or 0, told.get("position") or 0, row


def _difference(found: str | None, wanted: str | None) -> str:
    if found is None or wanted is None or not found.startswith("{"):
        return f"{found} / {wanted}"
    told, right = json.loads(found), json.loads(wanted)
    changed = {key: (told[key], right[key]) for key in told if told[key] != right[key]}
    return f"line {told.get('line')}: {changed}"
