"""A failed operation of a session that succeeded later: derived, because no session format records it."""

from __future__ import annotations

from datetime import datetime

from ingest.records import RecoveryEvent


def recovery(
    occurred_at: datetime | None, run_id: str, *, of: str, failed: str, trigger: str, rule: str
) -> RecoveryEvent:
    """The failed operation succeeded later; `of` is what succeeded."""
    return RecoveryEvent(
        run_id=run_id,
        event_id=f"{of}#recovery",
        occurred_at=occurred_at,
        trigger=trigger,
        outcome="RECOVERED",
        for_event=failed,
        basis="derived",
        rule=rule,
    )
