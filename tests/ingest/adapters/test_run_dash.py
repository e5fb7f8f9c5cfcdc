"""run-dash events: the samples as expected, order, pairs and flags."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ingest.records import ErrorEvent, Event, GuardrailEvent, Run, Span, Wait
from tests.ingest.adapters.line_formats import (
    SAMPLES,
    assert_as_expected,
    assert_growth_adds_only_what_is_new,
    assert_only_its_own_claims,
    assert_same_in_any_wrapping,
    assert_survives,
    content,
    expected,
    items,
    loaded,
    records,
    rejected,
    samples,
    skipped,
    written,
)

FORMAT = "run_dash"
FILES = samples(FORMAT)


def test_every_sample_has_an_expectation() -> None:
    assert sorted(row["file"] for row in expected(FORMAT)) == [path.name for path in FILES]


@pytest.mark.parametrize("row", expected(FORMAT), ids=lambda row: row["file"])
def test_a_sample_loads_as_expected(row: dict[str, str], tmp_path: Path) -> None:
    assert_as_expected(FORMAT, row, tmp_path)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_exactly_this_adapter_claims_a_sample(path: Path) -> None:
    assert_only_its_own_claims(FORMAT, path)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_damage_never_raises(path: Path, tmp_path: Path) -> None:
    assert_survives(FORMAT, path, tmp_path)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_marks_encodings_and_packing_change_nothing(path: Path, tmp_path: Path) -> None:
    assert_same_in_any_wrapping(FORMAT, path, tmp_path)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_grown_file_adds_only_what_is_new(path: Path, tmp_path: Path) -> None:
    assert_growth_adds_only_what_is_new(path, tmp_path)


RUN = "bug-20261104-081500-d41"
BUG = SAMPLES / FORMAT / f"{RUN}.jsonl"
APEX = SAMPLES / FORMAT / "apex-20260430-120000-a3f.jsonl"


def line(seq: Any, kind: str, **more: Any) -> str:
    event = {"ts": f"2026-11-04T08:00:{seq:02d}Z" if isinstance(seq, int) else None, "seq": seq, "run_id": RUN}
    return json.dumps({**event, "kind": kind, **more}) + "\n"


def test_gaps_duplicates_and_unknown_kinds_are_flagged(tmp_path: Path) -> None:
    flags = {(event.recorded_seq, event.kind): event.flags for event in records(FORMAT, BUG, Event)}
    assert flags[6, "tool_use"] == ("seq_duplicate",)
    assert flags[9, "hotfix_window"] == ("unknown_kind", "seq_gap")
    (failure,) = records(FORMAT, BUG, ErrorEvent)
    assert (failure.agent, failure.flags) == ("builder", ("seq_duplicate",))
    assert failure.details == "3 failed, 41 passed: tests/test_refund.py::test_split"


def test_the_run_takes_name_workload_and_times_from_its_ends(tmp_path: Path) -> None:
    run = loaded(tmp_path / "store.duckdb", BUG).one("SELECT * FROM runs")
    assert (run["name"], run["workload"], run["status"]) == ("refund total off by one cent", "bug", "failed")
    assert (run["started_at"].isoformat(), run["ended_at"].isoformat()) == (
        "2026-11-04T08:15:00+00:00",
        "2026-11-04T08:24:30+00:00",
    )


def test_a_missing_run_kind_is_flagged_and_the_id_names_the_workload() -> None:
    run = records(FORMAT, APEX, Run)[0]
    assert (run.flags, run.workload) == (("missing_run_kind",), "apex")


def test_agents_lie_in_their_phases_and_under_their_parents() -> None:
    spans = {span.name: span for span in records(FORMAT, SAMPLES / FORMAT / "manual-20260502-141500-c2d.jsonl", Span)}
    assert spans["fossil"].parent_span_id == spans["scout"].span_id
    assert spans["fossil"].attributes["depth"] == 2
    assert (spans["scout"].parent_span_id, spans["scout"].status) == (None, "ok")
    apex = {span.name: span for span in records(FORMAT, APEX, Span)}
    assert apex["plea"].parent_span_id == apex["P1_Discovery"].span_id
    assert (apex["P1_Discovery"].kind, apex["P1_Discovery"].status) == ("phase", "ok")


def test_a_tool_use_lies_in_its_agent() -> None:
    plea = next(span for span in records(FORMAT, APEX, Span) if span.name == "plea")
    used = next(event for event in records(FORMAT, APEX, Event) if event.kind == "tool_use")
    assert (used.span_id, used.name) == (plea.span_id, "Read")


def test_a_risk_gate_is_a_guardrail_event() -> None:
    (gate,) = records(FORMAT, APEX, GuardrailEvent)
    assert (gate.trigger, gate.decision, gate.recorded_seq) == ("risk_gate", "Go", 43)


def test_any_line_order_gives_the_same_store(tmp_path: Path) -> None:
    lines = APEX.read_bytes().splitlines(keepends=True)
    lines = lines[1::2] + lines[::2][::-1]
    shuffled = loaded(tmp_path / "shuffled.duckdb", written(tmp_path, b"".join(lines)))
    assert content(shuffled.store) == content(loaded(tmp_path / "store.duckdb", APEX).store)


def test_a_wait_ends_when_its_checkpoint_is_resolved(tmp_path: Path) -> None:
    text = line(1, "run_start", run_kind="bug") + line(2, "checkpoint_wait", agent="gate", meta={"checkpoint": "spec"})
    path = written(tmp_path, text)
    store = tmp_path / "store.duckdb"
    assert loaded(store, path).values("SELECT until FROM waits") == [None]
    written(tmp_path, text + line(3, "checkpoint_resolved", meta={"checkpoint": "spec"}))
    (wait,) = loaded(store, path).rows("SELECT waiter, waits_for, since, until FROM waits")
    assert (wait["waiter"], wait["waits_for"]) == ("gate", "spec")
    assert (wait["since"].second, wait["until"].second) == (2, 3)
    (recorded,) = records(FORMAT, path, Wait)
    assert recorded.deadline is None


@pytest.mark.parametrize(
    ("status", "wanted", "flags"),
    [
        ("completed", "succeeded", ()),
        ("error", "failed", ()),
        ("aborted", "aborted", ()),
        (None, "unknown", ()),
        ("napping", "unknown", ("unknown_value",)),
    ],
)
def test_the_end_of_a_run_says_its_outcome(
    status: str | None, wanted: str, flags: tuple[str, ...], tmp_path: Path
) -> None:
    meta = {} if status is None else {"status": status}
    text = line(1, "run_start", run_kind="bug") + line(2, "run_end", meta=meta)
    end = records(FORMAT, written(tmp_path, text), Run)[1]
    assert (end.status, end.flags) == (wanted, flags)


def test_without_an_end_the_outcome_is_unknown(tmp_path: Path) -> None:
    path = written(tmp_path, line(1, "run_start", run_kind="bug") + line(2, "agent_start", agent="scout"))
    store = loaded(tmp_path / "store.duckdb", path)
    assert store.values("SELECT status FROM runs") == ["unknown"]
    assert store.values("SELECT status FROM spans") == ["open"]


def test_an_unusual_id_a_missing_seq_and_a_bad_time_are_flagged_never_refused(tmp_path: Path) -> None:
    event = {"ts": "yesterday", "seq": None, "run_id": "r1", "kind": "note", "meta": {"note": "hello"}}
    (note,) = records(FORMAT, written(tmp_path, json.dumps(event)), Event)
    assert set(note.flags) == {"bad_time", "no_seq", "unusual_run_id", "missing_run_kind"}


def test_what_names_no_run_or_kind_is_refused(tmp_path: Path) -> None:
    lines = '{"ts": 1, "seq": 1, "kind": "note"}\n{"ts": 1, "seq": 1, "run_id": "r"}\n[]\n{"ts": 1, "se'
    found = items(FORMAT, written(tmp_path, lines))
    assert rejected(found) == ["missing_run_id", "missing_kind", "not_an_object"]
    assert skipped(found) == ["incomplete_last_line"]
