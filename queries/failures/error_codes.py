"""Errors by their code, the most frequent first; named by their type where no code is recorded."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class ErrorCodeRow:
    """An error code or, where none is recorded, an error's type."""

    code: str
    named_by: str
    errors: int
    runs: int
    transient: int
    last_seen: datetime | None
    matching: int


def error_codes(
    lease: Engine,
    *,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int = 1000,
) -> Answer[ErrorCodeRow]:
    """Errors by their code, the most frequent first; named by their type where no code is recorded."""
    return ask(lease, __file__, ErrorCodeRow, workload=workload, source=source, since=since, until=until, limit=limit)
