"""Errors by severity level, tool error class, context failure class and agent error code, each axis for itself."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class ErrorAxisRow:
    """A value on one of the axes that stand beside the failure class."""

    axis: str
    value: str
    known: bool
    means: str | None
    errors: int
    runs: int


def error_axes(
    lease: Engine,
    *,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> Answer[ErrorAxisRow]:
    """Errors by severity level, tool error class, context failure class and agent error code, each axis for itself."""
    return ask(lease, __file__, ErrorAxisRow, workload=workload, source=source, since=since, until=until)
