"""The delegation graph of recorded edges."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class DelegationEdgeRow:
    """Tasks that one agent handed to another; a denied arrival is the guard working."""

    from_agent: str | None
    to_agent: str | None
    hops: int
    denied: int
    tasks: int
    runs: int
    circulating: int
    matching: int


def delegation_edges(
    lease: Engine,
    *,
    run: str | None = None,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int = 200,
    offset: int = 0,
) -> Answer[DelegationEdgeRow]:
    """The delegation graph of recorded edges."""
    return ask(
        lease, __file__, DelegationEdgeRow,
        run=run, workload=workload, source=source, since=since, until=until, limit=limit, offset=offset,
    )  # fmt: skip
