"""Failures by signature, the most frequent first; a partial signature is only possibly the same failure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ingest.store.attach import Lease
from queries.reader import Answer, ask


@dataclass(frozen=True, slots=True)
class SignatureRow:
    """A failure signature. `state` is None until signatures are followed over time."""

    signature: str
    partial: bool
    error_code: str | None
    type: str | None
    location: str | None
    phase: str | None
    occurrences: int
    runs: int
    first_seen: datetime | None
    last_seen: datetime | None
    state: str | None
    repeats_in_run: int


def signatures(
    lease: Lease,
    *,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int = 1000,
) -> Answer[SignatureRow]:
    """Failures by signature, the most frequent first; a partial signature is only possibly the same failure."""
    return ask(lease, __file__, SignatureRow, workload=workload, source=source, since=since, until=until, limit=limit)
