"""What each rule could judge in one run."""

from __future__ import annotations

from dataclasses import dataclass

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class RunRuleRow:
    """A rule in one run; neither evaluated nor not evaluable: it met nothing to judge."""

    run_id: str
    rule: str
    severity: str
    evaluated: bool
    not_evaluable: bool
    needs: str


def run_rules(lease: Engine, *, run: str) -> Answer[RunRuleRow]:
    """What each rule could judge in one run; no row where the run was loaded before there were rules."""
    return ask(lease, __file__, RunRuleRow, run=run)
