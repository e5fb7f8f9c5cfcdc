"""The escalation rate of each workload against both edges of its band."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.escalation import bands as in_force
from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class EscalationBandRow:
    """A workload in its window. `reads` is the side the raw rate is on, also where the data are too few to say."""

    workload: str
    escalated: int
    finished: int
    rate: float | None
    rate_collapsed: float | None
    rate_low: float | None
    rate_high: float | None
    band_low: float
    band_high: float
    state: str
    evidence: str | None
    severity: str | None
    needed: int | None
    reads: str | None
    min_finished: int
    risk_bearing: bool
    band_is_own: bool
    reviewed_by: str | None
    band_reason: str | None
    window_text: str
    window_from: datetime | None
    as_of: datetime | None
    undated: bool
    is_blind: bool
    recovered: int
    aborted: int
    unfinished: int
    other_outcome: int
    handed_over: int
    escalated_collapsed: int
    finished_collapsed: int
    vetoed_runs: int
    interrupted_runs: int
    l0_captures: int
    unknown_outcomes: int
    attempts_apart: int
    undated_attempts: int


def escalation_band(
    lease: Engine,
    *,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    derived: bool = False,
    bands: str | None = None,
) -> Answer[EscalationBandRow]:
    """Each workload's escalation rate against its band; `bands` as JSON, else those of faultlens.toml."""
    return ask(
        lease, __file__, EscalationBandRow, workload=workload, source=source, since=since, until=until, derived=derived,
        bands=in_force.given(bands) if bands else in_force.configured(),
    )  # fmt: skip
