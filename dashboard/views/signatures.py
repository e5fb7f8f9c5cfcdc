"""Failures as issues: grouped by signature, with what became of each, and what a reviewer decided."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dashboard.address import say_unknown
from dashboard.cards import facts, heading
from dashboard.charts.signatures import signatures_by_state
from dashboard.drawn import draw_chart
from dashboard.filters import filters
from dashboard.links import VIEWS, row_pressed
from dashboard.notices import no_runs, not_in_this_store, nothing
from dashboard.page import Page
from dashboard.paging import in_pages
from dashboard.reading import ask
from dashboard.sections import draw
from dashboard.signatures.reviews import decide
from dashboard.tables import count_column, table
from dashboard.why import why
from dashboard.wording import clipped, counted, moment, said
from queries.failures.signature_states import SignatureStateRow, signature_states
from queries.failures.signatures import SignatureRow, signatures
from queries.overview.totals import totals
from queries.reader import Answer

PAGE = Page(
    "Signatures", "Reliability", 4, "fingerprint", "The same failure again: new, ongoing, resolved or regressed."
)
STATES = {"new": "✦ new", "ongoing": "● ongoing", "regressed": "↻ regressed", "resolved": "✓ resolved"}
SORTS = {"frequent": "Most frequent", "newest": "Newest", "runs": "In most runs"}


def render() -> None:
    """The page is drawn."""
    st.title("Signatures", anchor=False)
    what = ask(totals, **filters().parameters).first
    if what is None or not what.runs:
        no_runs()
        return
    states = ask(signature_states, **filters().parameters)
    if not states.rows:
        nothing(
            "No failure here has a signature.",
            next_step="A signature needs a machine code and one of stage, location or state hash.",
        )
        why(states, "no signature")
        return
    chosen = (
        st.text_input("Signature", key="signature", bind="query-params", placeholder="all; choose one below") or ""
    ).strip()
    if chosen:
        _chosen(chosen)
    else:
        draw(partial(_states, states), _all)


def _chosen(signature: str) -> None:
    st.button("Look at all signatures", type="tertiary", icon=":material/arrow_back:", on_click=_clear)
    found = ask(signatures, **filters().parameters, signature=signature, limit=1)
    if found.first is None:
        not_in_this_store("No failure that passes the filters has this signature", signature)
    else:
        _one(found, found.first)


def _clear() -> None:
    st.session_state["signature"] = ""


def _states(found: Answer[SignatureStateRow]) -> None:
    heading("Lifecycle", "Resolved by a reviewer, or not seen for a while; regressed: seen again after that.")
    number = {row.state: row.signatures for row in found}
    draw_chart(
        signatures_by_state,
        number,
        STATES,
        key="state_chart",
        alt="; ".join(f"{word}: {number.get(state, 0)}" for state, word in STATES.items()),
    )
    why(
        found,
        counted(sum(number.values()), "signature"),
        note="New: seen in one run so far. Ongoing: in several. How long is a while: [signatures] resolved_after of "
        "faultlens.toml, up to the newest time in the store.",
    )


def _all() -> None:
    heading("Failures", "A partial signature is only possibly the same failure: never collapsed.")
    say_unknown("sort", SORTS.values(), "The list cannot be sorted by this; the most frequent stand first")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        search = st.text_input(
            "Search", key="find", type="search", bind="query-params", live="400ms",
            placeholder="Code, type, location, phase, signature",
        )  # fmt: skip
        sort = st.selectbox(
            "Sort", list(SORTS), key="sort", bind="query-params", format_func=lambda name: SORTS[name], width=180
        )
    state = st.pills("State", list(STATES), key="state", bind="query-params", format_func=lambda name: STATES[name])
    asked = {**filters().parameters, "state": state, "search": search or None, "sort": sort}
    shown = in_pages("signatures_page", signatures, _list, noun=("signature", "signatures"), **asked)
    if shown.first is None:
        nothing("No signature matches.", next_step="Clear the search or the state.")
    else:
        why(shown, counted(shown.first.matching, "signature"))


def _list(shown: Answer[SignatureRow]) -> None:
    table(
        shown.rows,
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
                args=(tuple(row.signature for row in shown),),
            ),
            "State": st.column_config.TextColumn(width=110),
            "Collapsed": count_column(help="Equal full signatures of one run are one attempt"),
            "Location": st.column_config.TextColumn(width=190),
            "Certain": st.column_config.TextColumn(width=150),
        },
        shown_rows=16,
        optional=("Location", "Phase"),
    )  # fmt: skip


def _pressed(known: tuple[str, ...]) -> None:
    if signature := row_pressed("show_signature", known):
        st.session_state["signature"] = signature


def _one(found: Answer[SignatureRow], row: SignatureRow) -> None:
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.badge(STATES[row.state], color={"resolved": "green", "new": "blue"}.get(row.state, "orange"))  # type: ignore[arg-type]
            st.text(clipped(row.error_code or row.type or row.signature))
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
    decide(row)


if __name__ == "__main__":
    render()
