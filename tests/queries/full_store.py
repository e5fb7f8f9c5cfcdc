"""A store with something of everything: written row by row, so that the pages are tested apart from the adapters."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ingest.store import memory_connection, open_store
from tests.queries.settled import settle

if TYPE_CHECKING:
    import duckdb

HOSTILE = "<img src=x onerror=alert(1)> **bold** :red[x] $x^2$ [link](javascript:alert(1)) `code` %{y}"
NOON = datetime(2026, 11, 24, 12, tzinfo=UTC)
STATUSES = (
    "succeeded", "failed", "succeeded", "vetoed", "escalated", "succeeded", "aborted", "failed", "interrupted",
    "succeeded", "refused", "running", "unknown", "succeeded",
)  # fmt: skip
WORKLOADS = ("payments", "support-triage", "code-review", "payments", HOSTILE)
STATES = {"interrupted": "interrupted", "failed": "governed_failure", "refused": "finalization_refused"}
FAILURES: Iterator[dict[str, Any]] = cycle(
    (
        {
            "failure_class": "execution_error",
            "category": "operational_failure",
            "error_code": "E_TOOL",
            "recoverable": True,
        },
        {"failure_class": "budget_exceeded", "category": "operational_failure", "agent_error_code": "TIMEOUT"},
        {
            "contract_class": "structural",
            "contract_class_basis": "derived",
            "type": "STEP_FAILED",
            "rule": "STEP_FAILED",
        },
        {"tool_error_class": "transport", "agent_error_code": "TRANSIENT", "transient": True, "type": "http_503"},
        {"type": "KeyError", "details": HOSTILE, "contract_class": "unclassified", "contract_class_basis": "derived"},
        {"failure_class": "made_up_class", "flags": ["unknown_value"], "type": "odd"},
        {"type": "assertion", "level": "L2", "context_failure_class": "staleness", "error_code": "E_ASSERT"},
    )
)


def write(path: Path, *, runs: int = 42, events_a_run: int = 6) -> None:
    """A store lies at the path, with so many runs and so many events in each."""
    with memory_connection() as con, open_store(path).publication(con) as draft:
        cursor = draft.cursor()
        _files(cursor)
        for number in range(1, runs + 1):
            _run(cursor, number)
        _events(cursor, runs, events_a_run)
        settle(con, draft)


def _put(cursor: duckdb.DuckDBPyConnection, table: str, **values: Any) -> None:
    values = {name: json.dumps(value) if isinstance(value, dict) else value for name, value in values.items()}
    marks = ", ".join("?" for _ in values)
    cursor.execute(f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks})", list(values.values())).fetchall()


def _files(cursor: duckdb.DuckDBPyConnection) -> None:
    for number in range(12):
        rejected = 1 if number % 4 == 0 else 0
        _put(
            cursor, "source_files", file_id=f"file{number}", path=f"traces/batch-{number:02}.jsonl", format="faultlens",
            adapter_version=1, bytes=4096 * (number + 1), records=20, stored=18 - rejected, duplicates=1,
            rejected=rejected, skipped=1, status="loaded", ingested_at=NOON + timedelta(hours=number),
        )  # fmt: skip
        _put(cursor, "skipped_records", file_id=f"file{number}", line=20, reason="incomplete_last_line", records=1)
        if rejected:
            _put(
                cursor, "rejections", file_id=f"file{number}", line=7, offset_bytes=512, reason="bad_json",
                message="expected ',' or '}'", raw='{"record": "run", "name": "' + HOSTILE,
            )  # fmt: skip
    _put(
        cursor, "source_files", file_id="fileX", path="traces/notes.bin", records=0, stored=0, duplicates=0, rejected=0,
        skipped=0, status="refused", reason="no adapter knows this file", ingested_at=NOON,
    )  # fmt: skip


def _run(cursor: duckdb.DuckDBPyConnection, number: int) -> None:
    status = STATUSES[number % len(STATUSES)]
    clock = ("wall", "wall", "synthetic", "wall", "none")[number % 5]
    started = None if clock == "none" else NOON + timedelta(minutes=37 * number)
    run_id = f"demo:run-{number:04}"
    errors = 2 if status in {"failed", "aborted", "escalated"} else 0
    _put(
        cursor, "runs", run_id=run_id, source="demo" if number % 3 else "other", native_id=f"run-{number:04}",
        workload=WORKLOADS[number % len(WORKLOADS)], name=HOSTILE if number % 9 == 0 else f"refund case {number}",
        status=status, status_reason=f"the last outcome recorded says {status}", state_at_failure=STATES.get(status),
        contract_class="authority" if status == "refused" else None, started_at=started,
        ended_at=started and started + timedelta(seconds=90), clock=clock, identity="recorded", spans=5, events=6,
        errors=errors, recoveries=1 if errors else 0, flags=[], attributes={"seed": number, "note": HOSTILE},
        file_id=f"file{number % 12}", line=number,
    )  # fmt: skip
    _steps(cursor, run_id, started if clock == "wall" else None, status, number)
    if errors:
        _failures(cursor, run_id, started if clock == "wall" else None, status, number)


def _steps(cursor: duckdb.DuckDBPyConnection, run_id: str, at: datetime | None, status: str, number: int) -> None:
    failing = status in {"failed", "aborted", "escalated"}
    for step, name in enumerate(("plan", "retrieve", "act", "verify", "deliver")):
        ended = "error" if failing and step == 3 else "not_reached" if failing and step == 4 else "ok"
        if status == "interrupted" and step >= 3:
            ended = "open" if step == 3 else "not_reached"
        reached = ended != "not_reached"
        _put(
            cursor, "spans", run_id=run_id, span_id=f"{run_id}/s{step}", seq=step * 100, kind="step", name=name,
            phase=("PLAN", "PREPARE", "EXECUTE", "VERIFY", "DELIVER")[step],
            agent=("Scout", "Builder", "Radar")[step % 3], step_index=step,
            started_at=at + timedelta(seconds=17 * step) if at and reached else None,
            ended_at=at + timedelta(seconds=17 * step + 15) if at and ended in {"ok", "error"} else None,
            status=ended, attributes={"input": HOSTILE}, file_id=f"file{number % 12}", line=number,
        )  # fmt: skip


def _failures(cursor: duckdb.DuckDBPyConnection, run_id: str, at: datetime | None, status: str, number: int) -> None:
    for n in (1, 2):
        failure = {**next(FAILURES)}
        code = failure.get("error_code") or failure.get("agent_error_code")
        _put(
            cursor, "error_events", run_id=run_id, event_id=f"{run_id}/e{n}", span_id=f"{run_id}/s3", seq=300 + n,
            occurred_at=at + timedelta(seconds=55 + n) if at else None, phase="VERIFY", agent="Radar", step_index=3,
            location="src/auth/refresh.py", signature=f"sig-{code}" if code else None, signature_partial=not number % 2,
            basis="recorded", result="FAILED", attributes={"raw": HOSTILE}, file_id=f"file{number % 12}", line=number,
            **failure,
        )  # fmt: skip
    _put(
        cursor, "recovery_events", run_id=run_id, event_id=f"{run_id}/r1", seq=350, chain="A",
        trigger="test failure 64%", occurred_at=at + timedelta(seconds=60) if at else None, confidence=0.8,
        auto_executed=True, basis="recorded",
        outcome="ESCALATED" if status == "escalated" else "ABORTED", file_id=f"file{number % 12}", line=number,
    )  # fmt: skip
    _put(
        cursor, "guardrail_events", run_id=run_id, event_id=f"{run_id}/g1", seq=360, level="L3", action="PAUSE",
        trigger="recovery failed", occurred_at=at + timedelta(seconds=61) if at else None, agent="Radar",
        file_id=f"file{number % 12}", line=number,
    )  # fmt: skip
    _put(
        cursor, "diagnoses", run_id=run_id, diagnosis_id=f"{run_id}/d1", event_id=f"{run_id}/e1", seq=370,
        observed_at="VERIFY / step 3", originated_at="PLAN / acceptance criteria", basis="recorded", status="open",
        file_id=f"file{number % 12}", line=number,
    )  # fmt: skip


def _events(cursor: duckdb.DuckDBPyConnection, runs: int, events_a_run: int) -> None:
    cursor.execute(
        """
        INSERT INTO events (run_id, event_id, span_id, seq, occurred_at, kind, agent, phase, summary, file_id, line)
        SELECT runs.run_id, runs.run_id || '/v' || n, runs.run_id || '/s' || (n % 3), (n % 3) * 100 + 1 + n // 3,
               CASE WHEN clock = 'wall' THEN started_at + to_seconds(n % 60) END, 'tool_use', 'Builder', 'EXECUTE',
               'read ' || ? || ' ' || n, file_id, n
        FROM runs, range(?) AS numbers (n)
        """,
        [HOSTILE, events_a_run],
    ).fetchall()
    cursor.execute("UPDATE runs SET events = ?", [events_a_run]).fetchall()
