"""How often a step that was named is the labelled one, with Wilson's 95 % interval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from tests.attribution.labelled import ERROR_LIKE, Case, agent_key

Z = 1.959964
MEASURES = ("agent", "step", "step ±1", "step ±3")


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many; a mean over repetitions need not be whole."""

    hits: float
    of: int

    @property
    def rate(self) -> float:
        return self.hits / self.of if self.of else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval."""
        if not self.of:
            return 0.0, 1.0
        z2n = Z * Z / self.of
        middle, half = self.rate + z2n / 2, sqrt(z2n * (self.rate * (1 - self.rate) + z2n / 4))
        return max(0.0, (middle - half) / (1 + z2n)), min(1.0, (middle + half) / (1 + z2n))


def hits(case: Case, step: int | None) -> tuple[bool, bool, bool, bool]:
    """Agent, step, within one, within three; a run for which no step is named is missed."""
    if step is None:
        return False, False, False, False
    spoke = case.steps[step].agent if 0 <= step < len(case.steps) else ""
    away = abs(step - case.step)
    return agent_key(spoke) == agent_key(case.agent), away == 0, away <= 1, away <= 3


def shares(cases: Sequence[Case], rounds: Sequence[Sequence[int | None]]) -> list[Share]:
    """Each measure over all the cases, as the mean of the rounds."""
    rows = [hits(case, step) for steps in rounds for case, step in zip(cases, steps, strict=True)]
    return [Share(sum(row[place] for row in rows) / max(1, len(rounds)), len(cases)) for place in range(len(MEASURES))]


def baselines(cases: Sequence[Case]) -> dict[str, list[int | None]]:
    """What must be beaten. The constant is the best one for these very files, which favours it."""
    errors = [_first_error(case) for case in cases]
    constant = Counter(case.step for case in cases).most_common(1)[0][0] if cases else 0
    return {
        "last step": [len(case.steps) - 1 for case in cases],
        "first error-like text": list(errors),
        "step before it": [None if at is None else max(0, at - 1) for at in errors],
        f"constant step ({constant}, chosen on these files)": [constant] * len(cases),
    }


def _first_error(case: Case) -> int | None:
    """The first message after the task whose text looks like an error."""
    return next((at for at, step in enumerate(case.steps) if at and ERROR_LIKE.search(step.text)), None)
