"""How many signatures are in each state of their lifecycle."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.failures.signatures import quiet_s
from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class SignatureStateRow:
    """A state, the signatures in it, and the errors that have them."""

    state: str
    signatures: int
    occurrences: int


def signature_states(
    lease: Engine,
    *,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    search: str | None = None,
    resolved_after_s: int | None = None,
) -> Answer[SignatureStateRow]:
    """How many signatures are in each state, and how many errors have them."""
    return ask(
        lease, __file__, SignatureStateRow, workload=workload, source=source, since=since, until=until, search=search,
        resolved_after_s=quiet_s() if resolved_after_s is None else resolved_after_s,
    )  # fmt: skip
