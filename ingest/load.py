"""Files into the store: find, recognise, parse outside the lock, merge and publish once.

Idempotent: the same bytes store nothing, a grown file adds only what is new, and a bad record never
takes a good one with it.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ingest import merge, registry, units, workspace
from ingest.adapter import Adapter
from ingest.bulk.reading import format_for, in_bulk
from ingest.bulk.stage import BulkStage
from ingest.discover import NOT_FOUND, Found, Unread, found_in
from ingest.file_rows import path_of, record_files
from ingest.known import Known
from ingest.parallel.messages import Told
from ingest.parallel.processes import Readers
from ingest.reading import File, examined, few_collections, parse, turn_away
from ingest.report import FileReport, IngestReport
from ingest.source import Source, text_size
from ingest.source_stage import SourceStage
from ingest.staging import Staging, staged_in
from ingest.store.attach import Store
from ingest.store.errors import FaultlensError
from ingest.store.url import AnyStore, open_store

# Of more than this not everything is held in memory while it is staged.
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
    if isinstance(opened, Store) and not opened.is_there:
        # Every file will be new.
        workspace.make_ahead()
    adapter = _chosen(format, mapping)
    try:
        with tempfile.TemporaryDirectory(prefix="faultlens-") as scratch:
            found = _present(list(found_in(arguments, Path(scratch), workload)))
            found = [source for source in found if isinstance(source, Unread) or not wanted or wanted(source.source)]
            found = [_renamed(candidate, shown or {}) for candidate in found]
            known = Known.of(opened)
            new = [one for one in found if isinstance(one, Found) and known.lacks(one.source)]
            left_alone = None if new else _left_alone(found, known, adapter, progress)
            if left_alone is not None:
                report = IngestReport(opened.url, [file.report for file in left_alone])
            else:
                report = _stored(opened, found, new, Path(scratch), known, adapter=adapter, progress=progress)
    finally:
        if opened is not store:
            # Else its newest generation stays attached to the process, one more with every ingest.
            opened.close()
    report.seconds = time.monotonic() - began
    return report


def _left_alone(
    found: Sequence[Found | Unread], known: Known, adapter: Adapter | None, progress: Progress | None
) -> list[File] | None:
    """The files, where the store has to take nothing of any of them: then no tables are made. Else None."""
    files = []
    for candidate in found:
        file = _unread(candidate) if isinstance(candidate, Unread) else _examined(candidate, known, adapter, None)
        if file.report.status == "loaded" or file.in_store:
            return None
        files.append(file)
    for candidate, file in zip(found, files, strict=True):
        _tell(progress, candidate, file)
    return files


def _stored(
    store: AnyStore,
    found: Sequence[Found | Unread],
    new: Sequence[Found],
    scratch: Path,
    known: Known,
    *,
    adapter: Adapter | None,
    progress: Progress | None,
) -> IngestReport:
    """The candidates are parsed, merged and published; `new` are those whose bytes the store never saw."""
    workspace.make_ahead()
    with (
        # Started first: they get ready while the tables are made.
        Readers.of(new, str(scratch), adapter) as readers,
        staged_in(scratch if _is_much(found) else None) as staging,
    ):
        readers.tell(staging.schemas)
        files = list(_staged(readers.ahead(found, known.lacks), known, staging, adapter, progress))
        readers.end()
        report = IngestReport(store.url, [file.report for file in files])
        is_published = any(file.in_store for file in files)
        if is_published:
            _publish(store, staging, files)
        runs = set().union(*(file.stage.runs for file in files if file.stage))
        report.runs = len(merge.as_identified(staging, runs) if is_published else runs)
    return report


def _is_much(found: Iterable[Found | Unread]) -> bool:
    """More than should lie in memory at once."""
    paths = (path for one in found if isinstance(one, Found) for path in one.source.files)
    return sum(map(text_size, paths)) > IN_MEMORY_BYTES


def _renamed(candidate: Found | Unread, shown: Mapping[str, str]) -> Found | Unread:
    name = None if isinstance(candidate, Unread) else shown.get(candidate.source.shown)
    if isinstance(candidate, Unread) or name is None:
        return candidate
    return replace(candidate, source=replace(candidate.source, shown=name, below=name))


def _chosen(name: str | None, mapping: Path | None) -> Adapter | None:
    """The adapter that was asked for; None where the content decides."""
    if mapping is not None:
        return registry.by_mapping(mapping)
    return registry.named(name) if name else None


def _present(found: list[Found | Unread]) -> list[Found | Unread]:
    """The candidates, unless there is none: then the call was wrong."""
    missing = [candidate.path for candidate in found if isinstance(candidate, Unread) and candidate.reason == NOT_FOUND]
    if missing and len(missing) == len(found):
        raise NothingThere(f"no such file or folder: {', '.join(missing)}")
    return found


def _staged(
    found: Iterable[tuple[Found | Unread, Told | None]],
    known: Known,
    staging: Staging,
    adapter: Adapter | None,
    progress: Progress | None,
) -> Iterator[File]:
    """Every file recognised and parsed into the staging tables, some of them by other processes."""
    for candidate, told in found:
        if isinstance(candidate, Unread):
            yield _unread(candidate)
            continue
        file = _examined(candidate, known, adapter, told)
        if file.report.status == "loaded":
            _parse(file, staging, told)
        if file.report.status == "loaded":
            known.now_holds(file)
        _tell(progress, candidate, file)
        yield file


def _tell(progress: Progress | None, candidate: Found | Unread, file: File) -> None:
    if progress and isinstance(candidate, Found):
        progress(candidate.source.shown, sum(file.sizes.values()))


def _unread(unread: Unread) -> File:
    file = File(Source(Path(unread.path), unread.path, unread.path), FileReport(unread.path, named=unread.named))
    turn_away(file, unread.reason)
    return file


def _examined(found: Found, known: Known, adapter: Adapter | None, told: Told | None) -> File:
    """The file hashed and recognised, or why it will not be read."""
    file = told.examined(found, adapter) if told else examined(found, adapter)
    file.loaded_before = bool(file.file_ids) and file.file_id in known.files
    if file.adapter is None:
        return file
    if known.holds(file, file.adapter):
        file.report.status = "unchanged"
        file.report.counts = known.counts_of(file)
    else:
        file.grown_from = known.shorter_versions(file)
    return file


def _parse(file: File, staging: Staging, told: Told | None) -> None:
    """The file is staged, set by set where its format and size allow it."""
    assert file.adapter is not None  # noqa: S101 - only recognised files are parsed
    staging.paths |= {file_id: path_of(file, part) for part, file_id in file.file_ids.items()}
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
        with few_collections():
            merge.merge(staging, draft, outgrown)
        outcomes = units.outcomes(staging.con, [file.stage for file in files if file.stage])
        for file in files:
            if file.stage:
                _count(file, file.stage, outcomes.get(file.stage.first_unit, units.Outcome()))
        record_files(draft.cursor(), [file for file in files if file.in_store])


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
