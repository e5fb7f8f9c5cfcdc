"""What ingest did over all files: records = stored + duplicates + rejected + skipped."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class IngestTotalsRow:
    """What ingest did over all files, in one row."""

    files: int
    loaded: int
    refused: int
    ignored: int
    records: int
    stored: int
    duplicates: int
    rejected: int
    skipped: int
    last_ingest: datetime | None


def ingest_totals(lease: Engine) -> Answer[IngestTotalsRow]:
    """What ingest did over all files: records = stored + duplicates + rejected + skipped."""
    return ask(lease, __file__, IngestTotalsRow)
