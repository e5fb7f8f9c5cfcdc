"""Every failure artifact against the profile of its class."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class ArtifactConformityRow:
    """A failure artifact; not evaluable where it lacks category or recoverable."""

    run_id: str
    event_id: str | None
    failure_class: str
    category: str | None
    profile_category: str | None
    recoverable: bool | None
    retryable: bool | None
    conformity: str
    run_name: str | None
    matching: int


def artifact_conformity(
    lease: Engine,
    *,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int = 500,
    offset: int = 0,
) -> Answer[ArtifactConformityRow]:
    """Every failure artifact against the profile of its class."""
    return ask(
        lease, __file__, ArtifactConformityRow,
        workload=workload, source=source, since=since, until=until, limit=limit, offset=offset,
    )  # fmt: skip
