"""Files into the store: find, recognise, and what the store does not have yet is parsed, merged and published once.

Idempotent: the same bytes store nothing, a grown file adds only what is new, and a bad record never
takes a good one with it.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ingest import registry, workspace
from ingest.adapter import Adapter
from ingest.candidates import Progress, looked_at, tell
from ingest.discover import NOT_FOUND, Found, Unread, found_in
from ingest.known import Known
from ingest.reading import File
from ingest.report import IngestReport
from ingest.source import Source
from ingest.store.attach import Store
from ingest.store.errors import FaultlensError
from ingest.store.url import AnyStore, open_store


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
    uses_pandas: bool = True,
) -> IngestReport:
    """The files of the arguments are in the store; the report accounts for every record of theirs.

    `shown` gives the name that people know a path by, where the file lies elsewhere for now, such as an upload.
    `wanted` tells which of the sources found are worth a look: `watch` passes over those that did not change.
    A process that `uses_pandas` nowhere else saves the time of its import.
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
                stored = _storing(uses_pandas=uses_pandas)
                report = stored(opened, found, new, Path(scratch), known, adapter=adapter, progress=progress)
    finally:
        if opened is not store:
            # Else its newest generation stays attached to the process, one more with every ingest.
            opened.close()
    report.seconds = time.monotonic() - began
    return report


def _storing(*, uses_pandas: bool) -> Callable[..., IngestReport]:
    """What stores: its libraries take longer to load than the rest does where there is nothing to store."""
    from ingest import batch, storing  # noqa: PLC0415

    if not uses_pandas:
        batch.leave_pandas_out()
    return storing.stored


def _left_alone(
    found: Sequence[Found | Unread], known: Known, adapter: Adapter | None, progress: Progress | None
) -> list[File] | None:
    """The files, where the store has to take nothing of any of them: then no tables are made. Else None."""
    files = []
    for candidate in found:
        file = looked_at(candidate, known, adapter)
        if file.report.status == "loaded" or file.in_store:
            return None
        files.append(file)
    for candidate, file in zip(found, files, strict=True):
        tell(progress, candidate, file)
    return files


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
