"""How good the recorded confidences are: Brier score and gap."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class CalibrationScoreRow:
    """The calibration of a chain; chain None is all of them together."""

    chain: str | None
    attempts: int
    avg_confidence: float | None
    success_rate: float | None
    gap: float | None
    brier: float | None
    brier_of_base_rate: float | None


def recovery_calibration_score(
    lease: Engine,
    *,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    derived: bool = False,
) -> Answer[CalibrationScoreRow]:
    """Brier score and gap of the recorded confidences, by chain and over all."""
    return ask(
        lease, __file__, CalibrationScoreRow, workload=workload, source=source, since=since, until=until,
        derived=derived,
    )  # fmt: skip
