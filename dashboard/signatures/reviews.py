"""What a reviewer decides about a signature: resolved, reopened, merged into another, split off again."""

from __future__ import annotations

import streamlit as st

from dashboard.paging import matching
from dashboard.reading import ask, store, store_url
from dashboard.tables import more
from ingest.reviews import LONGEST, Review, write
from ingest.store import FaultlensError
from queries.failures.signatures import SignatureRow, signatures

WORDS = {
    "resolved": "✓ It is resolved",
    "reopened": "↺ It is not resolved",
    "merge": "⊕ It is the same as another",
    "split": "⊖ It is a failure of its own",
}


OTHERS_OFFERED = 50


def decide(row: SignatureRow) -> None:
    """The form; what it says is kept, and nothing a person wrote is ever changed."""
    others = _others(row)
    with st.form(f"decide_{row.signature}", border=True):
        action = st.selectbox("Decision", list(WORDS), format_func=lambda name: WORDS[name])
        parts = list(row.merged) or [row.signature]
        about = (
            st.selectbox("Which signature", parts, help="Of merged ones the one to split off.") if row.merged else None
        )
        into = st.selectbox(
            "The other signature",
            list(others),
            index=None,
            format_func=lambda s: others[s],
            help="Only for “the same as another”: one of those that the search above finds.",
        )
        author = st.text_input("Your name")
        comment = st.text_area("Why", max_chars=LONGEST)
        if st.form_submit_button("Save", type="primary"):
            subject = about if action == "split" and about else row.signature
            body = {"signature": subject, "action": action, "comment": comment}
            _save(row, author, body | ({"into": into} if action == "merge" and into else {}))


def _others(row: SignatureRow) -> dict[str, str]:
    """What this one may be merged into: the most frequent signatures that a search finds; more are said to be there."""
    search = st.text_input(
        "Find the other signature", key=f"other_of_{row.signature}", type="search", value=row.error_code or "",
        placeholder="Code, type, location, phase, signature", help="Only for “the same as another”.",
    )  # fmt: skip
    found = ask(signatures, search=search or None, limit=OTHERS_OFFERED)
    others = [other for other in found if other.signature != row.signature]
    more(len(found), matching(found), "signatures match")
    return {
        other.signature: f"{other.error_code or other.type or '?'} {other.location or ''} ({other.signature})"
        for other in others
    }


def _save(row: SignatureRow, author: str, body: dict[str, str]) -> None:
    try:
        write(store(store_url()), [Review(row.example_run, "signature", author, body, row.example_event)])
    except FaultlensError as refusal:
        st.error("It is not saved.", icon=":material/error:")
        st.code(str(refusal), language=None, wrap_lines=True)
        return
    st.rerun()
