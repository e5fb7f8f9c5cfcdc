"""What became of a failure: new, ongoing, resolved or regressed, by time and by what a reviewer decided."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ingest.load import ingest
from ingest.reviews import Review, ReviewRefused, write
from ingest.store import AnyStore, open_store
from queries.failures.signatures import SignatureRow, signatures

NEWEST = datetime(2026, 11, 30, 12, tzinfo=UTC)
WEEK_S = 7 * 86_400


def failure(run: str, days_ago: float, code: str = "E_A", number: int = 1) -> list[dict[str, object]]:
    at = (NEWEST - timedelta(days=days_ago)).isoformat()
    return [
        {"record": "run", "run_id": run, "status": "failed", "started_at": at, "workload": f"w-{run}"},
        {"record": "error_event", "run_id": run, "event_id": f"{code}-{number}", "seq": number, "occurred_at": at,
         "error_code": code, "phase": "VERIFY", "location": "a.py", "state_hash": "1"},
    ]  # fmt: skip


def loaded(folder: Path, *records: list[dict[str, object]]) -> AnyStore:
    lines = [json.dumps(record) for several in (*records, failure("now", 0, "E_NOW")) for record in several]
    (folder / "f.jsonl").write_text("\n".join(lines) + "\n")
    ingest([str(folder / "f.jsonl")], folder / "s.duckdb")
    return open_store(folder / "s.duckdb")


def of(store: AnyStore, code: str) -> SignatureRow:
    with store.lease() as lease:
        return next(row for row in signatures(lease, resolved_after_s=WEEK_S) if row.error_code == code)


BY_TIME = [
    ("seen in one run", [failure("a", 1)], "new"),
    ("seen in two runs", [failure("a", 2), failure("b", 1)], "ongoing"),
    ("not seen for eight days", [failure("a", 9), failure("b", 8)], "resolved"),
    ("not seen for exactly seven", [failure("a", 8), failure("b", 7)], "ongoing"),
    ("seen again after a quiet week", [failure("a", 12), failure("b", 1)], "regressed"),
]


@pytest.mark.parametrize(("case", "records", "state"), BY_TIME, ids=[case[0] for case in BY_TIME])
def test_the_state_by_time(tmp_path: Path, case: str, records: list[list[dict[str, object]]], state: str) -> None:
    assert of(loaded(tmp_path, *records), "E_A").state == state


def test_repeats_within_a_run_collapse(tmp_path: Path) -> None:
    row = of(loaded(tmp_path, failure("a", 1), failure("a", 1, number=2), failure("b", 1)), "E_A")
    assert (row.occurrences, row.collapsed, row.runs, row.repeats_in_run) == (3, 2, 2, 1)
    assert row.workloads == ("w-a", "w-b")


def test_the_example_does_not_depend_on_the_order_of_files(tmp_path: Path) -> None:
    examples = set()
    for names in ("abc", "cab"):
        for name in names:
            folder = tmp_path / names
            folder.mkdir(exist_ok=True)
            store = loaded(folder, failure(name, 1))
        examples.add((of(store, "E_A").example_run, of(store, "E_A").runs))
    assert examples == {("faultlens:c", 3)}


def review(row: SignatureRow, action: str, days_ago: float = 0, **body: str) -> Review:
    return Review(
        row.example_run, "signature", "ada", {"signature": row.signature, "action": action, **body},
        created_at=NEWEST - timedelta(days=days_ago),
    )  # fmt: skip


def test_a_reviewer_resolves_and_what_comes_after_is_a_regression(tmp_path: Path) -> None:
    store = loaded(tmp_path, failure("a", 3), failure("b", 1))
    write(store, [review(of(store, "E_A"), "resolved", 0.5)])
    resolved = of(store, "E_A")
    assert (resolved.state, resolved.resolved_by) == ("resolved", "ada")
    write(store, [review(resolved, "reopened", 0.4)])
    assert of(store, "E_A").state == "ongoing"


def test_seen_again_after_a_reviewer_resolved_it(tmp_path: Path) -> None:
    store = loaded(tmp_path, failure("a", 3), failure("b", 1))
    write(store, [review(of(store, "E_A"), "resolved", 2)])
    assert of(store, "E_A").state == "regressed"


def test_a_reviewer_merges_and_splits_again(tmp_path: Path) -> None:
    store = loaded(tmp_path, failure("a", 1), failure("b", 1, "E_B"))
    first, second = of(store, "E_A"), of(store, "E_B")
    write(store, [review(second, "merge", 0.5, into=first.signature)])
    merged = of(store, "E_A")
    assert (merged.occurrences, merged.merged) == (2, (second.signature,))
    write(store, [review(second, "split", 0.4)])
    assert of(store, "E_B").occurrences == of(store, "E_A").occurrences == 1


REFUSED = [
    {"action": "resolved"},
    {"signature": "s", "action": "close"},
    {"signature": "s", "action": "merge", "into": "s"},
]


@pytest.mark.parametrize("body", REFUSED)
def test_a_decision_that_decides_nothing_is_refused(tmp_path: Path, body: dict[str, str]) -> None:
    store = loaded(tmp_path)
    with pytest.raises(ReviewRefused):
        write(store, [Review("r", "signature", "ada", body)])
