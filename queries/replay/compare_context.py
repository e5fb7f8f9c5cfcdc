"""The context sets of two runs: the items only one of them had."""

from __future__ import annotations

from dataclasses import dataclass

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class CompareContextRow:
    """A set of one step in both runs."""

    step_id: str
    set_name: str
    only_a: tuple[str, ...] | None
    only_b: tuple[str, ...] | None
    in_both: int
    matching: int


def compare_context(
    lease: Engine,
    *,
    run_a: str,
    run_b: str,
    limit: int = 100_000,
    offset: int = 0,
) -> Answer[CompareContextRow]:
    """The context sets of two runs: the items only one of them had."""
    return ask(
        lease, __file__, CompareContextRow,
        run_a=run_a, run_b=run_b, limit=limit, offset=offset,
    )  # fmt: skip
