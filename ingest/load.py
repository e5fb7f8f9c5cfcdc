"""Files into the store: find, recognise, parse outside the lock, merge and publish once.

Idempotent: the same bytes store nothing, a grown file adds only what is new, and a bad record never
takes a good one with it.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
from pydantic_core import PydanticSerializationError

from ingest import merge, registry
from ingest.adapter import Adapter, Parsed, Rejected, Skipped, Unreadable, items_of
from ingest.discover import Found, Missing, found_in
from ingest.report import Counts, FileReport, IngestReport
from ingest.source import Source, sha256, sha256_of_first
from ingest.source_stage import SourceStage
from ingest.staging import RECORD_TABLES, Staging, insert, units_between
from ingest.store.errors import FaultlensError
from ingest.store.masking import masked
from ingest.store.url import AnyStore, open_store

RAW_CHARACTERS = 2_000
Progress = Callable[[str, int], None]


class NothingThere(FaultlensError):
    """None of the given paths exists."""


@dataclass
class _File:
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
        return self.file_ids[None]

    @property
    def in_store(self) -> bool:
        """It leaves a row in source_files: loaded, or refused and worth a look, unless an earlier reading loaded it."""
        refused = self.report.status == "refused" and bool(self.file_ids) and not self.loaded_before
        return self.report.status == "loaded" or refused


def ingest(
    arguments: Sequence[str],
    store: AnyStore | str | Path,
    *,
    format: str | None = None,  # noqa: A002 - the option's own name
    mapping: Path | None = None,
    workload: str | None = None,
    shown: Mapping[str, str] | None = None,
    progress: Progress | None = None,
    wanted: Callable[[Source], bool] | None = None,
) -> IngestReport:
    """The files of the arguments are in the store; the report accounts for every record of theirs.

    `shown` gives the name that people know a path by, where the file lies elsewhere for now, such as an upload.
    `wanted` tells which of the sources found are worth a look: `watch` passes over those that did not change.
    """
    began = time.monotonic()
    opened = open_store(store) if isinstance(store, str | Path) else store
    adapter = _chosen(format, mapping)
    staging = Staging()
    try:
        with tempfile.TemporaryDirectory(prefix="faultlens-") as scratch:
            found = _present(list(found_in(arguments, Path(scratch), workload)))
            found = [source for source in found if isinstance(source, Missing) or not wanted or wanted(source.source)]
            found = [_renamed(candidate, shown or {}) for candidate in found]
            files = list(_staged(found, _Known.of(opened), staging, adapter, progress))
            staging.flush()
            report = IngestReport(opened.url, [file.report for file in files])
            runs = set().union(*(file.stage.runs for file in files if file.stage))
            if any(file.in_store for file in files):
                _publish(opened, staging, files)
                runs = merge.as_identified(staging, runs)
            report.runs = len(runs)
    finally:
        staging.close()
        if opened is not store:
            # Else its newest generation stays attached to the process, one more with every ingest.
            opened.close()
    report.seconds = time.monotonic() - began
    return report


def _renamed(candidate: Found | Missing, shown: Mapping[str, str]) -> Found | Missing:
    name = None if isinstance(candidate, Missing) else shown.get(candidate.source.shown)
    if isinstance(candidate, Missing) or name is None:
        return candidate
    return replace(candidate, source=replace(candidate.source, shown=name, below=name))


def _chosen(name: str | None, mapping: Path | None) -> Adapter | None:
    """The adapter that was asked for; None where the content decides."""
    if mapping is not None:
        return registry.by_mapping(mapping)
    return registry.named(name) if name else None


def _present(found: list[Found | Missing]) -> list[Found | Missing]:
    """The candidates, unless there is none: then the call was wrong."""
    missing = [candidate.path for candidate in found if isinstance(candidate, Missing)]
    if missing and len(missing) == len(found):
        raise NothingThere(f"no such file or folder: {', '.join(missing)}")
    return found


def _staged(
    found: Iterable[Found | Missing],
    known: _Known,
    staging: Staging,
    adapter: Adapter | None,
    progress: Progress | None,
) -> Iterator[_File]:
    """Every file recognised and parsed into the staging tables."""
    for candidate in found:
        if isinstance(candidate, Missing):
            yield _missing(candidate)
            continue
        file = _examined(candidate, known, adapter)
        if file.report.status == "loaded":
            _parse(file, staging)
        if file.report.status == "loaded":
            known.now_holds(file)
        if progress:
            progress(candidate.source.shown, sum(file.sizes.values()))
        yield file


def _missing(missing: Missing) -> _File:
    report = FileReport(missing.path, status="refused", reason="not_found", named=True)
    return _File(Source(Path(missing.path), missing.path, missing.path), report)


@dataclass
class _Known:
    """What the store already holds, by the digest of the bytes and by path."""

    files: dict[str, dict[str, Any]]

    @classmethod
    def of(cls, store: AnyStore) -> _Known:
        with store.lease() as lease:
            rows = lease.rows(
                "SELECT file_id, path, format, adapter_version, bytes, records, stored, duplicates, rejected, skipped,"
                " superseded_by FROM source_files WHERE status IN ('loaded', 'superseded')"
            )
        return cls({row["file_id"]: row for row in rows})

    def holds(self, file: _File, adapter: Adapter) -> bool:
        """Every file of the bundle was read before, by this version of this adapter."""
        rows = [self.files.get(file_id) for file_id in file.file_ids.values()]
        return all(
            row is not None and (row["format"], row["adapter_version"]) == (adapter.name, adapter.version)
            for row in rows
        )

    def now_holds(self, file: _File) -> None:
        """Two equal files in one ingest are read once."""
        for part, file_id in file.file_ids.items():
            counts = file.report.counts if part is None else Counts()
            self.files[file_id] = {
                "path": file.report.path, "format": file.report.format,
                "adapter_version": file.adapter.version if file.adapter else None,
                "bytes": file.sizes[part], "superseded_by": None, "records": counts.records, "stored": 0,
                "duplicates": counts.records - counts.rejected - counts.skipped,
                "rejected": counts.rejected, "skipped": counts.skipped,
            }  # fmt: skip

    def shorter_versions(self, file: _File) -> list[str]:
        """The older versions of the same file: same path, and its bytes are the beginning of today's."""
        size = file.sizes[None]
        return [
            file_id
            for file_id, row in self.files.items()
            if row["path"] == file.report.path
            and row["superseded_by"] is None
            and row["bytes"] < size
            and sha256_of_first(file.source.path, row["bytes"]) == file_id
        ]


def _examined(found: Found, known: _Known, adapter: Adapter | None) -> _File:
    """The file hashed and recognised, or why it will not be read."""
    source = found.source
    report = FileReport(source.shown, named=found.named, companions=tuple(str(path) for path in source.companions))
    file = _File(source, report)
    try:
        _measure(file)
        file.loaded_before = file.file_id in known.files
        file.adapter = adapter or _recognised(file)
    except (FaultlensError, OSError, EOFError) as refusal:
        _turn_away(file, refusal)
        return file
    report.format = file.adapter.name
    if known.holds(file, file.adapter):
        report.status = "unchanged"
        report.counts = _as_counted_before(file, known)
    else:
        file.grown_from = known.shorter_versions(file)
    return file


def _measure(file: _File) -> None:
    parts: dict[str | None, Path] = {None: file.source.path}
    parts |= {file.source.part(path): path for path in file.source.companions}
    for part, path in parts.items():
        file.sizes[part] = path.stat().st_size
        file.file_ids[part] = sha256(path)


class EmptyFile(FaultlensError):
    """The file has no bytes."""


def _recognised(file: _File) -> Adapter:
    if not file.source.head.sample and not file.source.companions:
        raise EmptyFile(f"{file.source.shown}: file is empty")
    return registry.recognise(file.source)


def _turn_away(file: _File, refusal: Exception) -> None:
    """A named file is refused, one found in a folder is ignored."""
    file.report.status = "refused" if file.report.named else "ignored"
    file.report.reason = str(refusal).removeprefix(f"{file.report.path}: ")


def _as_counted_before(file: _File, known: _Known) -> Counts:
    counts = Counts()
    for file_id in file.file_ids.values():
        row = known.files[file_id]
        counts.add(Counts(0, row["records"], 0, row["stored"] + row["duplicates"], row["rejected"], row["skipped"]))
    return counts


def _parse(file: _File, staging: Staging) -> None:
    """Every item of the file is staged or noted; what the file says of itself is not yet compared to the store."""
    assert file.adapter is not None  # noqa: S101 - only recognised files are parsed
    file.stage = SourceStage(staging, file.file_ids, file.source.workload)
    staging.paths |= dict.fromkeys(file.file_ids.values(), file.report.path)
    try:
        for item in items_of(file.adapter, file.source):
            _take(file, item)
    except Unreadable as refusal:
        file.report.status = "refused" if file.report.named else "ignored"
        file.report.reason = f"{refusal.reason}: {refusal}"
    file.stage.finish()


def _take(file: _File, item: Parsed | Rejected | Skipped) -> None:
    counts = file.report.counts
    assert file.stage is not None  # noqa: S101 - set before the first item
    if isinstance(item, Parsed):
        try:
            file.stage.add(item)
        except (RecursionError, PydanticSerializationError):
            _take(file, Rejected(item.place, "too_deep", "the record is nested deeper than can be kept"))
            return
        counts.records += 1
    elif isinstance(item, Rejected):
        counts.records += 1
        counts.rejected += 1
        place = item.place
        raw = masked(item.raw[:RAW_CHARACTERS])
        file.rejections.append(
            (
                file.file_ids[place.part],
                place.part,
                place.line,
                place.offset,
                item.reason,
                masked(item.message[:RAW_CHARACTERS]),
                raw,
            )
        )
    else:
        counts.records += item.count
        counts.skipped += item.count
        file.report.skipped_because[item.reason] = file.report.skipped_because.get(item.reason, 0) + item.count
        file.skips.append((file.file_ids[item.place.part], item.place.part, item.place.line, item.reason, item.count))


def _publish(store: AnyStore, staging: Staging, files: list[_File]) -> None:
    with store.publication(staging.con) as draft:
        outgrown = [older for file in files if file.report.status == "loaded" for older in file.grown_from]
        merge.prepare(staging, draft.alias, outgrown)
        for file in files:
            if file.stage:
                _count(file, staging)
        if merge.has_news(staging):
            merge.replace(staging, draft.alias)
        _record_files(staging, draft.alias, [file for file in files if file.in_store])


def _count(file: _File, staging: Staging) -> None:
    """Of the units of a file, those that still have a row are stored; the others were there before."""
    stage, counts = file.stage, file.report.counts
    assert stage is not None  # noqa: S101 - the caller looked
    counts.runs = len(stage.runs)
    counts.stored = units_between(staging.con, stage.first_unit, stage.last_unit, RECORD_TABLES)
    forgotten = units_between(staging.con, stage.first_unit, stage.last_unit, ["forgotten_units"]) - units_between(
        staging.con, stage.first_unit, stage.last_unit, RECORD_TABLES, also_in="forgotten_units"
    )
    counts.skipped += forgotten
    counts.duplicates = stage.units - counts.stored - forgotten
    if forgotten:
        file.report.skipped_because["forgotten_run"] = forgotten
        file.skips.append((file.file_id, None, None, "forgotten_run", forgotten))


def _record_files(staging: Staging, store: str, files: list[_File]) -> None:
    now = datetime.now(UTC)
    con = staging.con
    for file in files:
        for grown in file.grown_from:
            _supersede(con, store, grown, file.file_id)
    earlier = dict(con.execute(f"SELECT file_id, stored FROM {store}.source_files WHERE status = 'loaded'").fetchall())
    rows = [row for file in files for row in _file_rows(file, now, earlier.get(file.file_id, 0))]
    _replace_rows(con, f"{store}.source_files", rows)
    _replace_rows(con, f"{store}.rejections", [row for file in files for row in file.rejections])
    _replace_rows(con, f"{store}.skipped_records", [row for file in files for row in file.skips])


def _supersede(con: Any, store: str, shorter: str, longer: str) -> None:
    """The shorter version stays known; what was refused or skipped in it is listed once, with the longer one."""
    con.execute(
        f"UPDATE {store}.source_files SET status = 'superseded', superseded_by = ? WHERE file_id = ?", [longer, shorter]
    ).fetchall()
    for table in ("rejections", "skipped_records"):
        con.execute(f"DELETE FROM {store}.{table} WHERE file_id = ?", [shorter]).fetchall()


def _replace_rows(con: Any, table: str, rows: Iterable[tuple[Any, ...]]) -> None:
    """The rows are in the table, in place of those that an earlier reading of the same bytes left."""
    rows = list(rows)
    if not rows:
        return
    names = [row[0] for row in con.execute(f"DESCRIBE {table}").fetchall()]
    ids = sorted({row[0] for row in rows})
    con.execute(f"DELETE FROM {table} WHERE file_id IN (SELECT unnest(?))", [ids]).fetchall()
    insert(
        con, table, pa.table({name: list(values) for name, values in zip(names, zip(*rows, strict=True), strict=False)})
    )


def _file_rows(file: _File, now: datetime, stored_earlier: int) -> Iterator[tuple[Any, ...]]:
    """A row for the file with the counts of its bundle, and one for each companion.

    What an earlier reading of the same bytes stored (another format, another writer at the same time) stays stored.
    """
    counts, report = file.report.counts, file.report
    version = file.adapter.version if file.adapter else None
    kept = counts.stored + counts.duplicates
    stored = min(stored_earlier + counts.stored, kept)
    for part, file_id in file.file_ids.items():
        path = report.path if part is None else os.path.normpath(Path(report.path).parent / part)
        numbers = (
            (counts.records, stored, kept - stored, counts.rejected, counts.skipped)
            if part is None
            else (0, 0, 0, 0, 0)
        )
        belongs_to = None if part is None else file.file_id
        yield (
            file_id, path, report.format, version, file.sizes[part], *numbers, report.status, report.reason, now,
            belongs_to, None,
        )  # fmt: skip
