"""The alert's rules once more, as a machine that walks from day to day: what the SQL must agree with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt

Z = 1.959963984540054
DAYS_OUTSIDE = 7
DAYS_INSIDE = 2


@dataclass(frozen=True)
class Band:
    low: float = 0.08
    high: float = 0.30
    min_finished: int = 20

    @property
    def margin(self) -> float:
        width = round(self.high - self.low, 9)
        return 0.02 if width > 0.04 else (self.high - self.low) / 4


@dataclass(frozen=True)
class Window:
    """What one daily evaluation sees."""

    escalated: int
    finished: int


def wilson(k: int, n: int) -> tuple[float, float]:
    p, z2 = k / n, Z * Z
    middle = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = Z * sqrt(p * (1 - p) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    return (0.0 if k == 0 else middle - half), (1.0 if k == n else middle + half)


def reading(window: Window, band: Band) -> tuple[str, str | None]:
    """State and evidence, without memory."""
    if window.finished == 0:
        return "NO_DATA", None
    if window.finished < band.min_finished:
        return "INSUFFICIENT_DATA", None
    rate = window.escalated / window.finished
    low, high = wilson(window.escalated, window.finished)
    if rate < band.low:
        return "LOW", "confirmed" if high < band.low else "suspected"
    if rate > band.high:
        return "HIGH", "confirmed" if low > band.high else "suspected"
    return "OK", "proven" if low >= band.low and high <= band.high else "unproven"


def is_well_inside(window: Window, band: Band) -> bool:
    if reading(window, band)[0] != "OK":
        return False
    rate = window.escalated / window.finished
    over_low = band.low == 0 or rate >= round(band.low + band.margin, 9)
    under_high = band.high == 1 or rate <= round(band.high - band.margin, 9)
    return over_low and under_high


def alerts(windows: Iterable[Window], band: Band) -> list[str]:
    """The alert after each daily evaluation."""
    alert, side, outside, inside = "OK", "", 0, 0
    found = []
    for window in windows:
        state, evidence = reading(window, band)
        outside = outside + 1 if state in {"LOW", "HIGH"} and state == side else int(state in {"LOW", "HIGH"})
        side = state
        inside = inside + 1 if is_well_inside(window, band) else 0
        if evidence == "confirmed" or outside >= DAYS_OUTSIDE:
            alert = state
        elif inside >= DAYS_INSIDE:
            alert = "OK"
        found.append(alert)
    return found


def changes(found: Iterable[str]) -> int:
    """How often an alert changed."""
    before, number = "OK", 0
    for alert in found:
        number += alert != before
        before = alert
    return number


def sliding(days: list[Window], length: int) -> list[Window]:
    """The windows of this many days that are full."""
    return [
        Window(sum(day.escalated for day in part), sum(day.finished for day in part))
        for part in (days[end - length : end] for end in range(length, len(days) + 1))
    ]
