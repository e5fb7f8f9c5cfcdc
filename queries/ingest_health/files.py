"""The files that ingest met, the newest first, with what became of their records."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class FileRow:
    """A file that ingest met, with what became of its records."""

    path: str
    format: str | None
    companion_of: str | None
    status: str
    reason: str | None
    records: int
    stored: int
    duplicates: int
    rejected: int
    skipped: int
    accounted: bool
    bytes: int | None
    ingested_at: datetime | None
    file_id: str
    matching: int


def files(lease: Engine, *, search: str | None = None, limit: int = 1000, offset: int = 0) -> Answer[FileRow]:
    """The files that ingest met, the newest first, with what became of their records."""
    return ask(lease, __file__, FileRow, search=search, limit=limit, offset=offset)
