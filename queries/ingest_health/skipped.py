"""Records that ingest left out on purpose, by file and reason."""

from __future__ import annotations

from dataclasses import dataclass

from ingest.store.attach import Lease
from queries.reader import Answer, ask


@dataclass(frozen=True, slots=True)
class SkippedRow:
    """Records left out on purpose, by file and reason."""

    path: str | None
    reason: str
    records: int


def skipped(lease: Lease, *, limit: int = 1000) -> Answer[SkippedRow]:
    """Records that ingest left out on purpose, by file and reason."""
    return ask(lease, __file__, SkippedRow, limit=limit)
