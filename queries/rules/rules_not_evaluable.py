"""The runs in which a rule met a record that lacks what it needs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class NotEvaluableRow:
    """A run where the rule is not evaluable; `evaluated_too`: for other records of the run it is."""

    rule: str
    run_id: str
    run_name: str | None
    workload: str
    source: str
    started_at: datetime | None
    evaluated_too: bool
    matching: int


def rules_not_evaluable(
    lease: Engine,
    *,
    rule: str,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int = 200,
    offset: int = 0,
) -> Answer[NotEvaluableRow]:
    """The runs in which a rule met a record that lacks what it needs."""
    return ask(
        lease, __file__, NotEvaluableRow, rule=rule, workload=workload, source=source, since=since, until=until,
        limit=limit, offset=offset,
    )  # fmt: skip
