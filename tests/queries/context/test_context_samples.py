"""The stories of sample_traces/context give what was worked out by hand beside them."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from ingest.load import ingest
from tests.queries.context.written import asked

SAMPLES = Path(__file__).parents[3] / "sample_traces" / "context"
with (SAMPLES / "EXPECTED.tsv").open(encoding="utf-8") as _file:
    EXPECTED = list(csv.DictReader(_file, delimiter="\t"))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("samples") / "store.duckdb"
    report = ingest([str(SAMPLES)], path)
    assert report.totals.rejected == 0
    return path


@pytest.mark.parametrize("row", EXPECTED, ids=lambda row: f"{row['run']} step {row['step']}")
def test_every_step_is_read_as_it_was_worked_out(row: dict[str, str], store: Path) -> None:
    (step,) = asked(store, "context_stage", run=row["run"], step=row["step"], required="[]")
    lost = asked(store, "context_diff", run=row["run"], step=row["step"], required="[]")
    found: dict[str, Any] = {
        "run": step.native_id,
        "step": step.step_id,
        "stage_no": written(step.stage_no),
        "literal_stage_no": written(step.literal_stage_no),
        "lost": written(step.lost),
        "lost_background": written(step.lost_background),
        "proven": "yes" if step.proven else "no",
        "not_evaluable": ",".join(map(str, step.not_evaluable)),
        "lost_items": " ".join(sorted(f"{item.stage_no}:{item.item_id}" for item in lost)),
    }
    assert found == row


def test_every_step_stands_in_the_table(store: Path) -> None:
    steps = {(row.native_id, row.step_id) for row in asked(store, "context_stage", required="[]")}
    assert steps == {(row["run"], row["step"]) for row in EXPECTED}


# run → record, class, verdict
CLASSES = {
    "ctx-omission": ("error event", "retrieval_failure", "agrees"),
    "ctx-filter": ("error event", "retrieval_failure", "contradicts"),
    "ctx-budget": ("error event", "ranking_failure", "agrees"),
    "ctx-attention": ("error event", "overload", "agrees"),
    "ctx-stale": ("diagnosis", "staleness", "agrees"),
    "ctx-journey": ("error event", "omission", "agrees"),
}


def test_the_recorded_class_is_compared_with_the_stage(store: Path) -> None:
    rows = asked(store, "context_classes", required="[]")
    found = {row.run_id.partition(":")[2]: (row.record, row.context_failure_class, row.verdict) for row in rows}
    assert found == CLASSES


def test_an_item_is_followed_through_the_steps(store: Path) -> None:
    rows = asked(store, "context_journey", run="ctx-journey", item="adr-7", required="[]")
    assert [(row.step_id, row.lost_at) for row in rows] == [("1", None), ("2", 3), ("3", None), ("4", 1), ("5", 5)]
    assert "consumed" in rows[2].sets


def test_what_faultlens_toml_declares_is_the_required_set(store: Path) -> None:
    declared = '[["onboarding", "*", "identity-check"], ["onboarding", "*", "privacy-notice"]]'
    (step,) = asked(store, "context_stage", run="ctx-declared", required=declared)
    assert (step.stage_no, step.lost, step.proven, step.required_basis) == (1, 1, True, "derived")
    assert step.required_rule.startswith("faultlens.toml")


def written(number: int | None) -> str:
    return "-" if number is None else str(number)
