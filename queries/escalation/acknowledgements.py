"""Acknowledgements of alerts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class AcknowledgementRow:
    """Somebody has seen an alert; `until` None holds until the alert changes."""

    ack_id: str
    workload: str
    state: str
    severity: str | None
    band_low: float | None
    band_high: float | None
    author: str | None
    note: str | None
    created_at: datetime
    until: datetime | None


def acknowledgements(lease: Engine, *, workload: str | None = None) -> Answer[AcknowledgementRow]:
    """Acknowledgements of alerts, the newest first."""
    return ask(lease, __file__, AcknowledgementRow, workload=workload)
