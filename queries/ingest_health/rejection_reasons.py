"""Why records were refused, the most frequent reason first."""

from __future__ import annotations

from dataclasses import dataclass

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class RejectionReasonRow:
    """A reason for refusing records, with how many files and records it met."""

    reason: str
    records: int
    files: int


def rejection_reasons(lease: Engine) -> Answer[RejectionReasonRow]:
    """Why records were refused, the most frequent reason first."""
    return ask(lease, __file__, RejectionReasonRow)
