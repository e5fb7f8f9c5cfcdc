"""Runs whose outcome, retries and recoveries follow from their spans: said once for each run of a file."""

from __future__ import annotations

from ingest.otel.records import OUTCOME_RULE
from ingest.records import Run


class SpanRuns:
    """Remembers of which runs it was said."""

    def __init__(self) -> None:
        self._said: set[str] = set()

    def of(self, run_id: str) -> tuple[Run, ...]:
        """The record that says it, at the run's first span."""
        if run_id in self._said:
            return ()
        self._said.add(run_id)
        source, _, native_id = run_id.partition(":")
        return (
            Run(run_id=run_id, event_id="spans", source=source, native_id=native_id, attributes=dict(OUTCOME_RULE)),
        )
