"""Effects that may exist, counted: all, unchecked, and collapsed into a failure or a retry."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class EffectCountRow:
    """Effects that may exist; `collapsed` ones were called failed, or tried again before the check."""

    effects: int
    unchecked: int
    collapsed: int


def effect_counts(
    lease: Engine,
    *,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> Answer[EffectCountRow]:
    """Effects that may exist, counted: all, unchecked, and collapsed into a failure or a retry."""
    return ask(lease, __file__, EffectCountRow, workload=workload, source=source, since=since, until=until)
