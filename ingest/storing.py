"""Candidates into the store: parsed outside the lock, merged and published once.

The libraries for that take longer to load than files that the store has take to be told: `ingest.load` imports this
module when there is something to store.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ingest import merge, units, workspace
from ingest.adapter import Adapter
from ingest.bulk.reading import format_for, in_bulk
from ingest.bulk.stage import BulkStage
from ingest.candidates import Progress, looked_at, tell
from ingest.discover import Found, Unread
from ingest.file_rows import path_of, record_files
from ingest.known import Known
from ingest.parallel.messages import Told
from ingest.parallel.processes import Readers
from ingest.reading import File, few_collections, parse
from ingest.report import IngestReport
from ingest.source import text_size
from ingest.source_stage import SourceStage
from ingest.staging import Staging, staged_in
from ingest.store.url import AnyStore

# Of more than this not everything is held in memory while it is staged.
IN_MEMORY_BYTES = 100_000_000


def stored(
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


def _staged(
    found: Iterable[tuple[Found | Unread, Told | None]],
    known: Known,
    staging: Staging,
    adapter: Adapter | None,
    progress: Progress | None,
) -> Iterator[File]:
    """Every file recognised and parsed into the staging tables, some of them by other processes."""
    for candidate, told in found:
        file = looked_at(candidate, known, adapter, told)
        if file.report.status == "loaded":
            _parse(file, staging, told)
        if file.report.status == "loaded":
            known.now_holds(file)
        tell(progress, candidate, file)
        yield file


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
