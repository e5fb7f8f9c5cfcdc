"""Messages about alerts: which are due, what they say, and how they get there."""

from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime
from typing import Any
from urllib.parse import urlsplit

from dashboard.escalation.words import STATES, band, percent
from dashboard.wording import share
from ingest.store.errors import FaultlensError
from queries.escalation.alerts import OK, Alert, rank
from queries.escalation.escalation_history import EscalationHistoryRow
from queries.escalation.notifications import NotificationRow
from queries.export import plain

TIMEOUT_S = 5
ATTEMPTS = 4
FIRST_PAUSE_S = 0.5
_TRY_AGAIN = frozenset({408, 425, 429})
_SLACK = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


class BadAddress(FaultlensError):
    """The address cannot be a webhook."""


class Undelivered(FaultlensError):
    """A message did not get through, or was refused."""

    exit_code = 1


@dataclass(frozen=True, slots=True)
class Message:
    """One change of one alert, with everything needed to act on it; `text` is what a chat shows."""

    text: str
    kind: str
    workload: str
    at: datetime | None
    day: date | None
    from_state: str
    to_state: str
    severity: str | None
    evidence: str | None
    escalated: int
    finished: int
    rate: float | None
    rate_low: float | None
    rate_high: float | None
    band_low: float
    band_high: float
    reason: str
    needed: int | None
    acknowledgement: str | None = None

    @property
    def body(self) -> bytes:
        """The message as JSON."""
        return json.dumps(plain(asdict(self)), ensure_ascii=False).encode()


def due(alerts: Iterable[Alert], sent: Iterable[NotificationRow]) -> list[Message]:
    """The messages that nobody has got yet: one for each change, none for what is unchanged or acknowledged."""
    known = tuple(sent)
    return [
        message for alert in alerts for message in _due(alert, [row for row in known if row.workload == alert.workload])
    ]


def _due(alert: Alert, sent: Sequence[NotificationRow]) -> list[Message]:
    changes = list(_untold(alert, sent))
    if changes:
        return changes
    if not alert.is_on or alert.is_acknowledged or not sent or sent[-1].to_state != alert.state:
        return []
    ack = alert.acknowledgement
    if ack and ack.state == alert.state and sent[-1].sent_at <= ack.created_at:
        return [_still(alert, "reopened", f"acknowledged by {ack.author}, open again: {alert.reopened_because}")]
    told = _told_severities(alert.state, sent)
    if rank(alert.severity) > max(told, default=-1):
        return [_still(alert, "raised", f"severity rose to {alert.severity}")]
    return []


def _untold(alert: Alert, sent: Sequence[NotificationRow]) -> Iterable[Message]:
    """The changes since the last message; the first message ever tells only how things are."""
    told = sent[-1].to_state if sent else OK
    for change in _newer(alert, sent):
        if change.to_state != told and not (alert.is_acknowledged and change.to_state == alert.state):
            yield _message(alert, change, told)
            told = change.to_state
    if told != alert.state and not alert.is_acknowledged:
        # Records that came later have rewritten the days in between, or a band that holds for its whole first day.
        yield _still(alert, _kind(told, alert.state), "the band, or the records of earlier days, changed", told)


def _newer(alert: Alert, sent: Sequence[NotificationRow]) -> tuple[EscalationHistoryRow, ...]:
    if not sent:
        return (alert.since,) if alert.since and alert.is_on else ()
    last = sent[-1].day
    return tuple(change for change in alert.changes if last is None or change.day >= last)


def _told_severities(state: str, sent: Sequence[NotificationRow]) -> list[int]:
    told = []
    for row in reversed(sent):
        if row.to_state != state:
            break
        told.append(rank(row.severity))
    return told


def _kind(from_state: str, to_state: str) -> str:
    if to_state == OK:
        return "cleared"
    return "entered" if from_state == OK else "flipped"


def _message(alert: Alert, change: EscalationHistoryRow, told: str) -> Message:
    is_latest = change is alert.since
    return _worded(
        Message(
            text="", kind=_kind(told, change.to_state), workload=alert.workload, at=change.at, day=change.day,
            from_state=told, to_state=change.to_state,
            severity=alert.severity if is_latest else change.severity, evidence=change.evidence,
            escalated=change.escalated, finished=change.finished, rate=change.rate, rate_low=change.rate_low,
            rate_high=change.rate_high, band_low=change.band_low, band_high=change.band_high,
            reason=change.reason or "", needed=alert.reading.needed if is_latest else None,
        )
    )  # fmt: skip


def _still(alert: Alert, kind: str, reason: str, told: str | None = None) -> Message:
    """A message about the alert as it is now, without a change of its own in the history."""
    now, ack = alert.reading, alert.acknowledgement
    return _worded(
        Message(
            text="", kind=kind, workload=alert.workload, at=now.as_of, day=now.as_of.date() if now.as_of else None,
            from_state=told or alert.state, to_state=alert.state, severity=alert.severity, evidence=now.evidence,
            escalated=now.escalated, finished=now.finished, rate=now.rate, rate_low=now.rate_low,
            rate_high=now.rate_high, band_low=now.band_low, band_high=now.band_high, reason=reason,
            needed=now.needed, acknowledgement=ack.ack_id if kind == "reopened" and ack else None,
        )
    )  # fmt: skip


def _worded(message: Message) -> Message:
    sign = STATES[message.to_state].glyph
    grade = f" ({message.severity})" if message.severity else ""
    bounds = (
        f"95 %: {percent(message.rate_low)} to {percent(message.rate_high)}" if message.finished else "nothing finished"
    )
    text = (
        f"{sign} {message.workload}: escalation {message.kind}, {message.from_state} → {message.to_state}{grade}."
        f" {message.escalated} of {message.finished} finished attempts escalated, {share(message.rate)} ({bounds});"
        f" band {band(message.band_low, message.band_high)}. {message.reason}."
    )
    return Message(**{**asdict(message), "text": text.translate(_SLACK)})


def checked_address(url: str) -> str:
    """The address, which is one of http or https with a host."""
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise BadAddress("--notify wants an address that begins with http:// or https://")
    return url


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect turns a POST into a GET, which tells nobody anything."""

    def redirect_request(self, *_: Any) -> None:
        """Nowhere else."""
        return


def post(url: str, message: Message, *, pause: Callable[[float], None] = time.sleep) -> None:
    """The message was accepted; after a failure that may pass it is tried again, each time a little later."""
    trouble = ""
    for attempt in range(ATTEMPTS):
        if attempt:
            pause(FIRST_PAUSE_S * 2 ** (attempt - 1))
        trouble, may_pass = _tried(url, message)
        if not trouble:
            return
        if not may_pass:
            break
    # The address may carry a secret: only its host is named.
    raise Undelivered(f"{urlsplit(url).hostname} did not take the message about {message.workload}: {trouble}")


def _tried(url: str, message: Message) -> tuple[str, bool]:
    """What went wrong, empty when nothing did, and whether it may go better another time."""
    request = urllib.request.Request(  # noqa: S310 - the scheme was checked
        url, message.body, {"Content-Type": "application/json; charset=utf-8", "User-Agent": "faultlens"}, method="POST"
    )
    try:
        with urllib.request.build_opener(_NoRedirect).open(request, timeout=TIMEOUT_S):
            return "", False
    except urllib.error.HTTPError as error:
        error.close()
        return f"HTTP {error.code}", error.code >= 500 or error.code in _TRY_AGAIN
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        return str(reason) or type(error).__name__, True
