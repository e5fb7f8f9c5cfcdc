"""Nexus event blocks where they stand by themselves: the samples as expected, and what holds for any file."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ingest.records import ErrorEvent, Run
from ingest.store import open_store
from queries.catalogue import named
from tests.ingest.adapters.line_formats import (
    SAMPLES,
    assert_as_expected,
    assert_growth_adds_only_what_is_new,
    assert_only_its_own_claims,
    assert_same_in_any_wrapping,
    assert_survives,
    expected,
    folder,
    items,
    loaded,
    named_adapter,
    records,
    rejected,
    samples,
    skipped,
    source_of,
    written,
)

FORMAT = "nexus_blocks"
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


JOURNAL = SAMPLES / "nexus_blocks" / "journal.md"
ERROR = "_ERROR_EVENT:\n  Level: L2\n  Type: lint\n  Details: {details}\n  Result: FAILED\n"


def test_the_diagnosis_belongs_to_the_error_and_both_recoveries_too(tmp_path: Path) -> None:
    store = loaded(tmp_path / "store.duckdb", JOURNAL)
    failure = store.one("SELECT event_id, location, line FROM error_events")
    assert (failure["location"], failure["line"]) == ("src/auth/refresh.py", 19)
    assert store.values("SELECT event_id FROM diagnoses") == [failure["event_id"]]
    assert store.values("SELECT error_event_id FROM recovery_events") == [failure["event_id"]] * 2
    assert store.values("SELECT confidence FROM recovery_events ORDER BY seq") == [0.8, 0.72]


def test_position_is_the_order_whatever_time_a_block_names(tmp_path: Path) -> None:
    store = loaded(tmp_path / "store.duckdb", SAMPLES / "nexus_blocks" / "odd-spelling.md")
    order = "SELECT line FROM (FROM error_events SELECT line, seq UNION ALL FROM guardrail_events SELECT line, seq)"
    assert store.values(f"{order} ORDER BY seq") == [3, 12, 29, 48, 57]


def test_the_run_is_listed_by_its_path_below_the_given_argument(tmp_path: Path) -> None:
    store = loaded(tmp_path / "store.duckdb", JOURNAL)
    with open_store(store.store).lease() as lease:
        (row,) = named("runs").function(lease).rows
    assert (row.source, row.native_id, row.workload, row.status) == ("nexus", "journal.md", "default", "succeeded")
    assert (row.name, row.errors, row.recoveries) == ("Journal: payments refactor", 1, 2)


def test_equal_paths_of_two_projects_are_two_runs(tmp_path: Path) -> None:
    for project in ("shop", "bank"):
        written(folder(tmp_path / project), ERROR.format(details=project), "journal.md")
    store = tmp_path / "store.duckdb"
    loaded(store, tmp_path / "shop" / "journal.md")
    both = loaded(store, tmp_path / "bank" / "journal.md")
    assert both.values("SELECT native_id FROM runs") == ["journal.md", "journal.md"]
    assert len(set(both.values("SELECT run_id FROM error_events"))) == 2


def test_the_same_bytes_under_another_path_store_nothing(tmp_path: Path) -> None:
    shutil.copy(JOURNAL, tmp_path / "copy.md")
    again = loaded(loaded(tmp_path / "store.duckdb", JOURNAL).store, tmp_path / "copy.md")
    assert (again.file.status, again.counts[1]) == ("unchanged", 0)


def test_a_log_gives_its_blocks_the_times_of_their_lines(tmp_path: Path) -> None:
    lines = ERROR.format(details="\x1b[31mred\x1b[0m: see a.py:3").splitlines()
    log = "".join(f"2026-11-30T10:00:0{number}.0000000Z {line}\n" for number, line in enumerate(lines))
    (failure,) = records(FORMAT, written(tmp_path, log, "ci.log"), ErrorEvent)
    assert failure.occurred_at == datetime(2026, 11, 30, 10, tzinfo=UTC)
    assert (failure.details, failure.location) == ("red: see a.py:3", "a.py")


def test_bytes_that_are_no_text_flag_their_block_alone(tmp_path: Path) -> None:
    data = (ERROR.format(details="a") + ERROR.format(details="b")).encode().replace(b"Details: b", b"Details: b\xff")
    assert [one.flags for one in records(FORMAT, written(tmp_path, data), ErrorEvent)] == [(), ("not_utf8",)]


def test_lines_of_json_that_are_no_block_are_skipped_or_refused(tmp_path: Path) -> None:
    lines = ['{"_ERROR_EVENT": {"Level": "L1", "Result": "FAILED"}}', '{"msg": "hello"}', "[1]", "3", "{", '{"_ERR']
    found = items(FORMAT, written(tmp_path, "\n".join(lines)))
    assert (skipped(found), rejected(found)) == (
        ["no_block", "no_block", "incomplete_last_line"],
        ["not_an_object", "not_json"],
    )


def test_a_template_alone_makes_no_run(tmp_path: Path) -> None:
    found = items(FORMAT, written(tmp_path, "_ERROR_EVENT:\n  Level: [L0|L1]\n  Result: [SUCCESS|FAILED]\n"))
    assert skipped(found) == ["template"]
    assert len(found) == 1


def test_a_cut_first_block_leaves_no_run_behind_when_the_file_has_grown(tmp_path: Path) -> None:
    text = ERROR.format(details="one")
    path = written(tmp_path, text[:-18], "journal.md")
    store = tmp_path / "store.duckdb"
    assert loaded(store, path).values("SELECT flags FROM error_events") == [["incomplete"]]
    written(tmp_path, text, "journal.md")
    grown = loaded(store, path)
    assert grown.values("SELECT flags FROM error_events") == [None]
    assert len(grown.values("SELECT run_id FROM runs")) == 1


def test_the_task_of_a_state_names_the_run(tmp_path: Path) -> None:
    text = "# Title\n\n_NEXUS_STATE:\n  Task: refund rounding\n  Phase: PLAN\n  Status: ON_TRACK\n"
    assert loaded(tmp_path / "s.duckdb", written(tmp_path, text, "j.md")).values("SELECT name FROM runs") == [
        "refund rounding"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "class Diagnosis:\n    observed_at: str | None = None\n    originated_at: str | None = None\n",
        '{"record": "diagnosis", "run_id": "r", "observed_at": "VERIFY", "originated_at": "PLAN"}\n',
        '{"type": "user", "text": "_ERROR_EVENT:\\n  Level: L2\\n"}\n',
        "An _ERROR_EVENT: has a level.\n",
        "_STEP_COMPLETE:\n",
    ],
)
def test_what_only_looks_like_a_block_is_not_claimed(text: str, tmp_path: Path) -> None:
    assert not named_adapter(FORMAT).recognise(source_of(written(tmp_path, text)).head)


def test_the_first_block_may_stand_far_below(tmp_path: Path) -> None:
    text = "a line of a log\n" * 30_000 + ERROR.format(details="late")
    path = written(tmp_path, text, "ci.log")
    assert named_adapter(FORMAT).recognise(source_of(path).head)
    assert [item.place.line for item in items(FORMAT, path)] == [30_001]
    assert len(records(FORMAT, path, Run)) == 1
