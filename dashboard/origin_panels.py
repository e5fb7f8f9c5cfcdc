"""What is open and what is suspected about origins: panels that any page may draw inside its render."""

from __future__ import annotations

from typing import Any

import streamlit as st

from dashboard.address import say_unknown
from dashboard.cards import heading
from dashboard.filters import filters
from dashboard.notices import nothing
from dashboard.paging import in_pages, matching
from dashboard.reading import ask
from dashboard.reviews import basis
from dashboard.tables import table
from dashboard.why import why
from dashboard.wording import counted, said
from queries.origins.origin_candidates import OriginCandidateRow, origin_candidates
from queries.origins.origin_hints import OriginHintRow, origin_hints
from queries.origins.origins import OriginRow, origins
from queries.origins.unsettled_origins import unsettled_origins
from queries.reader import Answer

AFTER_ITS_OBSERVATION = "origin after its observation"
OPEN = {
    "provisional": "Provisional fixes",
    "origin after observation": "Origin after observation",
    "trigger as root cause": "Trigger as root cause",
    "null prevention": "Null preventions",
}
OPEN_A_PAGE = 20
_OPEN_NOTE = (
    "Provisional: fixed at the observation point. Origin after observation: a negative distance in phases, or in "
    "steps where there is none in phases. Trigger as root cause: the same text. Null prevention: names no layer, or "
    "only asks for more care or another line of prompt."
)
_SCORE_NOTE = (
    "The score compares the steps of this run with one another; it is no probability of being right. How often the "
    "first one is right on labelled runs: tests/attribution/RESULTS.md, by make attribution."
)
_CANDIDATE_COLUMNS: dict[str, Any] = {
    "Rank": st.column_config.NumberColumn(width="small"),
    "Step": st.column_config.TextColumn(width="small"),
    "Evidence": st.column_config.TextColumn(width="large"),
    "Score": st.column_config.ProgressColumn(format="%.2f", min_value=0, max_value=1, width="small"),
}


def draw_open() -> None:
    """What is not settled about diagnosed failures, whatever their status says."""
    counts = ask(unsettled_origins, **filters().parameters)
    number = {row.unsettled: row.failures for row in counts}
    if not any(number.values()):
        return
    heading("Still open", "A fix where the failure was observed is provisional, whatever its status says.")
    say_unknown("open", OPEN.values(), "Nothing is open in this respect; shown is the first that is")
    first = next(name for name in OPEN if number[name])
    name = (
        st.pills(
            "Open in what respect", list(OPEN), key="open", bind="query-params", format_func=lambda name: OPEN[name],
            label_visibility="collapsed", default=first,
        )
        or first
    )  # fmt: skip
    st.caption(" · ".join(f"{OPEN[name]}: {number[name]:,}" for name in OPEN))
    found = in_pages(
        "open_page", origins, lambda shown: _open_table(OPEN[name], shown.rows),
        noun=("diagnosed failure", "diagnosed failures"), rows=OPEN_A_PAGE, **filters().parameters, unsettled=name,
    )  # fmt: skip
    if found.first is None:
        nothing(f"None: {OPEN[name].lower()}.")
    why(found, counted(matching(found), "diagnosed failure"), note=_OPEN_NOTE)


def _open_table(name: str, rows: tuple[OriginRow, ...]) -> None:
    table(
        rows,
        {
            "Run": lambda r: r.run_name,
            "Basis": lambda r: basis(r.basis),
            "Originated at": lambda r: r.originated_at,
            "Trigger": lambda r: r.trigger,
            "Root cause": lambda r: r.root_cause,
            "Fix": lambda r: r.fix_at,
            "Status": lambda r: said(r.status) + (", marked durable" if r.durable else ""),
            "Layer": lambda r: r.prevention_layer,
            "Prevention": lambda r: r.prevention,
            "Who": lambda r: r.author,
        },
        alt=name,
        shown_rows=6,
    )


def draw_hints() -> None:
    """Lines of the misattribution table that records match."""
    heading(
        "Usually originates elsewhere", "Records that look like a failure which is mostly reported in the wrong place."
    )
    found = in_pages("hints_page", origin_hints, _hint_list, noun=("hint", "hints"), **filters().parameters)
    if found.first is None:
        nothing("No record here matches a line of the misattribution table.")
        return
    why(
        found,
        counted(found.first.matching, "hint"),
        note="A hint says where to look; it is neither a finding nor a diagnosis.",
    )


def _hint_list(found: Answer[OriginHintRow]) -> None:
    table(
        found.rows,
        {
            "Symptom": lambda r: r.symptom,
            "Reported at": lambda r: r.reported_at,
            "Usually originates in": lambda r: r.usually_originates_in,
            "Because": lambda r: r.evidence,
            "Record": lambda r: f"{r.record_kind} {r.record_id}",
            "Run": lambda r: r.run_name,
        },
        alt="Hints where a failure usually originates, each with the record that triggers it",
        config={"Because": st.column_config.TextColumn(width="large")},
        shown_rows=8,
    )


def draw_candidates(run_id: str, event_id: str | None) -> None:
    """Suspected origins of one failure, ranked, each with rule and evidence."""
    st.caption("Suspected origins: derived from records by named rules, ranked, none of them a verdict.")
    found: Answer[OriginCandidateRow] = ask(origin_candidates, run=run_id, event=event_id)
    if not found.rows:
        nothing(
            "Nothing in the records of this run points to an origin.",
            next_step="Read its timeline, and say what you find below.",
        )
        return
    table(
        found.rows,
        {
            "Rank": lambda r: r.rank,
            "Step": lambda r: r.step,
            "Agent": lambda r: r.agent,
            "Rule": lambda r: r.rule,
            "Evidence": lambda r: r.evidence,
            "Score": lambda r: r.score,
            "All rules": lambda r: ", ".join(r.rules),
            "Basis": lambda r: basis(r.basis),
        },
        alt="Suspected origins, ranked, each with rule and evidence",
        config=_CANDIDATE_COLUMNS,
        shown_rows=6,
    )
    first = found.rows[0]
    st.caption("Evidence of the first one")
    st.text(first.evidence or "")
    why(found, counted(len(found), "suspected step"), note=_SCORE_NOTE)
