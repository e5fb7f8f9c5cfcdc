"""Confidence against success: whether a confidence of 80 % recovers four times in five."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class CalibrationRow:
    """A tenth of the confidence scale: bin_low <= confidence < bin_high (the last one includes 1)."""

    bin_low: float
    bin_high: float
    attempts: int
    recovered: int
    avg_confidence: float | None
    success_rate: float | None
    success_low: float | None
    success_high: float | None
    gap: float | None


def recovery_calibration(
    lease: Engine,
    *,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    derived: bool = False,
    chain: str | None = None,
) -> Answer[CalibrationRow]:
    """Confidence bins against the success that followed, with 95 % intervals."""
    return ask(
        lease, __file__, CalibrationRow, workload=workload, source=source, since=since, until=until, derived=derived,
        chain=chain,
    )  # fmt: skip
