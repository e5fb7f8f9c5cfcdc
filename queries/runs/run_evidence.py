"""What the verdicts on a run count, and what its files held that they do not."""

from __future__ import annotations

from dataclasses import dataclass

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class EvidenceRow:
    """Records of one kind that are counted, or that were left out with the reason."""

    verdict: str
    what: str
    records: int


def run_evidence(lease: Engine, *, run: str) -> Answer[EvidenceRow]:
    """The records of one run that its verdicts count, and those of its files that were left out, with the reason."""
    return ask(lease, __file__, EvidenceRow, run=run)
