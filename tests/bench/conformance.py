"""How long all conformance rules take over a million records: `python -m tests.bench.conformance [RECORDS]`."""

from __future__ import annotations

import sys

from ingest.derive import findings, wait_cycles
from ingest.staging import Staging
from tests.bench.measure import clocked

A_RUN = 50
CLASSES = (
    "['invocation', 'transport', 'execution', 'partial_success', 'state_conflict', 'policy_denial', 'unknown_outcome']"
)
ROWS = {
    "runs": (
        1,
        (
            "'r' || i AS run_id, 'faultlens' AS source, 'r' || i AS native_id, 'w' AS workload, 'wall' AS clock,"
            " ['failed', 'aborted', 'succeeded', 'succeeded'][i % 4 + 1] AS status, '{}'::JSON AS attributes"
        ),
    ),
    "spans": (
        30,
        (
            "'r' || i // 30 AS run_id, 's' || i % 30 AS span_id, i % 30 AS seq, 'tool' AS kind,"
            " 'agent ' || i % 5 AS agent,"
            " if(i % 11 = 0, 'error', 'ok') AS status, json_object('resource', 'x' || i % 9) AS attributes"
        ),
    ),
    "error_events": (
        10,
        (
            "'r' || i // 10 AS run_id, 'e' || i % 10 AS event_id, 30 + i % 10 AS seq, 'L' || i % 6 AS level,"
            f" 'E' || i % 13 AS error_code, ({CLASSES})[i % 7 + 1] AS tool_error_class, i % 8 AS step_index,"
            " 'EXECUTE' AS phase, 'agent ' || i % 5 AS agent,"
            " if(i % 3 = 0, 'retry', 'Builder fix ' || i % 900) AS action,"
            " 'src/f' || i % 7 || '.py' AS location, md5((i % 4)::VARCHAR) AS signature, false AS signature_partial,"
            " 'x' || i % 9 AS resource, 'h' || i % 4 AS state_hash, 'recorded' AS basis, '{}'::JSON AS attributes"
        ),
    ),
    "events": (
        6,
        (
            "'r' || i // 6 AS run_id, 'v' || i % 6 AS event_id, 50 + i % 6 AS seq, 'step_complete' AS kind,"
            " i % 8 AS step_index, 'agent ' || i % 5 AS agent, json_object('status', 'FAILED') AS attributes"
        ),
    ),
    "recovery_events": (
        3,
        (
            "'r' || i // 3 AS run_id, 'c' || i % 3 AS event_id, 60 + i % 3 AS seq, ['A', 'B', 'C'][i % 3 + 1] AS chain,"
            " 'test_failure 64%' AS trigger, 0.7 AS confidence, true AS auto_executed, 'e1' AS error_event_id,"
            " ['RECOVERED', 'ESCALATED', 'ABORTED'][i % 3 + 1] AS outcome, 'recorded' AS basis"
        ),
    ),
}


def main(records: int) -> None:
    staging = Staging()
    for table, (of_a_run, columns) in ROWS.items():
        rows = records // A_RUN * of_a_run
        staging.con.execute(f"INSERT INTO {table} BY NAME SELECT {columns} FROM range({rows}) AS t(i)").fetchall()

    def derive() -> None:
        wait_cycles.derive(staging.con)
        findings.derive(staging.con, {*ROWS, "runs"})

    took = clocked(derive)
    print(f"{records:,} records, {len(findings.rules())} rules: {took.clock_s:.2f} s, "
          f"{took.cpu_s:.2f} s of processor time")  # fmt: skip
    counted = "SELECT rule, count(*) FROM findings GROUP BY rule ORDER BY 2 DESC, 1"
    for rule, number in staging.con.execute(counted).fetchall():
        print(f"{number:>9,} {rule}")
    staging.close()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
