"""The review widgets: what the record says, what people said of it, and a form that loses nobody's entry.

`review_panel` may stand on any page. The form keeps what a person typed when somebody else saves meanwhile:
both reviews are then kept, and the panel says that two stand.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from dashboard.cards import facts
from dashboard.reading import ask, store, store_url
from dashboard.tables import table
from dashboard.wording import ABSENT, moment, said
from ingest.reviews import CONTEXT_CLASSES, FIX_POINTS, LAYERS, LONGEST, Review, notes_on, write
from ingest.store import FaultlensError
from queries.origins.origins import OriginRow, origins
from queries.origins.reviews import ReviewRow, reviews

BASIS = {"reviewed": "✓ reviewed", "recorded": "● recorded", "derived": "≈ derived"}
FIX_WORDS = {"observation": "where it was observed (provisional)", "origin": "where it originated"}
_FIELDS = (
    "observed_at",
    "originated_at",
    "trigger",
    "root_cause",
    "context_failure_class",
    "fix_at",
    "prevention_layer",
    "prevention",
)


def basis(value: str | None) -> str:
    """Glyph and word of what a value rests on."""
    return BASIS.get(value or "", said(value))


def review_panel(run_id: str, event_id: str | None) -> None:
    """A failure's diagnosis beside its record, its reviews, and the form to review it."""
    row = next((row for row in ask(origins, run=run_id) if row.event_id == event_id), None)
    history = [r for r in ask(reviews, run=run_id) if r.event_id == event_id]
    subject = _Subject(run_id, event_id)
    _draw_current(row, history, of_an_event=subject.event_id is not None)
    _draw_form(subject, row, history)
    _draw_history(history)


@dataclass(frozen=True, slots=True)
class _Subject:
    """The failure under review, and the names of its widgets."""

    run_id: str
    event_id: str | None

    def key(self, name: str) -> str:
        digest = hashlib.sha256(f"{self.run_id}\x1f{self.event_id}".encode()).hexdigest()[:12]
        return f"review_{name}_{digest}"


def _draw_current(row: OriginRow | None, history: Sequence[ReviewRow], *, of_an_event: bool) -> None:
    with st.container(border=True):
        if row is None:
            st.badge("no diagnosis yet", icon=":material/help:", color="gray")
            st.caption(
                "Neither the record nor a person says where this failure began. The form below is the place to say it."
                if of_an_event
                else "Nobody says where the run as a whole began. Its failures may be diagnosed singly: choose one."
            )
            return
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.badge(
                basis(row.basis),
                color="green" if row.basis == "reviewed" else "blue" if row.basis == "recorded" else "gray",
            )
            if row.provisional:
                st.badge("◔ provisional", color="orange", help="Fixed where it was observed: it stays open.")
            if row.resolved:
                st.badge("✓ marked resolved", color="green")
            st.text(
                f"{row.author or 'author not recorded'}{f', {moment(row.diagnosed_at)}' if row.diagnosed_at else ''}"
            )
        facts(_values(row), columns=2)
        _warn_of(row, history)


def _values(row: OriginRow) -> dict[str, str]:
    return {
        "Observed at": said(row.observed_at),
        "Originated at": _beside(row.originated_at, row.recorded_originated_at),
        "Trigger": _beside(row.trigger, row.recorded_trigger),
        "Root cause": _beside(row.root_cause, row.recorded_root_cause),
        "Fix": _beside(row.fix_at, row.recorded_fix_at),
        "Prevention": " · ".join(part for part in (row.prevention_layer, row.prevention) if part) or "not recorded",
    }


def _beside(value: str | None, recorded: str | None) -> str:
    """The value, with the recorded one beside it where a person said another."""
    return said(value) if value == recorded else f"{said(value)}\n(recorded: {said(recorded)})"


def _warn_of(row: OriginRow, history: Sequence[ReviewRow]) -> None:
    standing = [r for r in history if r.kind == "diagnosis" and not r.superseded]
    if len(standing) > 1:
        st.warning(
            f"{len(standing)} reviews stand side by side: they were written at the same time. The newest is shown; "
            "your next review settles it.", icon=":material/call_split:",
        )  # fmt: skip
    if row.trigger_is_cause:
        st.warning(
            "The trigger is recorded as the root cause: what let it become a failure is still unsaid.",
            icon=":material/priority_high:",
        )
    if row.prevention_null:
        st.warning(
            "This prevention prevents nothing: it names no layer, or only asks for more care.",
            icon=":material/priority_high:",
        )
    if row.distance is not None and row.distance < 0:
        st.warning("The origin lies after its observation: one of the two is wrong.", icon=":material/priority_high:")


def _draw_form(subject: _Subject, row: OriginRow | None, history: Sequence[ReviewRow]) -> None:
    standing = tuple(r.review_id for r in history if r.kind == "diagnosis" and not r.superseded)
    seen = st.session_state.setdefault(subject.key("seen"), standing)
    _fill(subject, row)
    if seen != standing:
        _say_overtaken(subject, history, standing)
    review, comment, resolve = st.tabs(["Review the diagnosis", "Comment", "Resolve"])
    with review:
        _diagnosis_form(subject, row)
    with comment, st.form(subject.key("comment_form"), border=False, enter_to_submit=False):
        st.text_area("Comment", key=subject.key("comment"), max_chars=LONGEST)
        _author(subject, "comment")
        st.form_submit_button("Save comment", key=subject.key("save_comment"), on_click=_save_comment, args=(subject,))
    with resolve:
        _resolution_form(subject, row, history)
    _say_outcome(subject)


def _diagnosis_form(subject: _Subject, row: OriginRow | None) -> None:
    recorded = {name: getattr(row, f"recorded_{name}", None) for name in _FIELDS} if row is not None else {}
    with st.form(subject.key("form"), border=False, enter_to_submit=False):
        st.caption(
            "Save it unchanged to confirm the record; a change overrides it. An empty field keeps what is recorded."
        )
        _diagnosis_fields(subject)
        st.form_submit_button(
            "Save review", type="primary", key=subject.key("save"), on_click=_save_diagnosis, args=(subject, recorded)
        )


def _resolution_form(subject: _Subject, row: OriginRow | None, history: Sequence[ReviewRow]) -> None:
    resolved = row is not None and row.resolved
    before = next((r.review_id for r in history if r.kind == "resolution"), None)
    with st.form(subject.key("resolve_form"), border=False, enter_to_submit=False):
        st.caption("A provisional fix stays on the open list even when its failure is marked resolved.")
        _author(subject, "resolution")
        st.form_submit_button(
            "Reopen" if resolved else "Mark resolved", key=subject.key("resolve"), on_click=_save_resolution,
            args=(subject,), kwargs={"resolved": not resolved, "before": before},
        )  # fmt: skip


def _diagnosis_fields(subject: _Subject) -> None:
    help_phase = "A phase, then a step or an artifact: CLASSIFY / acceptance criteria"
    left, right = st.columns(2)
    left.text_input("Observed at", key=subject.key("observed_at"), help=help_phase)
    right.text_input("Originated at", key=subject.key("originated_at"), help=help_phase)
    left, right = st.columns(2)
    left.text_area("Trigger", key=subject.key("trigger"), help="What set it off: an event.", height=80)
    right.text_area(
        "Root cause", key=subject.key("root_cause"), help="What let it become a failure. Never the trigger.", height=80
    )
    left, right = st.columns(2)
    left.selectbox(
        "Fix point", FIX_POINTS, index=None, format_func=lambda v: FIX_WORDS.get(v, v), key=subject.key("fix_at"),
        help="A fix where the failure was observed is provisional and stays open.",
    )  # fmt: skip
    right.selectbox("Context failure class", CONTEXT_CLASSES, index=None, key=subject.key("context_failure_class"))
    left, right = st.columns(2)
    left.selectbox("Prevention layer", LAYERS, index=None, key=subject.key("prevention_layer"))
    right.text_area(
        "Prevention", key=subject.key("prevention"), height=80,
        help="What will stop it, in its layer. “Be more careful” and “add it to the prompt” prevent nothing.",
    )  # fmt: skip
    _author(subject, "diagnosis")


def _author(subject: _Subject, kind: str) -> None:
    st.session_state.setdefault(subject.key(f"author_{kind}"), st.session_state.get("reviewer", ""))
    st.text_input(
        "Your name", key=subject.key(f"author_{kind}"), help="Stands beside the review for good.", max_chars=120
    )


def _fill(subject: _Subject, row: OriginRow | None) -> None:
    """What stands now is where a form begins; what a person typed since is left alone."""
    for name in _FIELDS:
        value = getattr(row, name) if row is not None else None
        closed = {"context_failure_class": CONTEXT_CLASSES, "fix_at": FIX_POINTS, "prevention_layer": LAYERS}.get(name)
        shown = (value if value in closed else None) if closed else (value or "")
        st.session_state.setdefault(subject.key(name), shown)


def _say_overtaken(subject: _Subject, history: Sequence[ReviewRow], standing: tuple[str, ...]) -> None:
    newest = next((r for r in history if r.review_id in standing), None)
    with st.container(border=True):
        st.badge("changed meanwhile", icon=":material/update:", color="orange")
        st.text(
            f"{newest.author if newest else 'Somebody'} saved a review since this form was opened. "
            "What you typed is still here."
        )
        st.caption("Saving keeps both. To begin again from what stands now:")
        st.button("Load what stands now", key=subject.key("reload"), on_click=_forget, args=(subject,))


def _forget(subject: _Subject) -> None:
    for name in (*_FIELDS, "seen", "comment", "said"):
        st.session_state.pop(subject.key(name), None)


def _save_diagnosis(subject: _Subject, recorded: Mapping[str, str | None]) -> None:
    values = {name: st.session_state.get(subject.key(name)) for name in _FIELDS}
    changed = any(value and values.get(name) != value for name, value in recorded.items())
    seen: tuple[str, ...] = st.session_state.get(subject.key("seen"), ())
    body: dict[str, Any] = {"verdict": "overridden" if changed or not any(recorded.values()) else "confirmed"}
    body |= {name: value for name, value in values.items() if value}
    if len(seen) > 1:
        body["settles"] = list(seen[1:])
    _save(subject, "diagnosis", body, seen[0] if seen else None)


def _save_comment(subject: _Subject) -> None:
    _save(subject, "comment", {"comment": st.session_state.get(subject.key("comment"), "")}, None)


def _save_resolution(subject: _Subject, *, resolved: bool, before: str | None) -> None:
    _save(subject, "resolution", {"resolved": resolved}, before)


def _save(subject: _Subject, kind: str, body: dict[str, Any], supersedes: str | None) -> None:
    """The review is in the store, or the reason stands beside the form and everything typed is still there."""
    author = str(st.session_state.get(subject.key(f"author_{kind}"), "")).strip()
    review = Review(
        run_id=subject.run_id, event_id=subject.event_id, kind=kind, author=author, body=body, supersedes=supersedes
    )
    try:
        write(store(store_url()), [review])
    except FaultlensError as refusal:
        st.session_state[subject.key("said")] = ("refused", str(refusal), [])
        return
    st.session_state["reviewer"] = author
    _forget(subject)
    st.session_state[subject.key("said")] = ("saved", author, notes_on(body))


def _say_outcome(subject: _Subject) -> None:
    outcome, text, notes = st.session_state.get(subject.key("said"), (None, "", []))
    if outcome == "refused":
        st.error("Not saved; nothing you typed is lost.", icon=":material/error:")
        st.text(text)
    elif outcome == "saved":
        st.success("Saved. It is in the store, for everybody.", icon=":material/check:")
        for note in notes:
            st.warning(note, icon=":material/priority_high:")


def _draw_history(history: Sequence[ReviewRow]) -> None:
    if not history:
        st.caption("Nobody has reviewed this failure yet.")
        return
    st.caption(
        "What people wrote, the newest first. Nothing is ever changed; a newer review names the one it supersedes."
    )
    table(
        history,
        {
            "When": lambda r: r.created_at,
            "Who": lambda r: r.author,
            "What": lambda r: (
                r.verdict or (("resolved" if r.resolved else "reopened") if r.kind == "resolution" else r.kind)
            ),
            "State": lambda r: "↷ superseded" if r.superseded else "● stands",
            "Originated at": lambda r: r.originated_at,
            "Root cause": lambda r: r.root_cause,
            "Fix": lambda r: r.fix_at,
            "Prevention": lambda r: " · ".join(p for p in (r.prevention_layer, r.prevention) if p) or ABSENT,
            "Comment": lambda r: r.comment,
        },
        alt="Reviews of this failure, the newest first",
        config={"When": st.column_config.DatetimeColumn("When (UTC)", format="YYYY-MM-DD HH:mm:ss", timezone="UTC")},
        optional=("Comment", "Originated at", "Root cause", "Fix"),
        shown_rows=6,
    )
