"""Which public contract of the runtime a failure broke: derived from the failing events, with the rule.

The runtime's store has no such column. Only what its closed map of exceptions allows is named; anything
else is `unclassified` and stays so. `environmental` is never derived: only an adapter may declare it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

STRUCTURAL = "structural"
SEMANTIC = "semantic"
AUTHORITY = "authority"
UNCLASSIFIED = "unclassified"

CLASS_OF_FAILING_EVENT = {
    "STEP_FAILED": STRUCTURAL,
    "RETRIEVAL_FAILED": STRUCTURAL,
    "REASONING_FAILED": STRUCTURAL,
    "VERIFICATION_FAIL": SEMANTIC,
}
_ENTROPY_LEDGER = "entropy "


@dataclass(frozen=True, slots=True)
class Classified:
    """A contract class and the rule it follows from."""

    value: str
    rule: str


def of_event(event_type: str, error: str | None) -> Classified:
    """The class of one failing event; the entropy ledger's errors are semantic whatever stage raised them."""
    if error is not None and error.startswith(_ENTROPY_LEDGER):
        return Classified(SEMANTIC, f"{event_type} with an entropy-ledger error: semantic")
    value = CLASS_OF_FAILING_EVENT.get(event_type, UNCLASSIFIED)
    return Classified(value, f"{event_type}: {value}")


def of_step(failing: Iterable[tuple[str, str | None]]) -> Classified:
    """The class of a step from its failing (event type, error text); two classes in one step name none."""
    found = [of_event(event_type, error) for event_type, error in failing]
    values = {classified.value for classified in found}
    if len(values) == 1:
        return found[0]
    rules = ", ".join(dict.fromkeys(classified.rule for classified in found))
    return Classified(UNCLASSIFIED, f"{rules or 'no failing event'}; together unclassified")


def of_run(classes: Iterable[str]) -> str | None:
    """The class all failures of a run share, unclassified where they differ, None where there are none."""
    distinct = set(classes)
    if not distinct:
        return None
    return distinct.pop() if len(distinct) == 1 else UNCLASSIFIED
