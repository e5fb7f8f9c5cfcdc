"""Files into the store: find, recognise, parse outside the lock, merge and publish once.

Idempotent: the same bytes store nothing, a grown file adds only what is new, and a bad record never
takes a good one with it.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa

from ingest import merge, registry, units
from ingest.adapter import Adapter
from ingest.bulk.reading import format_for, in_bulk
from ingest.bulk.stage import BulkStage
from ingest.discover import Found, Missing, found_in
from ingest.parallel.messages import Told
from ingest.parallel.processes import Readers
from ingest.reading import File, examined, parse
from ingest.report import Counts, FileReport, IngestReport
from ingest.source import Source, sha256_of_first, text_size
from ingest.source_stage import SourceStage
from ingest.staging import Staging, staged_in
from ingest.store.errors import FaultlensError
from ingest.store.url import AnyStore, open_store

# More than this lies in a file while it is staged.
IN_MEMORY_BYTES = 100_000_000
Progress = Callable[[str, int], None]


class NothingThere(FaultlensError):
    """None of the given paths exists."""


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
    try:
        with tempfile.TemporaryDirectory(prefix="faultlens-") as scratch:
            found = _present(list(found_in(arguments, Path(scratch), workload)))
            found = [source for source in found if isinstance(source, Missing) or not wanted or wanted(source.source)]
            found = [_renamed(candidate, shown or {}) for candidate in found]
            with staged_in(Path(scratch) if _is_much(found) else None) as staging:
                with Readers.of(found, scratch, staging.schemas, adapter) as readers:
                    known = _Known.of(opened)
                    files = list(_staged(readers.ahead(found, known.lacks), known, staging, adapter, progress))
                report = IngestReport(opened.url, [file.report for file in files])
                runs = set().union(*(file.stage.runs for file in files if file.stage))
                if any(file.in_store for file in files):
                    _publish(opened, staging, files)
                    runs = merge.as_identified(staging, runs)
                report.runs = len(runs)
    finally:
        if opened is not store:
            # Else its newest generation stays attached to the process, one more with every ingest.
            opened.close()
    report.seconds = time.monotonic() - began
    return report


def _is_much(found: Iterable[Found | Missing]) -> bool:
    """More than should lie in memory at once."""
    paths = (path for one in found if isinstance(one, Found) for path in one.source.files)
    return sum(map(text_size, paths)) > IN_MEMORY_BYTES


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
    found: Iterable[tuple[Found | Missing, Told | None]],
    known: _Known,
    staging: Staging,
    adapter: Adapter | None,
    progress: Progress | None,
) -> Iterator[File]:
    """Every file recognised and parsed into the staging tables, some of them by other processes."""
    for candidate, told in found:
        if isinstance(candidate, Missing):
            yield _missing(candidate)
            continue
        file = _examined(candidate, known, adapter, told)
        if file.report.status == "loaded":
            _parse(file, staging, told)
        if file.report.status == "loaded":
            known.now_holds(file)
        if progress:
            progress(candidate.source.shown, sum(file.sizes.values()))
        yield file


def _missing(missing: Missing) -> File:
    report = FileReport(missing.path, status="refused", reason="not_found", named=True)
    return File(Source(Path(missing.path), missing.path, missing.path), report)


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

    def holds(self, file: File, adapter: Adapter) -> bool:
        """Every file of the bundle was read before, by this version of this adapter."""
        rows = [self.files.get(file_id) for file_id in file.file_ids.values()]
        return all(
            row is not None and (row["format"], row["adapter_version"]) == (adapter.name, adapter.version)
            for row in rows
        )

    def lacks(self, source: Source) -> bool:
        """Its bytes were never read, or it cannot be told; who reads it will know."""
        try:
            return source.digest not in self.files
        except OSError:
            return False

    def now_holds(self, file: File) -> None:
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

    def shorter_versions(self, file: File) -> list[str]:
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


def _examined(found: Found, known: _Known, adapter: Adapter | None, told: Told | None) -> File:
    """The file hashed and recognised, or why it will not be read."""
    file = told.examined(found, adapter) if told else examined(found, adapter)
    file.loaded_before = bool(file.file_ids) and file.file_id in known.files
    if file.adapter is None:
        return file
    if known.holds(file, file.adapter):
        file.report.status = "unchanged"
        file.report.counts = _as_counted_before(file, known)
    else:
        file.grown_from = known.shorter_versions(file)
    return file


def _as_counted_before(file: File, known: _Known) -> Counts:
    counts = Counts()
    for file_id in file.file_ids.values():
        row = known.files[file_id]
        counts.add(Counts(0, row["records"], 0, row["stored"] + row["duplicates"], row["rejected"], row["skipped"]))
    return counts


def _parse(file: File, staging: Staging, told: Told | None) -> None:
    """The file is staged, set by set where its format and size allow it."""
    assert file.adapter is not None  # noqa: S101 - only recognised files are parsed
    staging.paths |= {file_id: _path(file, part) for part, file_id in file.file_ids.items()}
    staging.source_bytes += sum(map(text_size, file.source.files))
    if told and told.is_read:
        told.stage(file, staging)
        return
    bulk = format_for(file.adapter, file.source)
    if bulk is None:
        parse(file, file.adapter, SourceStage(staging, file.file_ids, file.source.workload))
    else:
        stage = BulkStage(staging, file.file_ids, file.source.workload)
        parse(file, in_bulk(file.adapter, bulk, stage), stage)


def _publish(store: AnyStore, staging: Staging, files: list[File]) -> None:
    with store.publication(staging.con) as draft:
        outgrown = [older for file in files if file.report.status == "loaded" for older in file.grown_from]
        merge.merge(staging, draft, outgrown)
        outcomes = units.outcomes(staging.con, [file.stage for file in files if file.stage])
        for file in files:
            if file.stage:
                _count(file, file.stage, outcomes.get(file.stage.first_unit, units.Outcome()))
        _record_files(draft.cursor(), [file for file in files if file.in_store])


def _count(file: File, stage: SourceStage, outcome: units.Outcome) -> None:
    """Of the units of a file, those that still have a row are stored; the others were there before."""
    counts = file.report.counts
    counts.runs = len(stage.runs)
    if not stage.units:
        return
    counts.stored = outcome.stored
    counts.skipped += outcome.forgotten
    counts.duplicates = stage.units - outcome.stored - outcome.forgotten
    if outcome.forgotten:
        file.report.skipped_because["forgotten_run"] = outcome.forgotten
        file.skips.append((file.file_id, None, None, "forgotten_run", outcome.forgotten))


def _record_files(store: Any, files: list[File]) -> None:
    now = datetime.now(UTC)
    for file in files:
        for grown in file.grown_from:
            _supersede(store, grown, file.file_id)
    earlier = dict(
        store.execute(
            "SELECT file_id, stored FROM source_files WHERE status = 'loaded' AND list_contains(?, file_id)",
            [[file.file_id for file in files]],
        ).fetchall()
    )
    rows = [row for file in files for row in _file_rows(file, now, earlier.get(file.file_id, 0))]
    _replace_rows(store, "source_files", rows)
    _replace_rows(store, "rejections", [row for file in files for row in file.rejections])
    _replace_rows(store, "skipped_records", [row for file in files for row in file.skips])


def _supersede(store: Any, shorter: str, longer: str) -> None:
    """The shorter version stays known; what was refused or skipped in it is listed once, with the longer one."""
    store.execute(
        "UPDATE source_files SET status = 'superseded', superseded_by = ? WHERE file_id = ?", [longer, shorter]
    ).fetchall()
    for table in ("rejections", "skipped_records"):
        store.execute(f"DELETE FROM {table} WHERE file_id = ?", [shorter]).fetchall()


def _replace_rows(store: Any, table: str, rows: Iterable[tuple[Any, ...]]) -> None:
    """The rows are in the table, in place of those that an earlier reading of the same bytes left."""
    rows = list(rows)
    if not rows:
        return
    names = [row[0] for row in store.execute(f"DESCRIBE {table}").fetchall()]
    ids = sorted({row[0] for row in rows})
    store.execute(f"DELETE FROM {table} WHERE file_id IN (SELECT unnest(?))", [ids]).fetchall()
    columns = {name: list(values) for name, values in zip(names, zip(*rows, strict=True), strict=False)}
    # On the cursor that was given: on a lake its transaction is the publication.
    store.register("rows_of_files", pa.table(columns))
    store.execute(f"INSERT INTO {table} BY NAME SELECT * FROM rows_of_files").fetchall()
    store.unregister("rows_of_files")


def _path(file: File, part: str | None) -> str:
    """Where the file lies, or one of its companions."""
    return file.report.path if part is None else os.path.normpath(Path(file.report.path).parent / part)


def _file_rows(file: File, now: datetime, stored_earlier: int) -> Iterator[tuple[Any, ...]]:
    """A row for the file with the counts of its bundle, and one for each companion.

    What an earlier reading of the same bytes stored (another format, another writer at the same time) stays stored.
    """
    counts, report = file.report.counts, file.report
    version = file.adapter.version if file.adapter else None
    kept = counts.stored + counts.duplicates
    stored = min(stored_earlier + counts.stored, kept)
    for part, file_id in file.file_ids.items():
        path = _path(file, part)
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
