"""What a reviewer decides about a signature: resolved, reopened, merged into another, split off again."""

from __future__ import annotations

import streamlit as st

from dashboard.reading import store, store_url
from ingest.reviews import LONGEST, Review, write
from ingest.store import FaultlensError
from queries.failures.signatures import SignatureRow

WORDS = {
    "resolved": "✓ It is resolved",
    "reopened": "↺ It is not resolved",
    "merge": "⊕ It is the same as another",
    "split": "⊖ It is a failure of its own",
}


def decide(row: SignatureRow, others: dict[str, str]) -> None:
    """The form; what it says is kept, and nothing a person wrote is ever changed."""
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
            help="Only for “the same as another”.",
        )
        author = st.text_input("Your name")
        comment = st.text_area("Why", max_chars=LONGEST)
        if st.form_submit_button("Save", type="primary"):
            subject = about if action == "split" and about else row.signature
            body = {"signature": subject, "action": action, "comment": comment}
            _save(row, author, body | ({"into": into} if action == "merge" and into else {}))


def _save(row: SignatureRow, author: str, body: dict[str, str]) -> None:
    try:
        write(store(store_url()), [Review(row.example_run, "signature", author, body, row.example_event)])
    except FaultlensError as refusal:
        st.error("It is not saved.", icon=":material/error:")
        st.code(str(refusal), language=None, wrap_lines=True)
        return
    st.rerun()
