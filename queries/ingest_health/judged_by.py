"""Which version of the derivation judged how many runs."""

from __future__ import annotations

from dataclasses import dataclass

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class JudgedByRow:
    """A version of the derivation, as `faultlens rebuild` names it, and how many runs it judged."""

    version: str | None
    runs: int


def judged_by(lease: Engine) -> Answer[JudgedByRow]:
    """Which version of the derivation judged how many runs."""
    return ask(lease, __file__, JudgedByRow)
