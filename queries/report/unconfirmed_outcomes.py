"""Calls of one run whose effect may have landed: the resource, and whether anybody looked."""

from __future__ import annotations

from dataclasses import dataclass

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class UnconfirmedOutcomeRow:
    """A call with an unknown outcome; `checked_state` is None where nobody recorded a look at the resource."""

    run_id: str
    event_id: str
    seq: int | None
    agent: str | None
    resource: str | None
    checked_state: str | None
    checked_by: str | None
    details: str | None


def unconfirmed_outcomes(lease: Engine, *, run: str, limit: int = 1000) -> Answer[UnconfirmedOutcomeRow]:
    """Calls of one run whose effect may have landed: the resource, and whether anybody looked."""
    return ask(lease, __file__, UnconfirmedOutcomeRow, run=run, limit=limit)
