"""A source on its way to the store: measured, recognised and parsed, with every item of it accounted for."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic_core import PydanticSerializationError

from ingest import registry
from ingest.adapter import Adapter, Item, Parsed, Rejected, Skipped, Unreadable, items_of
from ingest.discover import Found
from ingest.report import FileReport
from ingest.source import Source, sha256
from ingest.source_stage import SourceStage
from ingest.store.errors import FaultlensError
from ingest.store.masking import masked

RAW_CHARACTERS = 2_000
_OBJECTS = 500_000


class EmptyFile(FaultlensError):
    """The file has no bytes."""


@dataclass
class File:
    """A source on its way: what is known of it before and after it was parsed."""

    source: Source
    report: FileReport
    file_ids: dict[str | None, str] = field(default_factory=dict)
    sizes: dict[str | None, int] = field(default_factory=dict)
    adapter: Adapter | None = None
    stage: SourceStage | None = None
    rejections: list[tuple[Any, ...]] = field(default_factory=list)
    skips: list[tuple[Any, ...]] = field(default_factory=list)
    grown_from: list[str] = field(default_factory=list)
    loaded_before: bool = False

    @property
    def file_id(self) -> str:
        """The digest of the main file's bytes."""
        return self.file_ids[None]

    @property
    def in_store(self) -> bool:
        """It leaves a row in source_files: loaded, or refused and worth a look, unless an earlier reading loaded it."""
        refused = self.report.status == "refused" and bool(self.file_ids) and not self.loaded_before
        return self.report.status == "loaded" or refused


def examined(found: Found, adapter: Adapter | None) -> File:
    """The file measured and recognised, or why it will not be read; the adapter may have been asked for."""
    source = found.source
    report = FileReport(source.shown, named=found.named, companions=tuple(str(path) for path in source.companions))
    file = File(source, report)
    try:
        _measure(file)
        file.adapter = adapter or _recognised(file)
    except (FaultlensError, OSError, EOFError) as refusal:
        turn_away(file, str(refusal).removeprefix(f"{report.path}: "))
        return file
    report.format = file.adapter.name
    return file


def _measure(file: File) -> None:
    parts: dict[str | None, Path] = {None: file.source.path}
    parts |= {file.source.part(path): path for path in file.source.companions}
    for part, path in parts.items():
        file.sizes[part] = path.stat().st_size
        file.file_ids[part] = sha256(path) if part else file.source.digest


def _recognised(file: File) -> Adapter:
    if not file.source.head.sample and not file.source.companions:
        raise EmptyFile(f"{file.source.shown}: file is empty")
    return registry.recognise(file.source)


def turn_away(file: File, reason: str) -> None:
    """A named file is refused, one found in a folder is ignored."""
    file.report.status = "refused" if file.report.named else "ignored"
    file.report.reason = reason


def parse(file: File, adapter: Adapter, stage: SourceStage) -> None:
    """Every item of the file is staged or noted; what the file says of itself is not yet compared to the store."""
    file.stage = stage
    try:
        with few_collections():
            for item in items_of(adapter, file.source):
                _take(file, stage, item)
    except Unreadable as refusal:
        turn_away(file, f"{refusal.reason}: {refusal}")
    file.report.counts.records += stage.set_based_units
    stage.finish()


@contextmanager
def few_collections() -> Iterator[None]:
    """Records come and go by the million, hardly any of them in a circle: to look for circles seldom saves a tenth.

    The setting is the whole process's, so that only the main thread changes it, and puts it back.
    """
    before = gc.get_threshold()
    if threading.current_thread() is not threading.main_thread() or not 0 < before[0] < _OBJECTS:
        yield
        return
    gc.set_threshold(_OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _take(file: File, stage: SourceStage, item: Item) -> None:
    if isinstance(item, Parsed):
        try:
            stage.add(item)
            file.report.counts.records += 1
        except (RecursionError, PydanticSerializationError):
            _reject(file, Rejected(item.place, "too_deep", "the record is nested deeper than can be kept"))
    elif isinstance(item, Rejected):
        _reject(file, item)
    else:
        _skip(file, item)


def _reject(file: File, item: Rejected) -> None:
    file.report.counts.records += 1
    file.report.counts.rejected += 1
    place, message, raw = item.place, masked(item.message[:RAW_CHARACTERS]), masked(item.raw[:RAW_CHARACTERS])
    file_id = file.file_ids[place.part]
    file.rejections.append((file_id, place.part, place.line, place.offset, item.reason, message, raw))


def _skip(file: File, item: Skipped) -> None:
    file.report.counts.records += item.count
    file.report.counts.skipped += item.count
    because = file.report.skipped_because
    because[item.reason] = because.get(item.reason, 0) + item.count
    file.skips.append((file.file_ids[item.place.part], item.place.part, item.place.line, item.reason, item.count))
