"""Recorded text in a chart: Plotly reads a subset of HTML in labels, so text from a trace passes here first."""

from __future__ import annotations

import unicodedata

_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "{": "&#123;", "}": "&#125;"})


def plain(text: str | None, longest: int = 48) -> str:
    """The text as Plotly shows it literally: cut, on one line, without control or direction marks."""
    shown = "".join(c if unicodedata.category(c)[0] != "C" else " " for c in text or "–")
    shown = " ".join(shown.split())
    cut = shown if len(shown) <= longest else shown[: longest - 1] + "…"
    return cut.translate(_ENTITIES)
