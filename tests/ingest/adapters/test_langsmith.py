from __future__ import annotations

import json
import tracemalloc
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ingest.adapters.langsmith import read
from ingest.records import ErrorEvent, Event, GuardrailEvent, Run, Span
from ingest.source import Source, text_size
from tests.ingest.adapters.expected import SAMPLES, load, records

FOLDER = SAMPLES / "langsmith"
RUN = {"id": "r", "name": "n", "run_type": "chain", "trace_id": "r", "parent_run_id": None}


def written(folder: Path, *runs: dict[str, Any]) -> Path:
    path = folder / "runs.jsonl"
    path.write_text("".join(json.dumps(run) + "\n" for run in runs))
    return path


def test_rolled_up_tokens_count_once(tmp_path: Path) -> None:
    run = load(tmp_path, FOLDER / "sample_runs_flat.json").one("SELECT input_tokens, output_tokens FROM runs")
    assert run == {"input_tokens": 180_000, "output_tokens": 20_000}


def test_without_a_trace_id_the_parents_lead_to_the_run() -> None:
    spans = records(FOLDER / "sample_runs_flat.json", Span)
    assert {span.run_id for span in spans} == {"langsmith:root-uuid-1234"}
    assert {span.span_id: span.parent_span_id for span in spans}["grandchild-uuid-1"] == "child-uuid-1"


def test_the_dotted_order_is_the_order_whatever_the_lines_are(tmp_path: Path) -> None:
    rows = load(tmp_path, FOLDER / "retried_tool.jsonl").values("SELECT name FROM spans ORDER BY seq")
    assert rows == ["agent", "model", "lookup", "lookup"]


def test_a_run_that_has_ended_replaces_its_pending_version_and_never_the_reverse(tmp_path: Path) -> None:
    begun = {**RUN, "status": "pending", "start_time": "2026-11-30T10:00:00Z"}
    ended = {**begun, "status": "error", "error": "ValueError: x", "end_time": "2026-11-30T10:00:05Z"}
    for number, rows in enumerate(([begun, ended], [ended, begun])):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert load(folder, written(folder, *rows)).values("SELECT status FROM runs") == ["failed"]


def test_without_a_start_time_the_dotted_order_has_it(tmp_path: Path) -> None:
    (span,) = records(written(tmp_path, {**RUN, "dotted_order": "20261130T183358000001Zr"}), Span)
    assert span.started_at.isoformat() == "2026-11-30T18:33:58.000001+00:00"
    assert "time_from_dotted_order" in span.flags


def test_the_last_line_of_the_traceback_names_the_error() -> None:
    (error,) = records(FOLDER / "retried_tool.jsonl", ErrorEvent)
    assert (error.error_code, error.details) == ("ValueError", "ValueError: bad order 8841")
    assert error.attributes["message"].startswith("ValueError('bad order 8841')Traceback")
    assert error.location == "lookup"


def test_a_retry_tag_is_one_retry_and_the_success_after_it_a_recovery(tmp_path: Path) -> None:
    result = load(tmp_path, FOLDER / "retried_tool.jsonl")
    assert result.values("SELECT summary FROM events WHERE kind = 'retry'") == ["attempt 2"]
    (recovery,) = result.rows("SELECT outcome, basis FROM recovery_events")
    assert recovery == {"outcome": "RECOVERED", "basis": "derived"}


@pytest.mark.parametrize(
    ("tags", "retries"), [(["retry:attempt:1"], 0), (["retry:attempt:3"], 1), (["retry"], 0), (None, 0)]
)
def test_only_the_second_attempt_and_later_ones_are_retries(tags: Any, retries: int, tmp_path: Path) -> None:
    assert len(records(written(tmp_path, {**RUN, "tags": tags}), Event)) == retries


def test_a_graph_interrupt_is_a_pause_and_no_failure(tmp_path: Path) -> None:
    path = FOLDER / "paused_for_person.jsonl"
    (pause,) = records(path, GuardrailEvent)
    assert (pause.action, pause.trigger) == ("PAUSE", "GraphInterrupt")
    run = load(tmp_path, path).one("SELECT status, errors FROM runs")
    assert run == {"status": "interrupted", "errors": 0}


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"status": "success"}, "succeeded"),
        ({"status": "error", "error": "boom"}, "failed"),
        ({"status": None, "error": "boom"}, "failed"),
        ({"status": "pending"}, "running"),
        ({"status": "weird"}, "unknown"),
    ],
)
def test_the_outcome_is_the_roots(more: dict[str, Any], expected: str, tmp_path: Path) -> None:
    run = next(run for run in records(written(tmp_path, {**RUN, **more}), Run) if run.event_id.startswith("root"))
    assert run.status == expected


@pytest.mark.parametrize(
    ("start", "flags"),
    [
        ("2026-11-30 18:33:58.139703+00:00", ()),
        ("2026-11-30T18:33:58.139703", ("naive_time",)),
        ("2026-11-30T19:33:58.139703+01:00", ()),
    ],
)
def test_times_of_api_and_sdk_are_the_same_instant(start: str, flags: tuple[str, ...], tmp_path: Path) -> None:
    (span,) = records(written(tmp_path, {**RUN, "start_time": start}), Span)
    assert (span.started_at.isoformat(), span.flags) == ("2026-11-30T18:33:58.139703+00:00", flags)


def test_nested_child_runs_are_runs_too_and_a_missing_root_leaves_the_outcome_open(tmp_path: Path) -> None:
    child = {"id": "c", "name": "tool", "run_type": "tool", "trace_id": "gone", "status": "success"}
    parent = {**RUN, "id": "p", "trace_id": "gone", "parent_run_id": "gone", "child_runs": [child]}
    spans = records(written(tmp_path, parent), Span)
    assert [(span.span_id, span.parent_span_id) for span in spans] == [("p", "gone"), ("c", "p")]
    assert load(tmp_path, tmp_path / "runs.jsonl").values("SELECT status FROM runs") == ["unknown"]


def as_parquet(path: Path, runs: list[dict[str, Any]]) -> Path:
    """The runs as a bulk export has them: a column a field, objects as the JSON of them, a missing value as null."""
    names = sorted({name for run in runs for name in run})
    cells = {name: [run.get(name) for run in runs] for name in names}
    table = {
        name: [json.dumps(cell) if isinstance(cell, dict) else cell for cell in column]
        for name, column in cells.items()
    }
    pq.write_table(pa.table({name: pa.array(column) for name, column in table.items()}), path)
    return path


@pytest.mark.parametrize("name", ["retried_tool.jsonl", "paused_for_person.jsonl"])
def test_a_table_says_what_the_objects_say(tmp_path: Path, name: str) -> None:
    runs = [json.loads(line) for line in (FOLDER / name).read_text().splitlines()]
    path = as_parquet(tmp_path / "runs.parquet", runs)
    for kind in (Run, Span, ErrorEvent, Event, GuardrailEvent):
        assert records(path, kind) == records(FOLDER / name, kind)


def test_a_long_table_is_read_to_its_end(tmp_path: Path) -> None:
    runs = [{**RUN, "id": f"s{number}", "parent_run_id": "r"} for number in range(5_000)]
    assert len(records(as_parquet(tmp_path / "runs.parquet", runs), Span)) == 5_000


def test_of_a_long_table_no_more_is_held_than_of_a_short_one(tmp_path: Path) -> None:
    held = []
    for number in (5_000, 20_000):
        runs = ({**RUN, "id": f"s{one}", "parent_run_id": "r", "name": "n" * 50} for one in range(number))
        path = as_parquet(tmp_path / f"{number}.parquet", list(runs))
        tracemalloc.start()
        assert sum(1 for _ in read(Source(path, path.name, path.name))) == number
        held.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert held[1] < 1.5 * held[0]


def test_times_of_a_table_may_be_times(tmp_path: Path) -> None:
    began = datetime(2026, 11, 30, 10, tzinfo=UTC)
    (span,) = records(as_parquet(tmp_path / "runs.parquet", [{**RUN, "start_time": began}]), Span)
    assert (span.started_at, span.flags) == (began, ())


def test_a_table_counts_as_the_text_that_it_holds_packed(tmp_path: Path) -> None:
    path = tmp_path / "runs.parquet"
    pq.write_table(pa.table({"inputs": [str(number) * 50 for number in range(50_000)]}), path, compression="none")
    size = path.stat().st_size
    assert size > 1 << 20
    assert text_size(path) == 10 * size
