"""A record of a finalized run that comes again with other content is a finding, and the stored one stays."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ingest.load import ingest
from ingest.store import open_store
from queries.findings.findings import findings

FIRST = {"details": "the first story"}
CASES = [
    ("another story", "failed", {"details": "another story"}, 1),
    ("the same story", "failed", FIRST, 0),
    ("not over yet", "running", {"details": "another story"}, 0),
]


def write(path: Path, status: str, **keys: str) -> str:
    records = [
        {"record": "run", "run_id": "r", "status": status},
        {"record": "error_event", "run_id": "r", "event_id": "e1", "error_code": "E", **keys},
    ]
    path.write_text("\n".join(map(json.dumps, records)) + "\n")
    return str(path)


@pytest.mark.parametrize(("case", "status", "second", "expected"), CASES, ids=[case[0] for case in CASES])
def test_a_record_that_changed_between_two_ingests(
    tmp_path: Path, case: str, status: str, second: dict[str, str], expected: int
) -> None:
    store = tmp_path / "s.duckdb"
    ingest([write(tmp_path / "a.jsonl", status, **FIRST)], store)
    ingest([write(tmp_path / "b.jsonl", status, **second)], store)
    # And it stays found when something else of the run comes in.
    (tmp_path / "c.jsonl").write_text('{"record": "span", "run_id": "r", "span_id": "s9"}\n')
    ingest([str(tmp_path / "c.jsonl")], store)
    with open_store(store).lease() as lease:
        assert len(findings(lease, rule="trace-mutated")) == expected
        assert lease.rows("SELECT details FROM error_events") == [{"details": "the first story"}]
