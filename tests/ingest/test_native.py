"""Every native record kind, with every column, from the line to the table and back."""

from __future__ import annotations

import csv
import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.ingest.loaded import Loaded, line, load_bytes, loaded

SAMPLES = Path(__file__).parents[2] / "sample_traces" / "faultlens"
EVERY_KIND = SAMPLES / "every_kind.jsonl"
TABLES = {
    "run": "runs", "span": "spans", "error_event": "error_events", "recovery_event": "recovery_events",
    "guardrail_event": "guardrail_events", "context_op": "context_ops", "diagnosis": "diagnoses",
    "delegation": "delegations", "wait": "waits", "task_owner": "task_owners", "handoff": "handoffs",
    "replay": "replays", "reported_metrics": "reported_metrics",
}  # fmt: skip
# Where the column is not the key itself, or the value is written another way: (kind, key) → {column: value}.
WRITTEN_OTHERWISE: dict[tuple[str, str], dict[str, Any]] = {
    ("run", "run_id"): {"run_id": "faultlens:refund-4711", "native_id": "refund-4711"},
    ("error_event", "step"): {"step_index": 3, "step_total": 7, "step": None},
    ("guardrail_event", "step"): {"step_index": 4, "step_total": 7, "step": None},
    ("error_event", "exit_code"): {"exit_code": "3"},
    ("recovery_event", "chain"): {"chain": "A", "chain_recorded": "CHAIN_A"},
    ("recovery_event", "duration"): {"steps_completed": 2},
    ("recovery_event", "for_event"): {"for_event": "e1", "error_event_id": "e1"},
    ("recovery_event", "steps"): {},
    ("reported_metrics", "avg_confidence"): {"avg_confidence": 0.8},
}
IN_STORE_ORDER = {"seq"}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    return loaded(tmp_path_factory.mktemp("native") / "s.duckdb", EVERY_KIND)


def objects() -> list[dict[str, Any]]:
    return [json.loads(text) for text in EVERY_KIND.read_text(encoding="utf-8").splitlines()]


def expected(item: dict[str, Any]) -> dict[str, Any]:
    kind = item["record"]
    found: dict[str, Any] = {}
    for key, value in item.items():
        if key != "record" and key not in IN_STORE_ORDER:
            found |= WRITTEN_OTHERWISE.get((kind, key), {key: value})
    return found | ({"run_id": "faultlens:refund-4711"})


def as_in_store(value: Any, found: Any) -> Any:
    return datetime.fromisoformat(value) if isinstance(found, datetime) else value


@pytest.mark.parametrize(
    "item", [item for item in objects() if item["record"] != "context"], ids=lambda item: item["record"]
)
def test_every_key_is_in_its_column(store: Loaded, item: dict[str, Any]) -> None:
    table = TABLES[item["record"]]
    key = f" WHERE span_id = '{item['span_id']}'" if table == "spans" else ""
    if table == "diagnoses":
        key = " WHERE diagnosis_id = 'd1'"
    row = store.one(f"SELECT * FROM {table}{key}")
    wanted = {column: as_in_store(value, row[column]) for column, value in expected(item).items()}
    assert {column: row[column] for column in wanted} == wanted


def test_every_table_of_the_contract_has_a_row_and_nothing_became_an_attribute(store: Loaded) -> None:
    for table in (*TABLES.values(), "context_sets", "context_items", "recovery_steps", "run_records"):
        assert store.values(f"SELECT count(*) > 0 FROM {table}") == [True], table
    for table in {*TABLES.values()} - {"runs"}:
        assert store.values(f"SELECT count(attributes) FROM {table}") == [0], table


# Columns of the contract that a derivation fills, or that another format has.
FILLED_LATER = {"part", "flags", "attributes", "recorded_seq", "position", "step", "superseded"}


@pytest.mark.parametrize("table", ["error_events", "recovery_events", "guardrail_events", "context_ops", "diagnoses",
                                   "delegations", "waits", "task_owners", "handoffs", "replays",
                                   "reported_metrics"])  # fmt: skip
def test_the_sample_sets_every_column(store: Loaded, table: str) -> None:
    chosen = "WHERE diagnosis_id = 'd1'" if table == "diagnoses" else ""
    row = store.one(f"SELECT * FROM {table} {chosen}")
    assert {column for column, value in row.items() if value is None} <= FILLED_LATER


def test_the_steps_of_a_chain(store: Loaded) -> None:
    rows = store.rows("SELECT event_id, step, agent, action, result, attributes FROM recovery_steps ORDER BY step")
    assert [tuple(row.values()) for row in rows] == [
        ("r1", 1, "Scout", "analyse", "SUCCESS", None), ("r1", 2, "Builder", "fix", "FAILED", '{"minutes":4}'),
    ]  # fmt: skip


def test_the_six_sets_and_their_items(store: Loaded) -> None:
    sets = store.rows(
        "SELECT set_name, recorded, items, step_id, agent, phase FROM context_sets WHERE basis = 'recorded' ORDER BY 1"
    )
    assert [(row["set_name"], row["items"]) for row in sets] == [
        ("composed", 2), ("consumed", 1), ("current", 2), ("eligible", 2), ("required", 2), ("retrieved", 3),
    ]  # fmt: skip
    assert {(row["recorded"], row["step_id"], row["agent"], row["phase"]) for row in sets} == {
        (True, "3", "Builder", "EXECUTE")
    }
    items = store.rows(
        "SELECT item_id, revision FROM context_items WHERE set_name IN ('composed', 'required')"
        " ORDER BY set_name, item_id"
    )
    assert [tuple(row.values()) for row in items] == [
        ("limits-2025", "9"), ("refund-policy", "3"), ("limits-2026", None), ("refund-policy", None),
    ]  # fmt: skip


def test_an_empty_set_is_recorded_and_one_left_out_is_not(tmp_path: Path) -> None:
    found = load_bytes(tmp_path, line("context", step_id="3", required=[], retrieved=None, composed=["a@b@2", 7, "x@"]))
    assert found.rows("SELECT set_name, items FROM context_sets ORDER BY 1") == [
        {"set_name": "composed", "items": 3}, {"set_name": "required", "items": 0},
    ]  # fmt: skip
    items = found.rows("SELECT item_id, revision FROM context_items ORDER BY 1")
    assert [tuple(row.values()) for row in items] == [("7", None), ("a@b", "2"), ("x@", None)]


def test_the_examples_of_the_contract(tmp_path: Path) -> None:
    found = loaded(tmp_path / "s.duckdb", SAMPLES / "contract.jsonl")
    error = found.one("SELECT step_index, step_total, signature_partial FROM error_events")
    assert (error["step_index"], error["step_total"], error["signature_partial"]) == (3, 7, False)
    recovery = found.one(
        "SELECT chain, outcome, steps_completed, artifacts, for_event, confidence, auto_executed FROM recovery_events"
    )
    assert list(recovery.values()) == ["A", "RECOVERED", 1, [], None, 0.8, True]
    assert found.one(
        "SELECT d.observed_at, d.originated_at, d.basis, e.error_code"
        " FROM diagnoses d JOIN error_events e USING (event_id)"
    ) == {
        "observed_at": "VERIFY / step 3", "originated_at": "CLASSIFY / acceptance criteria", "basis": "recorded",
        "error_code": "E_ASSERT",
    }  # fmt: skip
    assert (
        found.one("SELECT item_id, revision FROM context_items WHERE set_name = 'current' AND item_id = 'adr-7'")[
            "revision"
        ]
        == "5"
    )
    run = found.one("SELECT run_id, workload, status, clock FROM runs")
    assert list(run.values()) == ["faultlens:r1", "payments", "failed", "wall"]


EXPECTED = (SAMPLES / "EXPECTED.tsv").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("row", list(csv.DictReader(EXPECTED, delimiter="\t")), ids=lambda row: row["file"])
def test_the_samples_give_what_stands_beside_them(tmp_path: Path, row: dict[str, str]) -> None:
    found = loaded(tmp_path / "s.duckdb", SAMPLES / row["file"])
    assert found.file.format == "faultlens"
    counts = {
        "records": found.counts[0],
        "stored": found.counts[1],
        "rejected": found.counts[3],
        "skipped": found.counts[4],
    }
    assert counts == {name: int(row[name]) for name in counts}
    assert found.report.totals.runs == int(row["runs"])
    run = found.one("SELECT status, spans, errors, recoveries FROM runs")
    assert [str(value) for value in run.values()] == [row["status"], row["spans"], row["errors"], row["recoveries"]]


CHAINS = [("CHAIN_A", "A"), ("L3_RECOVERY_CHAIN_B", "B"), ("Chain C", "C"), ("a", "A"), ("D", "D"), ("chain", "chain")]


@pytest.mark.parametrize(("written", "chain"), CHAINS)
def test_a_chain_by_any_of_its_names(tmp_path: Path, written: str, chain: str) -> None:
    row = load_bytes(tmp_path, line("recovery_event", chain=written)).one(
        "SELECT chain, chain_recorded FROM recovery_events"
    )
    assert row == {"chain": chain, "chain_recorded": written}


STEPS = [("3/7", (3, 7, None)), (" 3 / 7 ", (3, 7, None)), ("3", (3, None, None)), (3, (3, None, None)),
         ("3 of 7", (None, None, "3 of 7")), ("X/Y", (None, None, "X/Y"))]  # fmt: skip


@pytest.mark.parametrize(("written", "step"), STEPS)
def test_a_step_by_any_of_its_spellings(tmp_path: Path, written: object, step: tuple[object, ...]) -> None:
    row = load_bytes(tmp_path, line("error_event", step=written)).one(
        "SELECT step_index, step_total, step FROM error_events"
    )
    assert tuple(row.values()) == step
