"""Growing files, looked at again and again: only those whose size or time changed are read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ingest.load import NothingThere, ingest
from ingest.report import IngestReport
from ingest.source import Source
from ingest.store.url import open_store

Stamp = tuple[tuple[int, int], ...]


class _Changes:
    """Remembers how each source looked; a source is wanted when it looks different."""

    def __init__(self) -> None:
        self._stamps: dict[Path, Stamp] = {}

    def wanted(self, source: Source) -> bool:
        """The source is new, or its size or time is not what it was."""
        stamp = _stamp(source)
        changed = self._stamps.get(source.path) != stamp
        self._stamps[source.path] = stamp
        return changed


def _stamp(source: Source) -> Stamp:
    found = []
    for path in (source.path, *source.companions):
        try:
            status = path.stat()
        except OSError:
            continue
        found.append((status.st_size, status.st_mtime_ns))
    return tuple(found)


def looks(
    paths: Sequence[str], store: str, *, workload: str | None = None, uses_pandas: bool = True
) -> Iterator[IngestReport | None]:
    """One look after another, for ever; None while none of the paths exists yet."""
    changes = _Changes()
    opened = open_store(store)
    while True:
        try:
            yield ingest(paths, opened, workload=workload, wanted=changes.wanted, uses_pandas=uses_pandas)
        except NothingThere:
            yield None
