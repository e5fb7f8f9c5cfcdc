"""The phases of each lifecycle in their order: what a distance is counted over."""

from __future__ import annotations

from dataclasses import dataclass

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class PhaseRow:
    """A phase, its place in its lifecycle, and its other names."""

    lifecycle: str
    phase: str
    position: int
    also: str | None


def phases(lease: Engine, *, lifecycle: str | None = None) -> Answer[PhaseRow]:
    """The phases of each lifecycle in their order: what a distance is counted over."""
    return ask(lease, __file__, PhaseRow, lifecycle=lifecycle)
