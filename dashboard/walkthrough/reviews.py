"""What a room writes at one moment of an incident; everything is kept and stands in the report."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import streamlit as st

from dashboard.reading import store, store_url
from dashboard.wording import moment
from ingest.reviews import LAYERS, LONGEST, PROSE, Review, write
from ingest.store import FaultlensError
from queries.origins.reviews import ReviewRow

SECTIONS = {
    "note": "Note at this moment",
    "summary": "Summary",
    "impact": "Impact",
    "gate": "Gate that should have caught it",
    "went_well": "What went well",
    "went_badly": "What went badly",
    "lucky": "Where we got lucky",
    "question": "Open question",
    "comment": "Comment",
    "action": "Action",
}
TERMS = {"durable": True, "provisional": False}


def note_panel(run_id: str, event_id: str | None, notes: Sequence[ReviewRow]) -> None:
    """What was written at this moment, the oldest first, and the forms for more."""
    for note in reversed([row for row in notes if row.event_id == event_id and row.kind in SECTIONS]):
        with st.container(border=True):
            st.caption(SECTIONS[note.kind])
            st.text(note.comment or "")
            st.text(f"{note.author}, {moment(note.created_at)}")
    key = hashlib.sha256(f"{run_id}\x1f{event_id}".encode()).hexdigest()[:12]
    _note_form(run_id, event_id, key)
    with st.expander("Add an action", icon=":material/task_alt:"):
        _action_form(run_id, event_id, key)
    _say(key)


def _note_form(run_id: str, event_id: str | None, key: str) -> None:
    with st.form(f"note_form_{key}", border=False, enter_to_submit=False):
        st.text_area("Note at this moment", key=f"note_{key}", max_chars=LONGEST, height=90)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.selectbox(
                "Stands in the report under", PROSE, key=f"kind_{key}", format_func=lambda kind: SECTIONS[kind]
            )
            _name(f"note_author_{key}")
            st.form_submit_button(
                "Save note", key=f"note_save_{key}", on_click=_save_note, args=(run_id, event_id, key)
            )


def _action_form(run_id: str, event_id: str | None, key: str) -> None:
    with st.form(f"action_form_{key}", border=False, enter_to_submit=False):
        st.text_area("What is to be done", key=f"action_{key}", max_chars=LONGEST, height=80)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.selectbox("Layer", LAYERS, index=None, key=f"layer_{key}")
            st.selectbox("Holds", list(TERMS), index=None, key=f"term_{key}", help="A provisional fix stays open.")
            st.date_input("Due", value=None, key=f"due_{key}", format="YYYY-MM-DD")
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.text_input("Owner", key=f"owner_{key}", max_chars=120)
            st.text_input("How it will be verified", key=f"verified_{key}", max_chars=500)
            _name(f"action_author_{key}")
        st.form_submit_button(
            "Save action", key=f"action_save_{key}", on_click=_save_action, args=(run_id, event_id, key)
        )


def _name(key: str) -> None:
    st.session_state.setdefault(key, st.session_state.get("reviewer", ""))
    st.text_input("Your name", key=key, max_chars=120)


def _save_note(run_id: str, event_id: str | None, key: str) -> None:
    kind = str(st.session_state.get(f"kind_{key}") or PROSE[0])
    body = {"comment": st.session_state.get(f"note_{key}", "")}
    author = str(st.session_state.get(f"note_author_{key}", ""))
    _save(key, Review(run_id, kind, author, body, event_id), [f"note_{key}"])


def _save_action(run_id: str, event_id: str | None, key: str) -> None:
    def given(name: str) -> Any:
        return st.session_state.get(f"{name}_{key}")

    body = {
        "comment": given("action"),
        "prevention_layer": given("layer"),
        "durable": TERMS.get(str(given("term"))),
        "due": given("due").isoformat() if given("due") else None,
        "owner": given("owner"),
        "verified": given("verified"),
    }
    said = {name: value for name, value in body.items() if value not in (None, "")}
    review = Review(run_id, "action", str(given("action_author") or ""), said, event_id)
    _save(key, review, [f"action_{key}", f"owner_{key}", f"verified_{key}"])


def _save(key: str, review: Review, texts: Sequence[str]) -> None:
    """The review is in the store, or the reason stands beside the form and what was typed is still there."""
    try:
        write(store(store_url()), [review])
    except FaultlensError as refusal:
        st.session_state[f"note_said_{key}"] = str(refusal)
        return
    st.session_state.update(dict.fromkeys(texts, "") | {"reviewer": review.author.strip(), f"note_said_{key}": ""})


def _say(key: str) -> None:
    refusal = st.session_state.pop(f"note_said_{key}", None)
    if refusal:
        st.error("Not saved; nothing you typed is lost.", icon=":material/error:")
        st.text(refusal)
    elif refusal is not None:
        st.success("Saved. It stands in the report of this run.", icon=":material/check:")
