"""What was told about alerts, and to whom."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class NotificationRow:
    """A message that was delivered; `ack_id` is the acknowledgement that no longer held."""

    workload: str
    target: str
    kind: str
    to_state: str
    severity: str | None
    day: date | None
    ack_id: str | None
    sent_at: datetime


def notifications(lease: Engine, *, workload: str | None = None, target: str | None = None) -> Answer[NotificationRow]:
    """Delivered messages about alerts, the oldest first."""
    return ask(lease, __file__, NotificationRow, workload=workload, target=target)
