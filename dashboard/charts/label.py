"""Recorded text in a chart: Plotly reads a subset of HTML in labels, so text from a trace passes here first."""

from __future__ import annotations

import unicodedata

_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "{": "&#123;", "}": "&#125;"})


def one_line(text: str | None, longest: int = 48) -> str:
    """The text cut, on one line, without control or direction marks; still to be shown as text, never as markup."""
    shown = "".join(c if unicodedata.category(c)[0] != "C" else " " for c in text or "–")
    shown = " ".join(shown.split())
    return shown if len(shown) <= longest else shown[: longest - 1] + "…"


def plain(text: str | None, longest: int = 48) -> str:
    """The text as Plotly shows it literally: one line, with nothing in it that Plotly reads as markup."""
    return one_line(text, longest).translate(_ENTITIES)
