"""Which record is which: ids that stay, attempts that are told apart, runs that several sources name."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from tests.ingest.loaded import RUN, content, error, line, load_bytes, loaded

ATTEMPT = error("E_SAME", details="the same again", result="FAILED")


def test_three_identical_attempts_are_three_events(tmp_path: Path) -> None:
    found = load_bytes(tmp_path, RUN + ATTEMPT * 3)
    assert found.values("SELECT count(DISTINCT event_id) FROM error_events") == [3]


def test_a_recorded_id_is_the_id(tmp_path: Path) -> None:
    found = load_bytes(tmp_path, error(event_id="mine") + error(event_id=12345678901234567890))
    assert sorted(found.values("SELECT event_id FROM error_events")) == ["12345678901234567890", "mine"]


def test_the_six_sets_of_one_record_with_an_id_are_all_kept(tmp_path: Path) -> None:
    sets = {name: [name] for name in ("required", "retrieved", "eligible", "composed", "consumed", "current")}
    found = load_bytes(tmp_path, line("context", event_id="c1", step_id="3", **sets))
    assert sorted(found.values("SELECT set_name FROM context_sets")) == sorted(sets)
    assert found.counts == (1, 1, 0, 0, 0)


@pytest.mark.parametrize(
    "other",
    [
        '{"error_code": "E", "run_id": "r", "x": {"b": 2, "a": 1}, "record": "error_event"}',
        '{ "record" : "error_event", "run_id": "r", "error_code": "\\u0045", "x": {"a": 1, "b": 2} }',
        '{"record": "error_event", "run_id": "r", "error_code": "E", "agent": null, "x": {"a": 1, "b": 2}}',
    ],
    ids=["order of keys", "spelling", "null is absent"],
)
def test_equal_content_has_the_same_id_however_it_is_written(tmp_path: Path, other: str) -> None:
    load_bytes(tmp_path, error(x={"a": 1, "b": 2}), "a")
    assert load_bytes(tmp_path, other.encode() + b"\n", "b").counts == (1, 0, 1, 0, 0)


@pytest.mark.parametrize(
    "change",
    [{"details": "x"}, {"seq": 2}, {"occurred_at": 5}, {"x": 1}, {"level": "L1"}],
    ids=lambda change: next(iter(change)),
)
def test_different_content_has_another_id(tmp_path: Path, change: dict[str, Any]) -> None:
    found = load_bytes(tmp_path, error() + error(**change))
    assert found.values("SELECT count(DISTINCT event_id) FROM error_events") == [2]


def test_the_same_record_of_another_run_is_another_record(tmp_path: Path) -> None:
    found = load_bytes(tmp_path, line("error_event", "a") + line("error_event", "b"))
    assert found.values("SELECT count(DISTINCT event_id) FROM error_events") == [2]


def test_growing_and_loading_again_changes_no_id(tmp_path: Path) -> None:
    body = RUN + ATTEMPT * 2 + line("recovery_event", chain="A") + line("context", step_id="1", required=["a"])
    tables = ("error_events", "recovery_events", "context_sets")
    ids = " UNION ".join(f"SELECT event_id FROM {table}" for table in tables) + " ORDER BY 1"
    first = load_bytes(tmp_path, body).values(ids)
    grown = load_bytes(tmp_path, body + ATTEMPT).values(ids)
    assert set(first) < set(grown)
    assert len(grown) == len(first) + 1
    anew = load_bytes(tmp_path, body + ATTEMPT, "other.jsonl", workload="w")
    assert anew.file.status == "unchanged"
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    assert load_bytes(fresh, body + ATTEMPT, workload="w").values(ids) == grown


def test_recovery_belongs_to_the_nearest_failure_before_it(tmp_path: Path) -> None:
    found = load_bytes(
        tmp_path,
        line("recovery_event", event_id="r0", seq=1)
        + error(event_id="e1", seq=2)
        + error(event_id="e2", seq=3)
        + line("recovery_event", event_id="r1", seq=4)
        + line("recovery_event", event_id="r2", seq=5, for_event="e1")
        + error(event_id="e3", seq=6)
        + line("recovery_event", event_id="r3", seq=7, error_event_id="e2"),
    )
    rows = found.rows("SELECT event_id, error_event_id FROM recovery_events ORDER BY seq")
    assert [tuple(row.values()) for row in rows] == [("r0", None), ("r1", "e2"), ("r2", "e1"), ("r3", "e2")]


def test_recovery_has_the_signature_of_its_failure(tmp_path: Path) -> None:
    found = load_bytes(
        tmp_path, error(phase="VERIFY", location="a.py", state_hash="1") + line("recovery_event", chain="A")
    )
    row = found.one(
        "SELECT e.signature IS NOT NULL AS signed, e.signature = r.signature AS equal, r.signature_partial AS partial"
        " FROM error_events e, recovery_events r"
    )
    assert row == {"signed": True, "equal": True, "partial": False}


def test_an_inline_diagnosis_belongs_to_its_error(tmp_path: Path) -> None:
    pair = {"observed_at": "VERIFY", "originated_at": "PLAN"}
    found = load_bytes(tmp_path, error("E_1", **pair) + error("E_2", **pair) + error("E_3", observed_at="VERIFY"))
    rows = found.rows(
        "SELECT error_code, d.originated_at, d.basis FROM diagnoses d JOIN error_events e USING (event_id) ORDER BY 1"
    )
    assert [tuple(row.values()) for row in rows] == [("E_1", "PLAN", "recorded"), ("E_2", "PLAN", "recorded")]


@pytest.mark.parametrize("order", ["ab", "ba"])
def test_a_diagnosis_alone_belongs_to_the_nearest_failure_also_when_that_comes_later(
    tmp_path: Path, order: str
) -> None:
    at = "2026-11-30T09:00:{:02}Z".format
    files = {
        "a": error(event_id="e1", occurred_at=at(1)) + line("diagnosis", observed_at="VERIFY", occurred_at=at(9)),
        "b": error(event_id="e2", occurred_at=at(5)),
    }
    for name in order:
        found = load_bytes(tmp_path, files[name], name)
    assert found.values("SELECT event_id FROM diagnoses") == ["e2"]


# What the records say → (status, a word of the reason). DOMAIN §2, "Outcomes": the last one that says one wins.
OUTCOMES: list[tuple[str, bytes, str, str]] = [
    ("nothing", error(), "unknown", "no record"),
    ("recorded", line("run", status="succeeded") + error(level="L5"), "succeeded", "recorded"),
    ("recorded veto", line("run", status="vetoed"), "vetoed", "recorded"),
    ("recorded with its own reason", line("run", status="failed", status_reason="disk full"), "failed", "disk full"),
    ("level L5", error(level="L5"), "aborted", "L5"),
    ("error aborted", error(result="ABORTED"), "aborted", "ABORTED"),
    ("error escalated", error(result="ESCALATED"), "escalated", "ESCALATED"),
    ("error failed says nothing of the run", error(result="FAILED"), "unknown", "no record"),
    ("recovery escalated", line("recovery_event", outcome="ESCALATED"), "escalated", "ESCALATED"),
    ("recovery aborted", line("recovery_event", outcome="ABORTED"), "aborted", "ABORTED"),
    ("recovered says nothing of the run", line("recovery_event", outcome="RECOVERED"), "unknown", "no record"),
    ("guardrail abort", line("guardrail_event", action="ABORT"), "aborted", "ABORT"),
    ("guardrail L4 is no severity L4", line("guardrail_event", level="L4", action="PAUSE"), "unknown", "no record"),
    ("the last wins", error(result="ABORTED", seq=1) + line("recovery_event", outcome="ESCALATED", seq=2), "escalated",
     "ESCALATED"),
    ("the last in order wins", error(result="ABORTED", seq=2) + line("recovery_event", outcome="ESCALATED", seq=1),
     "aborted", "ABORTED"),
    ("finished over running", line("run", status="failed") + line("run", status="running"), "failed", "recorded"),
    ("running over nothing", line("run", status="running"), "running", "recorded"),
    ("no status adds nothing", line("run", status="failed") + line("run", name="x"), "failed", "recorded"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("body", "status", "reason"), [case[1:] for case in OUTCOMES], ids=[case[0] for case in OUTCOMES]
)
def test_how_a_run_ended(tmp_path: Path, body: bytes, status: str, reason: str) -> None:
    run = load_bytes(tmp_path, body).one("SELECT status, status_reason FROM runs")
    assert run["status"] == status
    assert reason in run["status_reason"]


def test_a_run_that_several_sources_name_is_one_run_a_source(tmp_path: Path) -> None:
    """`run_id` is unique across sources: the same native id of two producers are two runs."""
    sample = Path(__file__).parents[2] / "sample_traces" / "bijux_agent" / "traces" / "success.json"
    native = json.loads(sample.read_text())["run_id"]
    (tmp_path / "own.jsonl").write_bytes(line("run", native, status="failed"))
    found = loaded(tmp_path / "s.duckdb", sample, tmp_path / "own.jsonl")
    assert found.rows("SELECT source, status FROM runs WHERE native_id = ? ORDER BY source", native) == [
        {"source": "bijux-canon-agent", "status": "succeeded"}, {"source": "faultlens", "status": "failed"},
    ]  # fmt: skip


@pytest.mark.parametrize("order", list(itertools.permutations("abc")))
def test_what_several_files_say_of_a_run_is_one_run(tmp_path: Path, order: tuple[str, ...]) -> None:
    files = {
        "a": line("run", name="refund", status="running", started_at="2026-11-30T09:00:00Z"),
        "b": line("run", workload="payments", status="failed", ended_at="2026-11-30T09:30:00Z"),
        "c": error(occurred_at="2026-11-30T09:10:00Z"),
    }
    for name in order:
        found = load_bytes(tmp_path, files[name], name)
    run = found.one("SELECT name, workload, status, errors, ended_at - started_at AS took FROM runs")
    assert (run["name"], run["workload"], run["status"], run["errors"]) == ("refund", "payments", "failed", 1)
    assert run["took"].total_seconds() == 1800
    assert all(content(found.store)["runs"])
