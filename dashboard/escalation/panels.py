"""The parts of the escalation page: the card of one workload, another band tried on it, its signs of suppression."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import streamlit as st

from dashboard.cards import facts, heading
from dashboard.charts.escalation import history
from dashboard.drawn import draw_chart
from dashboard.escalation import words
from dashboard.escalation.reviews import draw_acknowledgement
from dashboard.filters import filters
from dashboard.notices import nothing
from dashboard.reading import ask
from dashboard.tables import table
from dashboard.why import why
from dashboard.wording import ABSENT, NAMELESS, clipped, counted, interval, moment, share
from queries.escalation.alerts import Alert
from queries.escalation.escalation_band import EscalationBandRow, escalation_band
from queries.escalation.escalation_history import EscalationHistoryRow, escalation_history
from queries.escalation.suppressed_escalation import SuppressedEscalationRow, suppressed_escalation, windows_of
from queries.reader import Answer

LOOK_BACK = timedelta(days=90)
STATE_WORDS = {name: words.state(name) for name in words.STATES}


def draw_card(alert: Alert, answer: Answer[EscalationBandRow]) -> None:
    """One workload: what happened, how sure that is, what to do; the denominator in sight."""
    row = alert.reading
    with st.container(border=True):
        _badges(alert)
        for column, (label, text) in zip(
            st.columns(3, gap="medium"),
            (
                ("What happened", words.happened(row)),
                ("How sure", words.how_sure(row)),
                ("What to do", words.to_do(row)),
            ),
            strict=True,
        ):
            with column, st.container(gap="xxsmall"):
                st.caption(label)
                st.text(text)
        facts(_figures(row), columns=5)
        facts({name[0].upper() + name[1:]: f"{number:,}" for name, number in words.beside(row).items()}, columns=4)
        why(answer, counted(row.finished, "finished attempt"), words.beside(row), note=_how_to_read(row))
    if alert.is_on:
        with st.container(border=True):
            st.caption("Acknowledge this alert")
            draw_acknowledgement(alert)


def _badges(alert: Alert) -> None:
    row = alert.reading
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.text(clipped(row.workload) or NAMELESS)
        evidence = f", {row.evidence}" if row.evidence else ""
        st.badge(f"{words.state(row.state)}{evidence}", color=words.state_colour(row), help=_state_help(row))
        if row.severity:
            st.badge(words.severity(row.severity), color=words.SEVERITIES[row.severity].colour)
        if row.risk_bearing:
            st.badge("carries risk", color="violet", help="LOW outranks HIGH here.")
        if row.undated:
            st.badge("undated", color="gray", help="No record has a time: evaluated over all attempts.")
        st.text(_alerting(alert))


def _state_help(row: EscalationBandRow) -> str:
    meaning = words.STATES[row.state].means
    return f"{meaning}; {words.EVIDENCE[row.evidence]}" if row.evidence else meaning


def _alerting(alert: Alert) -> str:
    if not alert.is_on or alert.since is None:
        return "No alert."
    seen = ", acknowledged" if alert.is_acknowledged else ""
    return f"Alert {words.state(alert.state)} since {alert.since.day}{seen}: {alert.since.reason}."


def _figures(row: EscalationBandRow) -> dict[str, str]:
    return {
        "Escalated ÷ finished": f"{row.escalated:,} ÷ {row.finished:,} = {share(row.rate)}",
        "95 % interval": interval(row.rate_low, row.rate_high),
        "Repeats collapsed": f"{row.escalated_collapsed:,} ÷ {row.finished_collapsed:,} = {share(row.rate_collapsed)}",
        "Band": f"{words.band(row.band_low, row.band_high)}, {words.band_note(row)}",
        "Window": f"{row.window_text}, as of {moment(row.as_of)}" if not row.undated else "all attempts: undated",
    }


def _how_to_read(row: EscalationBandRow) -> str:
    reason = f" Why this band: {row.band_reason}." if row.band_reason else ""
    return (
        "Escalated ÷ finished recovery attempts, recorded ones only. ABORTED is in the denominator, in no numerator. "
        f"{row.handed_over:,} escalations were handed to the next chain of the same run; they count as recorded. "
        "Runs ended by veto or interruption, L0 captures and unknown outcomes are in no rate. "
        f"Both edges are in band. The state needs {row.min_finished} finished attempts.{reason}"
    )


def draw_history(alert: Alert, bands: str) -> None:
    """The rate day by day with the alert's changes, and the changes as a list."""
    heading("History of the alert", "Replayed from the records, a look a day: one bad day does not raise an alert.")
    asked = _replay(alert.workload, bands)
    days = ask(escalation_history, **asked, daily=True)
    if not days.rows:
        nothing("No attempt of this workload has a time, so there are no days to replay.")
        return
    changes = ask(escalation_history, **asked)
    evaluations = [day for day in days if not (day.reason or "").startswith("band ")]
    draw_chart(
        history,
        evaluations,
        changes.rows,
        STATE_WORDS,
        key="escalation_history_chart",
        alt=f"Escalation rate of {len(evaluations)} days with its band; the alert changed {len(alert.changes)} times",
    )
    if changes.rows:
        _changes(changes)
    else:
        st.caption("The alert never changed: it has been quiet all along.")
    why(
        changes,
        counted(len(evaluations), "daily evaluation"),
        note="An alert enters when the whole 95 % interval is outside, or when the rate was outside at 7 daily looks "
        "running; it leaves after two running that are at least 2 points inside both edges. Too few data neither raise "
        "nor clear it.",
    )


def _replay(workload: str, bands: str) -> dict[str, Any]:
    return {"workload": workload, "source": filters().source, "until": filters().until, "bands": bands}


def _changes(changes: Answer[EscalationHistoryRow]) -> None:
    table(
        list(reversed(changes.rows)),
        {
            "Day": lambda r: r.day,
            "From": lambda r: words.state(r.from_state),
            "To": lambda r: words.state(r.to_state),
            "Why": lambda r: r.reason,
            "Escalated": lambda r: f"{r.escalated:,} of {r.finished:,}",
            "Rate": lambda r: share(r.rate),
            "95 % interval": lambda r: interval(r.rate_low, r.rate_high),
            "Band": lambda r: words.band(r.band_low, r.band_high),
        },
        alt="Changes of the alert, the newest first",
        config={"Why": st.column_config.TextColumn(width="large")},
        shown_rows=6,
    )


def draw_what_if(row: EscalationBandRow) -> None:
    """Another band on the same records: what it would say now, and what it would have said."""
    heading("Try another band", "The same records against other edges; nothing is saved. Bands live in faultlens.toml.")
    with st.container(border=True):
        before = (round(100 * row.band_low, 1), round(100 * row.band_high, 1))
        low, high = st.slider(
            "Lower and upper edge, %", 0.0, 100.0, before, 0.5, format="%.1f", key=f"what_if {row.workload} {before}"
        )
        if (low, high) == before:
            st.caption(
                f"This is the band in force, {words.band(row.band_low, row.band_high)}. Move an edge to compare."
            )
            return
        if low >= high:
            st.text("A band needs room: the lower edge must be under the upper one.")
            return
        _compared(row, round(low / 100, 4), round(high / 100, 4))


def _compared(row: EscalationBandRow, low: float, high: float) -> None:
    band = {
        "low": low,
        "high": high,
        "window": row.window_text,
        "min_finished": row.min_finished,
        "risk_bearing": row.risk_bearing,
    }
    bands = json.dumps({row.workload: band} if row.workload != "default" else {"default": band})
    now = ask(escalation_band, **{**filters().parameters, "workload": row.workload}, bands=bands)
    since = row.as_of - LOOK_BACK if row.as_of else None
    replayed = ask(escalation_history, **_replay(row.workload, bands), since=since)
    if now.first is None:
        return
    entered = sum(change.to_state in {"LOW", "HIGH"} for change in replayed)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.text(f"With {words.band(low, high)} this reads")
        evidence = f", {now.first.evidence}" if now.first.evidence else ""
        st.badge(f"{words.state(now.first.state)}{evidence}", color=words.state_colour(now.first))
        st.text(f"and would have raised {counted(entered, 'alert')} in the last {LOOK_BACK.days} days.")
    st.text(words.how_sure(now.first))
    if replayed.rows:
        _changes(replayed)
    why(now, counted(now.first.finished, "finished attempt"), note="Give the same JSON to --param bands= to repeat it.")


def draw_suppression(row: EscalationBandRow) -> None:
    """Whether a low rate looks like work that got easier, or like people who are no longer asked."""
    heading(
        "Is escalation suppressed?", "Few escalations are good news only if the chains that decide alone are right."
    )
    found = ask(
        suppressed_escalation,
        workload=row.workload,
        source=filters().source,
        windows=windows_of([row]),
    )
    if found.first is None:
        nothing("No attempt finished in the window, so there is nothing to look for.")
        return
    signs = found.first
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            if signs.is_suspected:
                st.badge("⚑ suspected", color="red")
            else:
                st.badge("no sign of it", color="gray")
            st.text(_suppression_said(signs))
        facts(
            {
                "Executed by themselves": f"{signs.auto_executed:,} of {signs.finished:,} ({share(signs.auto_share)})",
                "Median confidence": ABSENT if signs.median_confidence is None else f"{signs.median_confidence:.2f}",
                "Under their threshold": f"{signs.under_threshold:,}",
                "Near or under it": f"{signs.near_or_under:,}",
                "Of those, run failed later": f"{signs.later_failures:,}",
                "Runs failed after RECOVERED": f"{signs.recovered_then_failed:,} of {signs.recovered_runs:,}"
                f" ({share(signs.failed_after_recovery_share)})",
            },
            columns=6,
        )
        why(
            found,
            counted(signs.finished, "finished attempt"),
            note="Near: under the chain's own threshold plus 0.05. Suspected when the state is LOW, chains executed "
            "near or under their threshold, and runs failed afterwards.",
        )


def _suppression_said(signs: SuppressedEscalationRow) -> str:
    if signs.is_suspected:
        return (
            f"The rate is low while {counted(signs.near_or_under, 'attempt')} near or under the threshold executed "
            f"without asking, and {signs.later_failures:,} of them stand in runs that failed all the same."
        )
    if signs.state == "LOW":
        return "The rate is low, and no attempt near or under its threshold was followed by a failed run."
    return "Only a rate under its band can be a suppressed one; the figures stand here all the same."
