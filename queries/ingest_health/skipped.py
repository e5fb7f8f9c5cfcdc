"""Records that ingest left out on purpose, by file and reason."""

from __future__ import annotations

from dataclasses import dataclass

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class SkippedRow:
    """Records left out on purpose, by file and reason."""

    path: str | None
    reason: str
    records: int
    matching: int


def skipped(lease: Engine, *, limit: int = 1000, offset: int = 0) -> Answer[SkippedRow]:
    """Records that ingest left out on purpose, by file and reason."""
    return ask(lease, __file__, SkippedRow, limit=limit, offset=offset)
