"""Records that were refused, with where each stands, why, and its raw text."""

from __future__ import annotations

from dataclasses import dataclass

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class RejectionRow:
    """A refused record, with where it stands and its raw text."""

    path: str | None
    part: str | None
    line: int | None
    offset_bytes: int | None
    reason: str
    message: str | None
    raw: str | None
    matching: int


def rejections(lease: Engine, *, reason: str | None = None, limit: int = 1000, offset: int = 0) -> Answer[RejectionRow]:
    """Records that were refused, with where each stands, why, and its raw text."""
    return ask(lease, __file__, RejectionRow, reason=reason, limit=limit, offset=offset)
