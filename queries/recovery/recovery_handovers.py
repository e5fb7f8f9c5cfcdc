"""Hand-overs from one recovery chain to the next."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class HandoverRow:
    """Hand-overs between two chains, and how the second one ended."""

    from_chain: str
    to_chain: str
    handovers: int
    then_recovered: int
    then_escalated: int
    then_aborted: int


def recovery_handovers(
    lease: Engine,
    *,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    derived: bool = False,
) -> Answer[HandoverRow]:
    """Escalated attempts followed by another chain in the same run: counted as recorded, with their own number."""
    return ask(
        lease, __file__, HandoverRow, workload=workload, source=source, since=since, until=until, derived=derived
    )
