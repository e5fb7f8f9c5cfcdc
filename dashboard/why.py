"""“Why this number?”: what stands beside every figure and lets anyone check it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import streamlit as st

from dashboard.literal import labelled
from queries.reader import Answer


def why(
    answer: Answer[Any], counted: str, left_out: Mapping[str, int] | None = None, *, note: str | None = None
) -> None:
    """The figure's evidence on demand: what was counted, what was left out and why, the SQL, the generation."""
    with st.popover("Why this number?", type="tertiary", icon=":material/help:", width="content"):
        missing = {reason: rows for reason, rows in {**answer.left_out, **(left_out or {})}.items() if rows}
        told = {
            "Counted": counted,
            "Left out": "\n".join(f"{rows:,} {reason}" for reason, rows in missing.items()) or "nothing",
        }
        labelled(told | ({"How to read it": note} if note else {}), columns=1)
        st.caption("Ask it yourself")
        st.code(_command(answer), language="bash", wrap_lines=True)
        st.caption(f"The metric: named query {answer.name}")
        st.code(answer.sql.strip(), language="sql", height=240)
        labelled({"Generation of the store": str(answer.generation)}, columns=1)


def _command(answer: Answer[Any]) -> str:
    given = {name: value for name, value in answer.parameters.items() if value is not None}
    options = [f"--param {name}={shlex.quote(_written(value))}" for name, value in given.items()]
    return " ".join(["faultlens query", answer.name, *options])


def _written(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
