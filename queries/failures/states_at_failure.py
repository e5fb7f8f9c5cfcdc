"""States at failure with the evidence that still holds, the permitted next action, and the runs in each."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class StateAtFailureRow:
    """A state at failure with what still holds and what may be done."""

    state_at_failure: str
    known: bool
    evidence_that_holds: str | None
    permitted_next_action: str | None
    runs: int


def states_at_failure(
    lease: Engine,
    *,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> Answer[StateAtFailureRow]:
    """States at failure with the evidence that still holds, the permitted next action, and the runs in each."""
    return ask(lease, __file__, StateAtFailureRow, workload=workload, source=source, since=since, until=until)
