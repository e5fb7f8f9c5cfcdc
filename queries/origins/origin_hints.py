"""Where a failure usually originates that looks like this one, with the record that says so."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class OriginHintRow:
    """A line of the misattribution table that a record matches; `event_id` is None where the whole run does."""

    run_id: str
    event_id: str | None
    symptom: str
    reported_at: str
    usually_originates_in: str
    record_kind: str
    record_id: str
    evidence: str
    workload: str
    run_name: str
    matching: int


def origin_hints(
    lease: Engine,
    *,
    run: str | None = None,
    workload: str | None = None,
    source: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int = 1000,
    offset: int = 0,
) -> Answer[OriginHintRow]:
    """Where a failure usually originates that looks like this one, with the record that says so."""
    return ask(
        lease, __file__, OriginHintRow, run=run, workload=workload, source=source, since=since, until=until,
        limit=limit, offset=offset,
    )  # fmt: skip
