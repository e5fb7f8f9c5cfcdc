"""The sample month is what its plan says, and faultlens finds in it what was planned."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.load import ingest
from ingest.store import Lease, open_store
from queries.escalation.escalation_band import escalation_band
from queries.escalation.escalation_history import escalation_history
from queries.escalation.suppressed_escalation import suppressed_escalation
from queries.recovery.recovery_chains import recovery_chains
from queries.recovery.recovery_thresholds import recovery_thresholds
from tests.sample_traces import make_month

EXPECTED = {
    row["workload"]: row
    for row in csv.DictReader(
        (make_month.FOLDER / "EXPECTED.tsv").read_text(encoding="utf-8").splitlines(), delimiter="\t"
    )
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("month") / "month.duckdb"
    report = ingest([str(make_month.FOLDER)], path)
    assert report.totals.rejected == 0
    return path


@pytest.fixture
def lease(store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lease]:
    monkeypatch.chdir(tmp_path)  # no faultlens.toml: the default band
    with open_store(store).lease() as taken:
        yield taken


def test_the_files_are_what_the_script_makes() -> None:
    for workload in make_month.STORIES:
        file = make_month.FOLDER / f"{workload}.jsonl.gz"
        assert gzip.decompress(file.read_bytes()) == make_month.content(workload)
    assert (make_month.FOLDER / "EXPECTED.tsv").read_text(encoding="utf-8") == make_month.expected()


def test_it_is_a_month_of_several_workloads_and_small() -> None:
    assert len(EXPECTED) >= 3
    assert sum(int(row["runs"]) for row in EXPECTED.values()) >= 300
    assert sum(len(make_month.content(workload)) for workload in make_month.STORIES) < 5_000_000


@pytest.mark.parametrize("workload", EXPECTED)
def test_the_last_window_reads_as_planned(lease: Lease, workload: str) -> None:
    wanted = EXPECTED[workload]
    (row,) = escalation_band(lease, workload=workload)
    assert [row.escalated, row.finished, row.state, row.evidence or ""] == [
        int(wanted["escalated"]), int(wanted["finished"]), wanted["state"], wanted["evidence"],
    ]  # fmt: skip
    for column in ("rate", "rate_low", "rate_high"):
        value = getattr(row, column)
        assert ("" if value is None else f"{value:.6f}") == wanted[column]


@pytest.mark.parametrize("workload", EXPECTED)
def test_the_whole_month_counts_as_planned(lease: Lease, workload: str) -> None:
    wanted = EXPECTED[workload]
    bands = '{"default": {"window": "60d"}}'
    (row,) = escalation_band(lease, workload=workload, bands=bands)
    counted = {
        "finished_all_month": row.finished,
        "vetoed_runs_all_month": row.vetoed_runs,
        "interrupted_runs_all_month": row.interrupted_runs,
        "l0_captures_all_month": row.l0_captures,
        "unknown_outcomes_all_month": row.unknown_outcomes,
        "unfinished_all_month": row.unfinished,
        "handed_over_all_month": row.handed_over,
        "repeated_all_month": row.finished - row.finished_collapsed,
        "attempts": row.finished + row.unfinished + row.other_outcome,
    }
    assert counted == {name: int(wanted[name]) for name in counted}
    runs = lease.rows("SELECT count(*) AS n FROM runs WHERE workload = ?", [workload])[0]["n"]
    assert runs == int(wanted["runs"])


@pytest.mark.parametrize("workload", EXPECTED)
def test_the_alerts_change_on_the_planned_days(lease: Lease, workload: str) -> None:
    changes = escalation_history(lease, workload=workload)
    assert "; ".join(f"{row.day} {row.from_state}>{row.to_state}" for row in changes) == EXPECTED[workload]["alerts"]


def test_the_low_workload_executes_under_its_threshold_and_fails_later(lease: Lease) -> None:
    wanted = EXPECTED["payments"]
    assert [row.workload for row in suppressed_escalation(lease) if row.is_suspected] == ["payments"]
    broken = sum(row.auto_broken for row in recovery_thresholds(lease))
    assert broken == int(wanted["shaky_all_month"])


def test_chains_add_up_over_the_month(lease: Lease) -> None:
    finished = sum(row.finished for row in recovery_chains(lease))
    assert finished == sum(int(row["finished_all_month"]) for row in EXPECTED.values())
