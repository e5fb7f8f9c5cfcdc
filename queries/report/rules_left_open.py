"""The rules that met a record of one run which lacks what they need."""

from __future__ import annotations

from dataclasses import dataclass

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class RuleLeftOpenRow:
    """A rule that could not judge; `judged_others`: for other records of the run it could."""

    run_id: str
    rule: str
    judged_others: bool


def rules_left_open(lease: Engine, *, run: str) -> Answer[RuleLeftOpenRow]:
    """The rules that met a record of one run which lacks what they need."""
    return ask(lease, __file__, RuleLeftOpenRow, run=run)
