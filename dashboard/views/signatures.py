"""Failures as issues: grouped by signature, with what became of each, and what a reviewer decided."""

from __future__ import annotations

import streamlit as st

from dashboard.cards import facts, heading
from dashboard.charts.signatures import signatures_by_state
from dashboard.filters import filters, options_with_asked
from dashboard.links import VIEWS, row_pressed
from dashboard.notices import no_runs, not_in_this_store, nothing
from dashboard.page import Page
from dashboard.reading import ask
from dashboard.signatures.reviews import decide
from dashboard.tables import more, table
from dashboard.why import why
from dashboard.wording import counted, moment, said
from queries.failures.signatures import SignatureRow, signatures
from queries.overview.totals import totals
from queries.reader import Answer

PAGE = Page(
    "Signatures", "Reliability", 4, "fingerprint", "The same failure again: new, ongoing, resolved or regressed."
)
STATES = {"new": "✦ new", "ongoing": "● ongoing", "regressed": "↻ regressed", "resolved": "✓ resolved"}
SHOWN = 300


def render() -> None:
    """The page is drawn."""
    st.title("Signatures", anchor=False)
    what = ask(totals, **filters().parameters).first
    if what is None or not what.runs:
        no_runs()
        return
    found = ask(signatures, **filters().parameters, limit=100_000)
    if not found.rows:
        nothing(
            "No failure here has a signature.",
            next_step="A signature needs a machine code and one of stage, location or state hash.",
        )
        why(found, "no signature")
        return
    known = [row.signature for row in found]
    chosen = st.selectbox(
        "Signature", options_with_asked("signature", known), index=None, placeholder="All signatures", key="signature",
        bind="query-params",
    )  # fmt: skip
    one = next((row for row in found if row.signature == chosen), None)
    if chosen and one is None:
        not_in_this_store("No failure that passes the filters has this signature", chosen)
    if one is not None:
        _one(found, one)
        return
    _states(found)
    _all(found)


def _states(found: Answer[SignatureRow]) -> None:
    heading("Lifecycle", "Resolved by a reviewer, or not seen for a while; regressed: seen again after that.")
    number = {state: sum(row.state == state for row in found) for state in STATES}
    st.plotly_chart(
        signatures_by_state(number, STATES), key="state_chart", config={"displayModeBar": False},
        alt="; ".join(f"{word}: {number[state]}" for state, word in STATES.items()),
    )  # fmt: skip
    why(
        found,
        counted(len(found), "signature"),
        note="New: seen in one run so far. Ongoing: in several. How long is a while: [signatures] resolved_after of "
        "faultlens.toml, up to the newest time in the store.",
    )


def _all(found: Answer[SignatureRow]) -> None:
    heading(
        "Failures", "The most frequent first. A partial signature is only possibly the same failure: never collapsed."
    )
    state = st.pills("State", list(STATES), key="state", bind="query-params", format_func=lambda name: STATES[name])
    matching = [row for row in found if state is None or row.state == state]
    rows = matching[:SHOWN]
    table(
        rows,
        {
            "Show": lambda _: "Show",
            "State": lambda r: STATES[r.state],
            "Failure": lambda r: r.error_code or r.type,
            "Location": lambda r: r.location,
            "Phase": lambda r: r.phase,
            "Occurrences": lambda r: r.occurrences,
            "Collapsed": lambda r: r.collapsed,
            "Runs": lambda r: r.runs,
            "Repeats in a run": lambda r: r.repeats_in_run,
            "Certain": lambda r: "≈ possibly the same" if r.partial else "● the same",
            "First seen": lambda r: moment(r.first_seen),
            "Last seen": lambda r: moment(r.last_seen),
            "Workloads": lambda r: ", ".join(r.workloads),
            "Signature": lambda r: r.signature,
        },
        alt="Failures by signature",
        config={
            "Show": st.column_config.ButtonColumn(
                "", key="show_signature", width=70, type="tertiary", pinned=True, on_click=_pressed,
                args=(tuple(row.signature for row in rows),),
            ),
            "State": st.column_config.TextColumn(width=110),
            "Collapsed": st.column_config.NumberColumn(help="Equal full signatures of one run are one attempt"),
            "Location": st.column_config.TextColumn(width=190),
            "Certain": st.column_config.TextColumn(width=150),
        },
        shown_rows=16,
        optional=("Location", "Phase"),
    )  # fmt: skip
    more(len(rows), len(matching), "signatures")
    why(found, counted(len(matching), "signature"))


def _pressed(known: tuple[str, ...]) -> None:
    if signature := row_pressed("show_signature", known):
        st.session_state["signature"] = signature


def _one(found: Answer[SignatureRow], row: SignatureRow) -> None:
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.badge(STATES[row.state], color={"resolved": "green", "new": "blue"}.get(row.state, "orange"))  # type: ignore[arg-type]
            st.text(row.error_code or row.type or row.signature)
        facts(
            {
                "Location": said(row.location),
                "Phase": said(row.phase),
                "Certain": "possibly the same (a part is missing)" if row.partial else "the same",
                "Occurrences": f"{row.occurrences:,}, collapsed {row.collapsed:,}",
                "Runs": f"{row.runs:,}, {row.repeats_in_run:,} repeats within a run",
                "Workloads": ", ".join(row.workloads),
                "First seen": moment(row.first_seen),
                "Last seen": moment(row.last_seen),
                "Came back": moment(row.returned_at),
                "Resolved by": f"{row.resolved_by}, {moment(row.resolved_at)}" if row.resolved_by else "nobody",
                "Merged into it": ", ".join(row.merged) or "none",
                "Signature": row.signature,
            }
        )
        st.button("Open an example", key="open_example", type="tertiary", icon=":material/open_in_new:")
        if st.session_state.get("open_example"):
            st.switch_page(
                VIEWS / "run.py",
                query_params={"run": row.example_run} | ({"event": row.example_event} if row.example_event else {}),
            )
        why(found, counted(row.occurrences, "occurrence"))
    heading("Decide", "Kept in the people's store: no ingest can overwrite it, and the newest decision holds.")
    others = {
        other.signature: f"{other.error_code or other.type or '?'} {other.location or ''} ({other.signature})"
        for other in found
        if other.signature != row.signature
    }
    decide(row, others)


if __name__ == "__main__":
    render()
