"""What people write about alerts: the form that acknowledges one, and the bands seen in force."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta

import streamlit as st

from dashboard.escalation import words
from dashboard.reading import once, reading, store
from dashboard.wording import moment
from ingest.people import LONGEST_SILENCE, Acknowledgement, acknowledge, note_bands
from ingest.store.errors import FaultlensError, StoreUnusable
from queries.escalation.alerts import Alert
from queries.escalation.bands import unrecorded


def draw_acknowledgement(alert: Alert) -> None:
    """Who has seen the alert, whether that still holds, and the form to say so."""
    ack = alert.acknowledgement
    if ack and alert.is_acknowledged:
        st.text(f"✓ Acknowledged by {ack.author} on {moment(ack.created_at)}, until {_until(ack.until)}.")
        st.text(f"“{ack.note}”")
        st.caption("It ends by itself then, and at once when the edge flips, the severity rises or the band changes.")
        return
    if ack:
        st.text(
            f"↻ Acknowledged by {ack.author} on {moment(ack.created_at)}, and open again: {alert.reopened_because}."
        )
    _form(alert)


def _until(until: datetime | None) -> str:
    return moment(until) if until else "the alert changes"


def _form(alert: Alert) -> None:
    now = datetime.now(UTC)
    must_end = alert.state == "LOW" and alert.reading.risk_bearing
    longest = (now + LONGEST_SILENCE).date() if must_end else None
    with st.form(f"acknowledge {alert.workload}", border=False):
        who, until = st.columns([2, 1])
        author = who.text_input("Your name", key=f"author {alert.workload}", max_chars=120)
        end = until.date_input(
            "Until the end of (UTC)",
            value=(now + timedelta(days=7)).date(),
            min_value=now.date(),
            max_value=longest,
            format="YYYY-MM-DD",
            key=f"until {alert.workload}",
            help="Required: LOW on a workload that carries risk is silenced for 14 days at most." if must_end else None,
        )
        note = st.text_area("What is being done about it", key=f"note {alert.workload}", max_chars=2000, height=90)
        if st.form_submit_button("Acknowledge", icon=":material/visibility:"):
            _write(alert, author or "", note or "", _end_of(end, now, must_end=must_end))


def _end_of(end: date | None, now: datetime, *, must_end: bool) -> datetime | None:
    """The end of the chosen day; on the last day allowed, the last moment allowed."""
    if end is None:
        return None
    until = datetime.combine(end, time.min, tzinfo=UTC) + timedelta(days=1)
    return min(until, now + LONGEST_SILENCE) if must_end else until


def _write(alert: Alert, author: str, note: str, until: datetime | None) -> None:
    row = alert.reading
    given = Acknowledgement(
        workload=alert.workload,
        state=alert.state,
        severity=alert.severity,
        band_low=row.band_low,
        band_high=row.band_high,
        author=author,
        note=note,
        until=until,
        is_risk_bearing=row.risk_bearing,
    )
    try:
        acknowledge(store(reading().url), given)
    except FaultlensError as refusal:
        st.error("Not kept.", icon=":material/error:")
        st.code(str(refusal), language=None, wrap_lines=True)
        return
    st.toast(f"Alert {words.state(alert.state)} acknowledged.", icon=":material/visibility:")
    st.rerun()


def remember_bands(workloads: Iterable[str]) -> None:
    """The bands in force now are known, so that their change will be an entry in the history."""
    new = once(unrecorded, workloads=tuple(workloads))
    if new:
        # Whoever may only read still sees the page; `faultlens check` keeps the same record.
        with suppress(StoreUnusable):
            note_bands(store(reading().url), new)
