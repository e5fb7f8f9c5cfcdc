"""The chain that was used against the one its trigger selects."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class SelectionRow:
    """Attempts of one chain whose triggers select the same; None is not evaluable."""

    chain: str | None
    selects: str | None
    agrees: bool | None
    attempts: int
    example: str | None


def recovery_selection(
    lease: Engine,
    *,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    derived: bool = False,
) -> Answer[SelectionRow]:
    """The chain that was used against the one its trigger selects; disagreements first."""
    return ask(
        lease, __file__, SelectionRow, workload=workload, source=source, since=since, until=until, derived=derived
    )
