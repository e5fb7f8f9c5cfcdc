"""What is found, looked at: known to the store, to be read, or why not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.adapter import Adapter
from ingest.discover import Found, Unread
from ingest.known import Known
from ingest.reading import File, examined, turn_away
from ingest.report import FileReport
from ingest.source import Source

if TYPE_CHECKING:
    from ingest.parallel.messages import Told

Progress = Callable[[str, int], None]


def looked_at(candidate: Found | Unread, known: Known, adapter: Adapter | None, told: Told | None = None) -> File:
    """The candidate hashed, recognised and compared with the store, or why it will not be read.

    Another process may have told the first two.
    """
    return _unread(candidate) if isinstance(candidate, Unread) else _examined(candidate, known, adapter, told)


def tell(progress: Progress | None, candidate: Found | Unread, file: File) -> None:
    """Whoever waits hears that there is nothing more to do for the candidate."""
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
