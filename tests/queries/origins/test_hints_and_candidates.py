"""Hints and suspicions: each with the record that raises it, and never more than that."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ingest.load import ingest
from ingest.store import Lease, open_store
from queries.origins.origin_candidates import origin_candidates
from queries.origins.origin_hints import origin_hints

_E1 = ("error", "e1")


@pytest.mark.parametrize(
    ("run", "symptom", "originates_in", "record"),
    [
        ("origin-old-api", "superseded command or API repeated", "stale instruction or memory", _E1),
        ("origin-scope", "edits land outside the intended area", "scope never declared at spawn", _E1),
        ("origin-large-diff", "diff far larger than the task", "non-goals unstated, write scope unbounded", _E1),
        (
            "origin-self-check", "a step passes but the result is wrong",
            "the check is not independent of the producer", ("span", "s2"),
        ),
        (
            "origin-child", "only the delegated or background run fails", "environment or context parity",
            ("run", "faultlens:origin-parent"),
        ),
    ],
)  # fmt: skip
def test_a_line_of_the_table_is_met_by_the_record_that_shows_it(
    stories: Lease, run: str, symptom: str, originates_in: str, record: tuple[str, str]
) -> None:
    (row,) = origin_hints(stories, run=run)
    assert (row.symptom, row.usually_originates_in) == (symptom, originates_in)
    assert (row.record_kind, row.record_id) == record
    assert row.evidence


def test_the_same_correction_is_met_in_each_run_that_repeats_it(stories: Lease) -> None:
    rows = [row for row in origin_hints(stories) if row.symptom == "same correction run after run"]
    assert {row.run_id for row in rows} == {"faultlens:origin-same-correction-1", "faultlens:origin-same-correction-2"}
    assert len({row.record_id for row in rows}) == 1, "one signature"


def test_runs_that_match_no_line_have_no_hint(stories: Lease) -> None:
    assert len(origin_hints(stories, run="origin-acceptance")) == 0


def test_the_first_unrecovered_error_is_suspected_before_where_it_was_seen(stories: Lease) -> None:
    rows = origin_candidates(stories, run="origin-suspected").rows
    assert [(row.rank, row.step, row.agent, row.rule) for row in rows] == [
        (1, "2", "Mapper", "error-chain"),
        (2, "4", "Builder", "data-flow"),
        (3, rows[2].step, "Nexus", "delegation"),
        (4, "5", "Radar", "observed-there"),
    ]
    assert rows[2].step.startswith("seq "), "a delegation is no step: it is told by its place in the run"
    assert [rule.partition(" ")[0] for rule in rows[0].rules] == ["error-chain", "repeated-signature"]
    assert "total" in (rows[1].evidence or "")
    assert {row.basis for row in rows} == {"derived"}
    assert sum(row.score for row in rows) == pytest.approx(1)


def test_a_lost_context_item_is_suspected_with_its_stage(stories: Lease) -> None:
    first = origin_candidates(stories, run="origin-context").first
    assert first is not None
    assert (first.step, first.agent, first.rule) == ("1", "Scout", "context-stage-proven")
    assert "limits-2026" in (first.evidence or "")
    assert "retrieval omission" in (first.evidence or "")


def test_a_recovered_error_starts_no_chain(tmp_path: Path) -> None:
    lines = [
        {"record": "run", "run_id": "r", "status": "failed"},
        {"record": "error_event", "run_id": "r", "event_id": "e1", "type": "a", "step": 1, "seq": 1},
        {"record": "recovery_event", "run_id": "r", "chain": "A", "outcome": "RECOVERED", "for_event": "e1", "seq": 2},
        {"record": "error_event", "run_id": "r", "event_id": "e2", "type": "b", "step": 2, "seq": 3},
        {"record": "error_event", "run_id": "r", "event_id": "e3", "type": "c", "step": 3, "seq": 4},
    ]
    file = tmp_path / "r.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    ingest([str(file)], tmp_path / "s.duckdb")
    with open_store(tmp_path / "s.duckdb").lease() as lease:
        chain = [row for row in origin_candidates(lease, run="r") if row.rule == "error-chain"]
        assert [row.step for row in chain] == ["2"]
        only = origin_candidates(lease, run="r", event="e1").rows
        assert [(row.step, row.rule) for row in only] == [("1", "observed-there")], "what came later is no origin"


CHAT = [
    ("Planner", "The task: count the shops of the town."),
    ("Counter", "```python\nprint(count())\n```"),
    ("Computer_terminal", "exitcode: 1 (execution failed)\nCode output: NameError"),
    ("Counter", "Let us assume there are 12 shops for demonstration. Therefore the answer is 12."),
    ("Checker", "TERMINATE"),
]


def test_a_conversation_is_judged_by_what_its_messages_do(tmp_path: Path) -> None:
    history = [{"name": name, "role": "user", "content": content} for name, content in CHAT]
    file = tmp_path / "chat.json"
    file.write_text(json.dumps({"history": history, "is_correct": False, "question": "how many"}), encoding="utf-8")
    ingest([str(file)], tmp_path / "s.duckdb")
    with open_store(tmp_path / "s.duckdb").lease() as lease:
        (run,) = lease.rows("SELECT run_id FROM runs")
        rows = {
            row.step: [rule.rpartition(" ")[0] for rule in row.rules]
            for row in origin_candidates(lease, run=run["run_id"], all_steps=True)
        }
    assert set(rows["0"]) == {"task-statement"}
    assert {"first-answer", "first-code-run", "before-first-failure"} <= set(rows["1"])
    assert {"environment"} <= set(rows["2"])
    assert {"assumed-data", "concludes-unchecked"} <= set(rows["3"])
    assert {"farewell", "late"} <= set(rows["4"])


def test_a_run_with_nothing_to_go_by_has_no_candidate(stories: Lease) -> None:
    assert len(origin_candidates(stories, run="origin-parent")) == 0
    assert len(origin_candidates(stories, run="nobody")) == 0
