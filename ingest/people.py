"""What is written about alerts: acknowledgements, bands that came into force, messages that were sent.

It lies in the people's store, which no ingest touches. Published like everything else: whole, or not at all.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from hashlib import blake2s
from typing import Any

from ingest.store.catalog import memory_connection
from ingest.store.errors import FaultlensError
from ingest.store.masking import masked
from ingest.store.url import AnyStore

# A LOW alert on a workload that carries risk is silenced for a fortnight at most: nobody may forget it for good.
LONGEST_SILENCE = timedelta(days=14)
LONGEST_NOTE = 2_000


class Refused(FaultlensError):
    """What a person wrote cannot be kept; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """Somebody has seen the alert of a workload, as it was then."""

    workload: str
    state: str
    severity: str | None
    band_low: float
    band_high: float
    author: str
    note: str
    until: datetime | None
    is_risk_bearing: bool


@dataclass(frozen=True, slots=True)
class Notification:
    """A message about an alert was delivered."""

    workload: str
    target: str
    kind: str
    to_state: str
    severity: str | None
    day: date | None
    ack_id: str | None


def acknowledge(store: AnyStore, given: Acknowledgement, *, now: datetime | None = None) -> str:
    """The acknowledgement is kept; returns its id."""
    at = now or datetime.now(UTC)
    _require(given, at)
    ack_id = _digest(given.workload, given.state, given.author, at)
    row = {
        "ack_id": ack_id, "workload": given.workload, "state": given.state, "severity": given.severity,
        "band_low": given.band_low, "band_high": given.band_high, "author": given.author.strip(),
        "note": masked(given.note.strip()[:LONGEST_NOTE]), "created_at": at, "until": given.until,
    }  # fmt: skip
    _add(store, "acknowledgements", [row])
    return ack_id


def _require(given: Acknowledgement, now: datetime) -> None:
    if given.state not in {"LOW", "HIGH"}:
        raise Refused(f"there is no alert to acknowledge: {given.workload} is {given.state}")
    if not given.author.strip():
        raise Refused("an acknowledgement needs a name: who has seen this?")
    if not given.note.strip():
        raise Refused("an acknowledgement needs a note: what is being done?")
    if given.until is not None and given.until <= now:
        raise Refused("`until` lies in the past: it would expire at once")
    if given.state == "LOW" and given.is_risk_bearing:
        _require_end(given.until, now)


def _require_end(until: datetime | None, now: datetime) -> None:
    if until is None:
        raise Refused("LOW on a workload that carries risk needs an `until`: it cannot be silenced for ever")
    if until > now + LONGEST_SILENCE:
        raise Refused(f"LOW on a workload that carries risk can be silenced for {LONGEST_SILENCE.days} days at most")


def note_bands(store: AnyStore, bands: Iterable[Mapping[str, Any]], *, now: datetime | None = None) -> None:
    """The bands are known to be in force, each from its `since` on (None: for all that went before)."""
    at = now or datetime.now(UTC)
    _add(
        store,
        "bands_in_force",
        [
            {
                "workload": band["workload"], "low": band["low"], "high": band["high"], "window_text": band["window"],
                "min_finished": band["min_finished"], "risk_bearing": band["risk_bearing"],
                "reviewed_by": band["reviewed_by"], "reason": band["reason"], "in_force_from": band["since"],
                "recorded_at": at,
            }
            for band in bands
        ],
    )  # fmt: skip


def note_sent(store: AnyStore, sent: Iterable[Notification], *, now: datetime | None = None) -> None:
    """The messages were delivered and are not sent again."""
    at = now or datetime.now(UTC)
    _add(
        store,
        "notifications",
        [
            {
                "workload": one.workload, "target": one.target, "kind": one.kind, "to_state": one.to_state,
                "severity": one.severity, "day": one.day, "ack_id": one.ack_id, "sent_at": at,
            }
            for one in sent
        ],
    )  # fmt: skip


def target_of(url: str) -> str:
    """What stands for an address in the store: the address of a webhook is a secret."""
    return _digest(url)


def _add(store: AnyStore, table: str, rows: list[dict[str, Any]]) -> None:
    if not rows:
        return
    columns = ", ".join(f'"{name}"' for name in rows[0])
    places = ", ".join("?" for _ in rows[0])
    with memory_connection() as con, store.people_publication(con) as draft:
        cursor = draft.cursor()
        # Table and columns are named in this module, never by a value.
        cursor.executemany(f"INSERT INTO {table} ({columns}) VALUES ({places})", [list(row.values()) for row in rows])  # noqa: S608


def _digest(*parts: object) -> str:
    return blake2s(json.dumps([str(part) for part in parts]).encode(), digest_size=8).hexdigest()
