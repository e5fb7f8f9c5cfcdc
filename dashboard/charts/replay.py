"""In how many replays each dimension differs."""

from __future__ import annotations

from collections.abc import Mapping

import plotly.graph_objects as go

from dashboard.charts.ranking import ranking


def differing_dimensions(counts: Mapping[str, int]) -> go.Figure:
    """The dimensions that differ, the most frequent on top."""
    most = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:12]
    return ranking([name for name, _ in most], [number for _, number in most], "replays")
