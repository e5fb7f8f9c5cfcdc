"""Steps that a failure may have originated in, ranked, each with the rule that suspects it and its evidence."""

from __future__ import annotations

from dataclasses import dataclass

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class OriginCandidateRow:
    """A suspected step, always derived. `rule` is the strongest of `rules`; each of those stands with its weight."""

    run_id: str
    rank: int
    step: str
    agent: str | None
    rule: str | None
    evidence: str | None
    score: float
    rules: tuple[str, ...]
    event_id: str
    seq: int | None
    basis: str


def origin_candidates(
    lease: Engine, *, run: str, event: str | None = None, all_steps: bool = False, limit: int = 10
) -> Answer[OriginCandidateRow]:
    """Steps that a failure may have originated in, ranked, each with the rule that suspects it and its evidence."""
    return ask(lease, __file__, OriginCandidateRow, run=run, event=event, all_steps=all_steps, limit=limit)
