"""The alert of each workload as it stands: its memory, its severity, and whether somebody has acknowledged it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from queries.escalation.acknowledgements import AcknowledgementRow, acknowledgements
from queries.escalation.escalation_band import EscalationBandRow, escalation_band
from queries.escalation.escalation_history import EscalationHistoryRow, escalation_history
from queries.reader import Engine

SEVERITIES = ("info", "warning", "critical")
OK = "OK"


@dataclass(frozen=True, slots=True)
class Alert:
    """The alert of a workload. `since` is the change that made it so; None where there never was one."""

    workload: str
    state: str
    severity: str | None
    since: EscalationHistoryRow | None
    reading: EscalationBandRow
    changes: tuple[EscalationHistoryRow, ...]
    acknowledgement: AcknowledgementRow | None
    reopened_because: str | None

    @property
    def is_on(self) -> bool:
        """It is LOW or HIGH."""
        return self.state != OK

    @property
    def is_acknowledged(self) -> bool:
        """Somebody has seen it, and that still holds."""
        return self.is_on and self.acknowledgement is not None and self.reopened_because is None


def alerts(
    lease: Engine, *, workload: str | None = None, source: str | None = None, derived: bool = False,
    now: datetime | None = None,
) -> tuple[Alert, ...]:  # fmt: skip
    """The alert of every workload, in the order of escalation_band: the worst first."""
    readings = escalation_band(lease, workload=workload, source=source, derived=derived)
    history = escalation_history(lease, workload=workload, source=source, derived=derived)
    return joined(readings, history, acknowledgements(lease, workload=workload), now or datetime.now(UTC))


def joined(
    readings: Iterable[EscalationBandRow],
    history: Iterable[EscalationHistoryRow],
    acks: Iterable[AcknowledgementRow],
    now: datetime,
) -> tuple[Alert, ...]:
    """Readings with the alerts that their history leaves and the acknowledgements that hold for them."""
    entries, seen = tuple(history), tuple(acks)
    return tuple(_alert(row, [e for e in entries if e.workload == row.workload], seen, now) for row in readings)


def current(
    reading: EscalationBandRow,
    entries: Iterable[EscalationHistoryRow],
    acks: Iterable[AcknowledgementRow],
    now: datetime | None = None,
) -> Alert:
    """The alert of one workload."""
    return _alert(reading, tuple(entries), acks, now or datetime.now(UTC))


def _alert(
    reading: EscalationBandRow,
    entries: Sequence[EscalationHistoryRow],
    acks: Iterable[AcknowledgementRow],
    now: datetime,
) -> Alert:
    changes = tuple(entry for entry in entries if entry.from_state != entry.to_state)
    last = changes[-1] if changes else None
    state = last.to_state if last else OK
    severity = severity_of(state, reading)
    ack = next((ack for ack in acks if ack.workload == reading.workload and ack.created_at <= now), None)
    return Alert(
        workload=reading.workload, state=state, severity=severity, since=last, reading=reading, changes=changes,
        acknowledgement=ack, reopened_because=_reopened(ack, state, severity, reading, now) if ack else None,
    )  # fmt: skip


def severity_of(state: str, reading: EscalationBandRow) -> str | None:
    """How bad an alert is: LOW on a workload that carries risk outranks HIGH, and certainty outranks suspicion."""
    if state == OK:
        return None
    is_confirmed = reading.state == state and reading.evidence == "confirmed"
    if state == "LOW" and reading.risk_bearing:
        return "critical" if is_confirmed else "warning"
    return "warning" if is_confirmed else "info"


def rank(severity: str | None) -> int:
    """The place of a severity; none is below all."""
    return SEVERITIES.index(severity) if severity in SEVERITIES else -1


def worst(severities: Iterable[str | None]) -> str | None:
    """The worst of them counts; workloads are never pooled."""
    return max(severities, key=rank, default=None)


def _reopened(
    ack: AcknowledgementRow, state: str, severity: str | None, reading: EscalationBandRow, now: datetime
) -> str | None:
    """Why an acknowledgement no longer holds for the alert as it is; None while it does."""
    if ack.state != state:
        return f"it was for {ack.state}, the alert is {state}"
    if ack.until is not None and ack.until <= now:
        return "it has expired"
    if rank(severity) > rank(ack.severity):
        return f"the severity rose from {ack.severity} to {severity}"
    if (ack.band_low, ack.band_high) != (reading.band_low, reading.band_high):
        return "the band changed"
    return None
