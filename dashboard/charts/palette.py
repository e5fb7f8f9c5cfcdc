"""Colours that people with any colour vision can tell apart (Okabe-Ito), on light and dark; a glyph beside each."""

from __future__ import annotations

OUTCOME_COLOURS = {
    "succeeded": "#00967A",
    "failed": "#D55E00",
    "vetoed": "#B5659F",
    "escalated": "#E69F00",
    "aborted": "#99431A",
    "interrupted": "#56B4E9",
    "refused": "#7D5BA6",
    "running": "#3B78B1",
    "unknown": "#8C99A6",
}
STEP_COLOURS = {
    "ok": "#00967A",
    "error": "#D55E00",
    "open": "#E69F00",
    "not_reached": "#8C99A6",
    "unset": "#8C99A6",
}
MARK_COLOURS = {
    "error": "#8A2B00",
    "recovery": "#1F6FBF",
    "guardrail": "#94417C",
    "wait": "#8A6500",
    "handoff": "#3F6B7A",
}
ACCENT = "#3B78B1"
UNLISTED = "#8C99A6"
GRID = "rgba(128, 140, 152, 0.25)"
