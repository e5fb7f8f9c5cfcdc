"""The failure profiles of bijux-canon-agent: one normative profile per failure class, whatever a record claims."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Category = Literal["operational", "epistemic"]


@dataclass(frozen=True, slots=True)
class FailureProfile:
    """What holds for a failure class: how to react, whether policy may retry it, whether its run may be replayed."""

    failure_class: str
    category: Category
    retryable: bool
    replayable: bool


PROFILES: tuple[FailureProfile, ...] = (
    FailureProfile("user_interruption", "operational", retryable=False, replayable=True),
    FailureProfile("epistemic_uncertainty", "epistemic", retryable=False, replayable=True),
    FailureProfile("verification_veto", "operational", retryable=False, replayable=True),
    FailureProfile("budget_exceeded", "operational", retryable=False, replayable=True),
    FailureProfile("max_iterations", "operational", retryable=False, replayable=True),
    FailureProfile("fatal_failure", "operational", retryable=False, replayable=False),
    FailureProfile("execution_error", "operational", retryable=True, replayable=False),
    FailureProfile("validation_error", "operational", retryable=False, replayable=True),
    FailureProfile("resource_exhaustion", "operational", retryable=True, replayable=False),
)
_BY_CLASS = {entry.failure_class: entry for entry in PROFILES}
# The documents say `operational`, the code writes `operational_failure`.
_CATEGORIES: dict[str, Category] = {
    "operational": "operational",
    "operational_failure": "operational",
    "epistemic": "epistemic",
    "epistemic_failure": "epistemic",
}


def profile(failure_class: str | None) -> FailureProfile | None:
    """The profile of the class, or None for a class that has none."""
    return _BY_CLASS.get(failure_class) if failure_class else None


def normative_category(written: str) -> Category | None:
    """The category in the words of the profiles, or None where it is neither."""
    return _CATEGORIES.get(written)
