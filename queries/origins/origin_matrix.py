"""How many failures were observed in one phase and originated in another."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class OriginMatrixRow:
    """A pair of phases and its failures, by what each rests on; a phase is None where the text names none."""

    observed_phase: str | None
    originated_phase: str | None
    failures: int
    reviewed: int
    recorded: int
    derived: int
    comparable: int
    origin_after: int


def origin_matrix(
    lease: Engine,
    *,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    derived: bool = False,
) -> Answer[OriginMatrixRow]:
    """How many failures were observed in one phase and originated in another."""
    return ask(
        lease, __file__, OriginMatrixRow, workload=workload, source=source, since=since, until=until, derived=derived
    )
