"""“Why this number?”: what stands beside every figure and lets anyone check it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import streamlit as st

from queries.reader import Answer


def why(
    answer: Answer[Any], counted: str, left_out: Mapping[str, int] | None = None, *, note: str | None = None
) -> None:
    """The figure's evidence on demand: what was counted, what was left out and why, the SQL, the generation."""
    with st.popover("Why this number?", type="tertiary", icon=":material/help:", width="content"):
        _line("Counted", counted)
        missing = {reason: rows for reason, rows in {**answer.left_out, **(left_out or {})}.items() if rows}
        _line("Left out", "\n".join(f"{rows:,} {reason}" for reason, rows in missing.items()) or "nothing")
        if note:
            _line("How to read it", note)
        st.caption("Ask it yourself")
        st.code(_command(answer), language="bash", wrap_lines=True)
        st.caption(f"The metric: named query {answer.name}")
        st.code(answer.sql.strip(), language="sql", height=240)
        _line("Generation of the store", str(answer.generation))


def _line(label: str, text: str) -> None:
    st.caption(label)
    st.text(text)


def _command(answer: Answer[Any]) -> str:
    given = {name: value for name, value in answer.parameters.items() if value is not None}
    options = [f"--param {name}={shlex.quote(_written(value))}" for name, value in given.items()]
    return " ".join(["faultlens query", answer.name, *options])


def _written(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
