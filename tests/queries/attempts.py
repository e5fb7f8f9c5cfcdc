"""A store with the recovery attempts of a test: written row by row, so that rates are tested apart from adapters."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa

from ingest.store import memory_connection, open_store
from tests.queries.settled import settle

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
RUN = {
    "run_id": pa.string(), "source": pa.string(), "native_id": pa.string(), "workload": pa.string(),
    "status": pa.string(), "stop_reason": pa.string(), "started_at": pa.timestamp("us", "UTC"), "clock": pa.string(),
}  # fmt: skip
ATTEMPT = {
    "run_id": pa.string(), "event_id": pa.string(), "seq": pa.int64(), "occurred_at": pa.timestamp("us", "UTC"),
    "chain": pa.string(), "trigger": pa.string(), "confidence": pa.float64(), "auto_executed": pa.bool_(),
    "outcome": pa.string(), "error_event_id": pa.string(), "signature": pa.string(), "signature_partial": pa.bool_(),
    "basis": pa.string(),
}  # fmt: skip
ERROR = {
    "run_id": pa.string(), "event_id": pa.string(), "seq": pa.int64(), "occurred_at": pa.timestamp("us", "UTC"),
    "level": pa.string(), "tool_error_class": pa.string(), "failure_class": pa.string(), "basis": pa.string(),
}  # fmt: skip


def chances(seed: object) -> Random:
    """The same chances every time."""
    return Random(str(seed))  # noqa: S311 - nothing secret hangs on it


@dataclass
class Store:
    """Rows on their way into a store."""

    runs: list[dict[str, Any]] = field(default_factory=list)
    attempts: list[dict[str, Any]] = field(default_factory=list)
    errors: list[dict[str, Any]] = field(default_factory=list)
    _numbers: Any = field(default_factory=count)

    def run(self, workload: str = "w", *outcomes: str | None, at: datetime | None = NOON, **values: Any) -> str:
        """A run with an attempt for each outcome; what is not said is the same for all of them."""
        run_id = f"r{next(self._numbers):06}"
        of_run: dict[str, Any] = {
            key: values.pop(key) for key in ("status", "stop_reason", "clock", "source") if key in values
        }
        self.runs.append(
            {"run_id": run_id, "native_id": run_id, "workload": workload, "started_at": at, "source": "test",
             "status": "succeeded", "clock": "wall" if at else "none", **of_run}
        )  # fmt: skip
        for number, outcome in enumerate(outcomes):
            self.attempt(run_id, outcome, seq=10 * number, **values)
        return run_id

    def attempt(self, run_id: str, outcome: str | None, *, seq: int, **values: Any) -> None:
        """One more attempt of a run."""
        self.attempts.append(
            {"run_id": run_id, "event_id": f"{run_id}/{seq}", "seq": seq, "chain": "A", "outcome": outcome,
             "basis": "recorded", **values}
        )  # fmt: skip

    def error(self, run_id: str, event_id: str, **values: Any) -> None:
        """An error of a run, which its attempts may name."""
        self.errors.append({"run_id": run_id, "event_id": event_id, "seq": -1, "basis": "recorded", **values})

    def rate(self, workload: str, escalated: int, finished: int, **values: Any) -> None:
        """So many finished attempts, so many of them escalated, a run each."""
        for number in range(finished):
            self.run(workload, "ESCALATED" if number < escalated else "RECOVERED", **values)

    def days(self, workload: str, counts: Iterable[tuple[int, int]], first: datetime) -> None:
        """So many escalated and finished attempts on each day running, at noon and after."""
        for day, (escalated, finished) in enumerate(counts):
            self.rate(workload, escalated, finished, at=first + timedelta(days=day))

    def write(self, path: Path) -> Path:
        """The store lies at the path."""
        with memory_connection() as con, open_store(path).publication(con) as draft:
            cursor = draft.cursor()
            for name, rows, columns in (
                ("runs", self.runs, RUN),
                ("recovery_events", self.attempts, ATTEMPT),
                ("error_events", self.errors, ERROR),
            ):
                written = pa.Table.from_pylist(rows, pa.schema(columns.items()))
                cursor.register("written", written)
                cursor.execute(f"INSERT INTO {name} BY NAME SELECT * FROM written").fetchall()
                cursor.unregister("written")
            settle(con, draft)
        return path
