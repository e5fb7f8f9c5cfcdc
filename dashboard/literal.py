"""Recorded text as one element of the page, escaped: a browser builds one element much sooner than fifty."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

import streamlit as st

_NARROWEST, _GAP = 132, 15
_LABEL = "font-size:0.875rem;line-height:1.6;opacity:0.65;margin:0;font-weight:400"
# A long text scrolls in its place instead of pushing everything else off the page.
_VALUE = "margin:0;line-height:1.6;white-space:pre-wrap;overflow-wrap:anywhere;max-height:16rem;overflow:auto"
_BLOCK = (
    "margin:0;padding:0.75rem 1rem;border-radius:6px;border:1px solid rgba(128,140,152,0.25);font-size:0.8125rem;"
    "background:rgba(128,140,152,0.1);white-space:pre-wrap;overflow-wrap:anywhere;max-height:24rem;overflow:auto"
)


def labelled(values: Mapping[str, str], columns: int) -> None:
    """Each text below its label, at most so many beside one another."""
    width = f"max({_NARROWEST}px,(100% - {(columns - 1) * _GAP}px)/{columns})"
    grid = f"display:grid;grid-template-columns:repeat(auto-fill,minmax({width},1fr));gap:{_GAP}px;margin:0;padding:0"
    pairs = (
        f'<div><dt style="{_LABEL}">{escape(label)}</dt><dd style="{_VALUE}">{escape(value)}</dd></div>'
        for label, value in values.items()
    )
    st.html(f'<dl style="{grid}">{"".join(pairs)}</dl>')


def block(text: str) -> None:
    """A longer text in a frame of its own, with the lines it has."""
    st.html(f'<pre style="{_BLOCK}">{escape(text)}</pre>')
