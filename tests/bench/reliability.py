"""How often the alert cries wolf, and how often it misses: `make reliability` prints the table of the README.

20 attempts a day, a window of 7 days, the default band 8–30 %. The memoryless rule looks at the same window and says
LOW or HIGH whenever the point is outside; on single days it has 20 attempts to look at.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from tests.queries.escalation.oracle import Band, Window, alerts, changes, reading, sliding

SEED = 20261130
ATTEMPTS_A_DAY = 20
WINDOW_DAYS = 7
BAND = Band()
Rule = Callable[[Sequence[Window]], list[str]]


def seeded() -> random.Random:
    """The same chances every time."""
    return random.Random(SEED)  # noqa: S311 - nothing secret hangs on it


def stretch(rng: random.Random, rate: float, days: int, window_days: int) -> list[Window]:
    """So many daily evaluations, each of a full window."""
    counted = [
        Window(sum(rng.random() < rate for _ in range(ATTEMPTS_A_DAY)), ATTEMPTS_A_DAY)
        for _ in range(days + window_days - 1)
    ]
    return sliding(counted, window_days)


def with_memory(windows: Sequence[Window]) -> list[str]:
    return alerts(windows, BAND)


def memoryless(windows: Sequence[Window]) -> list[str]:
    return [reading(window, BAND)[0] for window in windows]


def share_that_alerts(rule: Rule, rate: float, days: int, stretches: int, window_days: int = WINDOW_DAYS) -> float:
    """The share of stretches in which the rule says LOW or HIGH at least once."""
    rng = seeded()
    return sum(set(rule(stretch(rng, rate, days, window_days))) != {"OK"} for _ in range(stretches)) / stretches


def changes_a_stretch(rule: Rule, rate: float, days: int, stretches: int) -> float:
    """How often the rule changes its mind in a stretch, on average."""
    rng = seeded()
    return sum(changes(rule(stretch(rng, rate, days, WINDOW_DAYS))) for _ in range(stretches)) / stretches


def table(stretches: int = 4_000) -> list[tuple[str, ...]]:
    """The rows of the README's table: question, with memory, memoryless on 7 days, memoryless on single days."""
    healthy = [
        share_that_alerts(with_memory, 0.15, 90, stretches),
        share_that_alerts(memoryless, 0.15, 90, stretches),
        share_that_alerts(memoryless, 0.15, 90, stretches, window_days=1),
    ]
    low = [
        share_that_alerts(with_memory, 0.06, 90, stretches),
        share_that_alerts(memoryless, 0.06, 90, stretches),
        share_that_alerts(memoryless, 0.06, 90, stretches, window_days=1),
    ]
    moved = [changes_a_stretch(rule, 0.06, 180, stretches) for rule in (with_memory, memoryless)]
    return [
        ("healthy, true rate 15 %: 90-day stretches that ever alert", *(f"{100 * share:.2f} %" for share in healthy)),
        ("too low, true rate 6 %: 90-day stretches in which it is found", *(f"{100 * share:.2f} %" for share in low)),
        ("too low, true rate 6 %: changes in 180 days", *(f"{number:.1f}" for number in moved), "–"),
    ]


def main() -> None:
    """The table, in Markdown."""
    print("| 20 attempts a day, band 8–30 % | alert with memory | point on 7 days | point on single days |")
    print("|---|---|---|---|")
    for row in table():
        print(f"| {' | '.join(row)} |")


if __name__ == "__main__":
    main()
