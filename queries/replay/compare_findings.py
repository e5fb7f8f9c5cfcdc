"""The rules that two runs break."""

from __future__ import annotations

from dataclasses import dataclass

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class CompareFindingRow:
    """A rule with its findings in each run."""

    rule: str
    severity: str
    in_a: int
    in_b: int


def compare_findings(
    lease: Engine,
    *,
    run_a: str,
    run_b: str,
) -> Answer[CompareFindingRow]:
    """The rules that two runs break."""
    return ask(
        lease, __file__, CompareFindingRow,
        run_a=run_a, run_b=run_b,
    )  # fmt: skip
