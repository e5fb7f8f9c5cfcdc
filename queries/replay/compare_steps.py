"""The steps of two runs aligned, with what differs."""

from __future__ import annotations

from dataclasses import dataclass

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class CompareStepRow:
    """A step of either run; `differs` is None where both have it alike. The last three are told of all rows."""

    row_no: int
    kind: str
    name: str | None
    phase: str | None
    agent: str | None
    differs: str | None
    outcome_a: str | None
    outcome_b: str | None
    duration_a_s: float | None
    duration_b_s: float | None
    event_a: str | None
    event_b: str | None
    differences: int
    first_difference: int | None
    matching: int


def compare_steps(
    lease: Engine,
    *,
    run_a: str,
    run_b: str,
    differing: bool = False,
    limit: int = 5000,
    offset: int = 0,
) -> Answer[CompareStepRow]:
    """The steps of two runs aligned, with what differs; `differing` keeps only that."""
    return ask(
        lease, __file__, CompareStepRow,
        run_a=run_a, run_b=run_b, differing=differing, limit=limit, offset=offset,
    )  # fmt: skip
