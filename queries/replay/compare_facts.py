"""Two runs side by side: how each ended and what it counts."""

from __future__ import annotations

from dataclasses import dataclass

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class CompareFactRow:
    """A fact of both runs; None where it is not recorded."""

    fact: str
    value_a: str | None
    value_b: str | None
    same: bool


def compare_facts(
    lease: Engine,
    *,
    run_a: str,
    run_b: str,
) -> Answer[CompareFactRow]:
    """Two runs side by side: how each ended and what it counts."""
    return ask(
        lease, __file__, CompareFactRow,
        run_a=run_a, run_b=run_b,
    )  # fmt: skip
