"""Whether each workload asks people as often as its band wants: too seldom, too often, or too few to say."""

from __future__ import annotations

from collections import Counter
from functools import partial

import streamlit as st

from dashboard.address import say_unknown
from dashboard.charts.escalation import bands_side_by_side
from dashboard.drawn import draw_chart
from dashboard.escalation import words
from dashboard.escalation.panels import STATE_WORDS, draw_card, draw_history, draw_suppression, draw_what_if
from dashboard.escalation.reviews import remember_bands
from dashboard.filters import filters
from dashboard.notices import no_runs, nothing
from dashboard.page import Page
from dashboard.reading import ask, once
from dashboard.sections import draw
from dashboard.tables import more
from dashboard.why import why
from dashboard.wording import NAMELESS, counted, moment
from queries.escalation.acknowledgements import acknowledgements
from queries.escalation.alerts import Alert, current
from queries.escalation.bands import configured, with_history
from queries.escalation.escalation_band import EscalationBandRow, escalation_band
from queries.escalation.escalation_history import escalation_history
from queries.overview.totals import totals
from queries.reader import Answer

PAGE = Page(
    "Escalation band", "Reliability", 1, "swap_vert", "Whether people are asked too seldom, too often, or neither."
)
WORKLOADS_DRAWN = 14


def render() -> None:
    """The page is drawn."""
    st.title("Escalation band", anchor=False)
    what = ask(totals, **filters().parameters).first
    if what is None or not what.runs:
        no_runs()
        return
    found = ask(escalation_band, **filters().parameters, bands=configured())
    measured = [row for row in found if row.finished or row.unfinished or row.state != "NO_DATA"]
    if not measured:
        nothing(
            f"No recovery attempt of {counted(len(found), 'workload')} finished in its window, so there is no rate: "
            "not 0 %, nothing.",
            next_step="A rate needs recovery events with an outcome. Clear the dates, or see the Runs page.",
        )
        why(found, "no finished attempt")
        return
    draw(partial(_overview, found, measured), partial(_in_detail, found))
    remember_bands(row.workload for row in found if row.finished)


def _in_detail(found: Answer[EscalationBandRow]) -> None:
    bands = once(with_history)
    alert = _chosen(found, bands)
    if alert:
        draw(
            partial(draw_card, alert, found), partial(draw_suppression, alert.reading),
            partial(draw_history, alert, bands), partial(draw_what_if, alert.reading),
        )  # fmt: skip


def _overview(found: Answer[EscalationBandRow], measured: list[EscalationBandRow]) -> None:
    tally = Counter(row.state for row in found)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        for name, sign in words.STATES.items():
            if tally[name]:
                colour = "gray" if name == "OK" and not _all_proven(found) else sign.colour
                st.badge(f"{words.state(name)}: {tally[name]}", color=colour, help=sign.means)
        st.caption(f"As of {moment(found.rows[0].as_of)}. The worst workload counts; rates are never pooled.")
    drawn = measured[:WORKLOADS_DRAWN]
    draw_chart(
        bands_side_by_side,
        drawn,
        STATE_WORDS,
        key="bands_chart",
        alt=f"Escalation rate, interval and band of {len(drawn)} workloads; {drawn[0].workload} is {drawn[0].state}",
    )
    more(len(drawn), len(measured), "workloads")
    silent = len(found) - len(measured)
    if silent:
        st.caption(
            f"{counted(silent, 'workload')} without a recovery attempt in the window: no data, which is not 0 %."
        )
    why(found, counted(sum(row.finished for row in found), "finished attempt"))


def _all_proven(found: Answer[EscalationBandRow]) -> bool:
    return all(row.evidence == "proven" for row in found if row.state == "OK")


def _chosen(found: Answer[EscalationBandRow], bands: str) -> Alert | None:
    """The workload whose card is open; the worst one at first."""
    names = [row.workload for row in found]
    say_unknown("of", names, "No workload here has this name")
    name = st.selectbox(
        "Workload in detail, the worst first",
        names,
        key="of",
        bind="query-params",
        format_func=lambda name: name or NAMELESS,
    )
    row = next((row for row in found if row.workload == name), None)
    if row is None:
        return None
    asked = {"workload": row.workload, "source": filters().source, "until": filters().until}
    entries = ask(escalation_history, **asked, bands=bands)
    return current(row, entries, ask(acknowledgements, workload=row.workload))


if __name__ == "__main__":
    render()
