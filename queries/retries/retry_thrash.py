"""Agents and places that repeat most without changing anything."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class ThrashRow:
    """An agent, or a place (tool, file), with its retries."""

    kind: str
    name: str
    unchanged: int
    retries: int
    runs: int
    matching: int


def retry_thrash(
    lease: Engine,
    *,
    run: str | None = None,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int = 50,
) -> Answer[ThrashRow]:
    """Agents and places that repeat most without changing anything."""
    return ask(
        lease, __file__, ThrashRow,
        run=run, workload=workload, source=source, since=since, until=until, limit=limit,
    )  # fmt: skip
