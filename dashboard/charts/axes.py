"""Axes of counts and of days, also where there are few of them: Plotly would divide what has no parts."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import date, timedelta
from typing import Any

# From so many on Plotly chooses whole numbers by itself, and days.
_COUNTS, _DAYS = 6, 8
_DAY = timedelta(days=1)


def of_counts(most: int, title: str) -> dict[str, Any]:
    """An axis from nothing to the largest of the counts, with marks at whole numbers."""
    apart = {"dtick": 1} if most < _COUNTS else {"nticks": _COUNTS}
    return {"title_text": title, "rangemode": "tozero", "tickformat": ",d", "zeroline": False, **apart}


def of_days(days: Iterable[date]) -> dict[str, Any]:
    """An axis of days with marks at days; a single one stands between the day before and the day after."""
    shown = sorted(set(days))
    if not shown or _are_many(shown):
        return {}
    around = {"range": [shown[0] - _DAY, shown[0] + _DAY]} if len(shown) == 1 else {}
    return {"tickvals": shown, "tickformat": "%d %b<br>%Y", **around}


def _are_many(days: Collection[date]) -> bool:
    return (max(days) - min(days)).days >= _DAYS
