"""Contract classes with the operator's response and how often each was broken."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class ContractClassRow:
    """A contract class with the response it asks for."""

    contract_class: str
    known: bool
    operator_response: str | None
    errors: int
    recorded: int
    derived: int
    runs: int


def contract_classes(
    lease: Engine,
    *,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> Answer[ContractClassRow]:
    """Contract classes with the operator's response and how often each was broken."""
    return ask(lease, __file__, ContractClassRow, workload=workload, source=source, since=since, until=until)
