"""The records of bijux-canon-agent: every sample gives its expected outcome, damage costs only what is damaged."""

from __future__ import annotations

import csv
import gzip
import json
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import pytest

from ingest.adapter import Bundle, Item, Parsed, Rejected, Skipped, Unreadable
from ingest.adapters.bijux_agent import ADAPTER
from ingest.records import ErrorEvent, Event, Record, Run, Span
from ingest.source import Source

SAMPLES = Path(__file__).resolve().parents[3] / "sample_traces" / "bijux_agent"
SUCCESS = SAMPLES / "traces" / "success.json"
DIRECTORY = SAMPLES / "cli" / "directory"
R = TypeVar("R", bound=Record)

Editor = Callable[[dict[str, Any]], None]


def source_of(path: Path, root: Path | None = None) -> Source:
    """The source as an ingest would make it: the whole bundle, named below the given argument."""
    bundle = ADAPTER.bundle(path) or Bundle(path)
    below = bundle.main.relative_to(root) if root else Path(bundle.main.name)
    return Source(bundle.main, str(bundle.main), below.as_posix(), bundle.companions)


def items(path: Path, root: Path | None = None) -> list[Item]:
    return list(ADAPTER.read(source_of(path, root)))


def records(found: list[Item], kind: type[R]) -> list[R]:
    return [r for item in found if isinstance(item, Parsed) for r in item.records if isinstance(r, kind)]


def rejected(found: list[Item]) -> list[str]:
    return [item.reason for item in found if isinstance(item, Rejected)]


def skipped(found: list[Item]) -> list[str]:
    return [item.reason for item in found if isinstance(item, Skipped)]


def recognised(path: Path) -> bool:
    return ADAPTER.recognise(source_of(path).head)


def expected_rows() -> list[dict[str, str]]:
    with (SAMPLES / "EXPECTED.tsv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def edited(tmp_path: Path, edit: Editor, sample: Path = SUCCESS) -> Path:
    trace = json.loads(sample.read_text(encoding="utf-8"))
    edit(trace)
    path = tmp_path / "edited.json"
    path.write_text(json.dumps(trace), encoding="utf-8")
    return path


def one_run(found: list[Item]) -> Run:
    [run] = records(found, Run)
    return run


# ------------------------------------------------------------------------------------------------ the samples


def test_the_expectations_name_every_sample() -> None:
    named = {row["file"].split(" ")[0] for row in expected_rows()}
    traces = {f"traces/{path.name}" for path in (SAMPLES / "traces").glob("[!_]*.json")}
    assert named == traces | {f"cli/{path.name}" for path in (SAMPLES / "cli").iterdir()}


@pytest.mark.parametrize("row", [row for row in expected_rows() if "(" not in row["file"]], ids=lambda row: row["file"])
def test_a_sample_gives_its_expected_outcome(row: dict[str, str]) -> None:
    path = SAMPLES / row["file"]
    found = items(path if path.is_file() else path / "trace" / "run_trace.json", SAMPLES)
    run, errors = one_run(found), records(found, ErrorEvent)
    assert rejected(found) == []
    assert {
        "file": row["file"],
        "status": run.status,
        "failure_class": ",".join(error.failure_class for error in errors if error.failure_class),
        "error_codes": ",".join(error.agent_error_code for error in errors if error.agent_error_code),
        "header_status": run.attributes["header_status"],
        "header_termination": run.attributes["header_termination_reason"],
        "replay_status": run.attributes["replay_status"],
    } == row
    assert run.status_reason
    assert run.identity == "recorded"


def test_a_call_with_two_inputs_is_two_runs_and_only_the_first_has_the_trace() -> None:
    found = items(DIRECTORY / "trace" / "run_trace.json", SAMPLES)
    first, other = records(found, Run)
    assert (first.status, first.identity, first.attributes["input_file"]) == (
        "succeeded",
        "recorded",
        "inputs/dir/tiny.txt",
    )
    assert (other.status, other.identity, other.attributes["input_file"]) == (
        "failed",
        "derived",
        "inputs/dir/good.txt",
    )
    assert other.native_id == f"{first.native_id}/good.txt"
    assert other.name == first.name == "summarize this document"
    assert {span.run_id for span in records(found, Span) if span.kind == "entry"} == {first.run_id}


@pytest.mark.parametrize("name", ["_report.json", "../EXPECTED.tsv", "../PROVENANCE.md"])
def test_what_is_about_the_traces_is_no_trace(name: str) -> None:
    assert not recognised(SAMPLES / "traces" / name)


def test_every_source_is_recognised_by_content_under_any_name(tmp_path: Path) -> None:
    for number, path in enumerate(p for p in SAMPLES.rglob("*") if p.suffix in {".json", ".log"}):
        copy = tmp_path / f"{number}.dat"
        shutil.copy(path, copy)
        assert recognised(copy) == (path.name != "_report.json"), path


# ------------------------------------------------------------------------------------------------ the records


def test_an_entry_is_a_span_that_keeps_what_the_rules_ask_for() -> None:
    spans = records(items(SUCCESS), Span)
    assert [(span.span_id, span.phase, span.status) for span in spans] == [
        ("entry-0", "PLAN", "ok"),
        ("entry-1", "EXECUTE", "ok"),
        ("entry-2", "JUDGE", "ok"),
        ("entry-3", "VERIFY", "ok"),
        ("entry-4", "FINALIZE", "ok"),
    ]
    last = spans[-1]
    assert last.agent == "orchestrator-agent"
    assert last.started_at is not None
    assert last.started_at.isoformat() == "2026-11-30T18:30:38.326269+00:00"
    assert {"prompt_hash", "model_hash", "scores", "run_fingerprint", "replay_metadata", "decision_artifact"} <= set(
        last.attributes
    )
    assert "run_id" not in last.attributes


def test_the_run_keeps_what_the_rules_ask_of_a_whole_trace() -> None:
    run = one_run(items(SUCCESS))
    assert run.attributes["phases"] == ["PLAN", "EXECUTE", "JUDGE", "VERIFY", "FINALIZE"]
    assert run.attributes["last_entry"]["has_run_fingerprint"] is True
    assert run.attributes["model_metadata"]["temperature"] == 0.0
    assert run.attributes["convergence_reason"] == "stability"
    assert (run.name, run.clock) == ("summarize policy", "wall")


def test_verdicts_and_verification_stand_on_the_timeline() -> None:
    events = {event.event_id: event for event in records(items(SUCCESS), Event)}
    assert events["entry-3-verification"].summary == (
        "verification: confidence 1.0, contradictions 0, missing_evidence 0"
    )
    assert events["entry-4-decision"].summary == "verdict pass: judge and verifier agreed"
    aborted = {
        event.event_id: event for event in records(items(SAMPLES / "traces" / "aborted_fatal_failure.json"), Event)
    }
    assert aborted["entry-1-decision"].summary == "aborted: fatal_failure"


def test_a_failure_artifact_is_an_error_with_its_profile_words() -> None:
    [error] = records(items(SAMPLES / "traces" / "aborted_epistemic_uncertain.json"), ErrorEvent)
    assert (error.event_id, error.failure_class, error.category) == (
        "entry-3-failure",
        "epistemic_uncertainty",
        "epistemic",
    )
    assert error.attributes["failure_artifact"]["category"] == "epistemic_failure"
    assert (error.recoverable, error.phase, error.location) == (False, "ABORTED", "orchestrator-agent/aborted")
    assert error.signature
    assert error.signature_partial is False


def test_the_same_node_failing_twice_has_only_a_partial_signature() -> None:
    first, second = records(items(SAMPLES / "traces" / "workflow_exhausted_unknown_error.json"), ErrorEvent)
    assert first.event_id != second.event_id
    assert first.signature == second.signature
    assert first.signature_partial is True
    assert first.state_hash is None


def test_an_agent_error_keeps_its_transient_flag() -> None:
    [error] = records(items(SAMPLES / "traces" / "workflow_retry_recovered.json"), ErrorEvent)
    assert (error.agent_error_code, error.transient, error.failure_class) == ("TIMEOUT", True, None)
    assert error.attributes["error"]["details"] == "deadline 30s"


def test_a_convergence_stop_is_named_as_stop_reason() -> None:
    run = one_run(items(SAMPLES / "traces" / "success_converged.json"))
    assert (run.stop_reason, run.attributes["stop_reason_basis"]) == ("convergence_reached", "termination_reason")


def test_a_failed_stage_is_one_error_however_often_the_folder_repeats_it() -> None:
    found = items(SAMPLES / "cli" / "hybrid-good" / "trace" / "run_trace.json")
    [error] = records(found, ErrorEvent)
    assert (error.event_id, error.location) == ("stage-summarization-error", "summarization")
    stages = {span.name: span.status for span in records(found, Span) if span.kind == "stage"}
    assert stages == {
        "file_extraction": "ok",
        "summarization": "error",
        "validation": "not_reached",
        "critique": "not_reached",
    }


def test_iterations_give_a_span_each() -> None:
    found = items(SAMPLES / "cli" / "loop-noisy" / "trace" / "run_trace.json")
    assert [s.status for s in records(found, Span) if s.name == "critique"] == [None, None, "ok"]
    assert [event.name for event in records(found, Event) if event.kind == "revision"] == ["iteration 1", "iteration 2"]


def test_every_id_is_given_once_in_a_run() -> None:
    for path in [*(SAMPLES / "cli").iterdir(), SAMPLES / "logged" / "out"]:
        found = items(path / "trace" / "run_trace.json")
        events = [(r.run_id, r.event_id) for r in records(found, Record) if r.event_id]
        spans = [(span.run_id, span.span_id) for span in records(found, Span)]
        assert len(events) == len(set(events))
        assert len(spans) == len(set(spans))


# ------------------------------------------------------------------------------------------------ schemas


def as_schema_1(trace: dict[str, Any]) -> None:
    for key in ("trace_schema_version", "runtime_version", "termination_reason"):
        del trace[key]


@pytest.mark.parametrize(
    ("sample", "status"),
    [
        ("traces/success.json", "succeeded"),
        ("traces/aborted_verification_veto.json", "vetoed"),
        ("traces/workflow_abort_fatal.json", "aborted"),
        ("cli/extractive-tiny/trace/run_trace.json", "succeeded"),
        ("cli/hybrid-good/trace/run_trace.json", "failed"),
    ],
)
def test_schema_1_is_read_and_flagged(tmp_path: Path, sample: str, status: str) -> None:
    path = edited(tmp_path, as_schema_1, SAMPLES / sample)
    run = one_run(items(path))
    assert recognised(path)
    assert (run.status, run.attributes["trace_schema_version"]) == (status, 1)
    assert "schema_1" in run.flags
    assert "runtime_version" not in run.attributes


@pytest.mark.parametrize("version", [3, "3", 99])
def test_a_newer_schema_is_refused_by_name_and_version(tmp_path: Path, version: Any) -> None:
    path = edited(tmp_path, lambda trace: trace.update(trace_schema_version=version))
    assert recognised(path)
    with pytest.raises(Unreadable, match=rf"bijux-canon-agent run trace: schema {version} is newer") as refused:
        items(path)
    assert refused.value.reason == "newer_schema"


@pytest.mark.parametrize("version", ["two", 0, -1, True, 2.5, []])
def test_a_schema_that_does_not_exist_is_refused(tmp_path: Path, version: Any) -> None:
    path = edited(tmp_path, lambda trace: trace.update(trace_schema_version=version))
    with pytest.raises(Unreadable):
        items(path)


# ------------------------------------------------------------------------------------------------ odd and damaged


def test_one_bad_entry_does_not_take_the_others(tmp_path: Path) -> None:
    found = items(edited(tmp_path, lambda trace: trace["entries"].insert(1, "nonsense")))
    assert rejected(found) == ["not_an_object"]
    assert [span.span_id for span in records(found, Span)] == ["entry-0", "entry-2", "entry-3", "entry-4", "entry-5"]
    assert one_run(found).status == "succeeded"


def put_in_last_entry(trace: dict[str, Any], *, key: str, value: Any) -> None:
    trace["entries"][-1][key] = value


def put_in_header(trace: dict[str, Any], *, key: str, value: Any) -> None:
    trace[key] = value


@pytest.mark.parametrize("junk", [None, 7, "text", [], ["x"], {}, {"a": {"b": []}}, True, 1.5])
@pytest.mark.parametrize(
    "sample", ["traces/success.json", "traces/aborted_fatal_failure.json", "traces/workflow_abort_fatal.json"]
)
def test_any_value_under_any_key_is_no_exception(tmp_path: Path, junk: Any, sample: str) -> None:
    trace = json.loads((SAMPLES / sample).read_text(encoding="utf-8"))
    for key in trace["entries"][-1]:
        path = edited(tmp_path, partial(put_in_last_entry, key=key, value=junk), SAMPLES / sample)
        assert len(records(items(path), Span)) == len(trace["entries"]), key
    for key in set(trace) - {"trace_schema_version", "entries"}:
        path = edited(tmp_path, partial(put_in_header, key=key, value=junk), SAMPLES / sample)
        assert len(records(items(path), Run)) == 1, key


@pytest.mark.parametrize("key", ["error", "failure_artifact", "output", "replay_metadata", "phase", "status", "input"])
def test_any_key_may_be_absent(tmp_path: Path, key: str) -> None:
    found = items(edited(tmp_path, lambda trace: trace["entries"][-1].pop(key)))
    assert rejected(found) == []
    assert len(records(found, Span)) == 5


def test_unknown_values_are_kept_verbatim_and_flagged(tmp_path: Path) -> None:
    def odd(trace: dict[str, Any]) -> None:
        trace["entries"][0]["error"] = {"code": "MELTDOWN", "message": "m", "transient": "perhaps", "extra": 1}
        trace["entries"][1]["failure_artifact"] = {"failure_class": "gremlins", "category": "cosmic", "message": "x"}
        trace["entries"][2]["status"] = "sideways"
        trace["colour"] = "blue"

    found = items(edited(tmp_path, odd))
    error, failure = records(found, ErrorEvent)
    assert (error.agent_error_code, error.transient, error.flags) == ("MELTDOWN", None, ("unknown_value",))
    assert error.attributes["error"]["extra"] == 1
    assert (failure.failure_class, failure.category, failure.flags) == ("gremlins", "cosmic", ("unknown_value",))
    assert "unknown_value" in records(found, Span)[2].flags
    assert records(found, Span)[2].attributes["entry_status"] == "sideways"
    assert one_run(found).attributes["colour"] == "blue"


def test_a_naive_time_is_taken_as_utc_and_flagged(tmp_path: Path) -> None:
    def naive(trace: dict[str, Any]) -> None:
        trace["started_at"] = "2026-11-30T18:30:34"
        trace["entries"][0]["start_time"] = "2026-11-30T18:30:34"

    found = items(edited(tmp_path, naive))
    run, span = one_run(found), records(found, Span)[0]
    assert run.started_at is not None
    assert run.started_at.isoformat() == "2026-11-30T18:30:34+00:00"
    assert "naive_time" in run.flags
    assert span.flags == ("naive_time",)


def test_a_trace_without_an_id_is_called_by_its_path(tmp_path: Path) -> None:
    def nameless(trace: dict[str, Any]) -> None:
        for part in (trace, *trace["entries"]):
            del part["run_id"]

    run = one_run(items(edited(tmp_path, nameless)))
    assert (run.native_id, run.identity) == ("edited.json", "derived")


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda data: data[: len(data) // 2], "not_json"),
        (lambda data: data[:-2], "not_json"),
        (lambda data: data + b"{}", "text_after_value"),
        (lambda data: data.replace(b"planner-agent", b"planner-\xe4gent"), "not_utf8"),
        (lambda _data: b"", "not_json"),
    ],
)
def test_a_damaged_trace_is_one_rejection(tmp_path: Path, damage: Callable[[bytes], bytes], reason: str) -> None:
    path = tmp_path / "run_trace.json"
    path.write_bytes(damage(SUCCESS.read_bytes()))
    found = items(path)
    assert rejected(found) == [reason]
    assert len(found) == 1


@pytest.mark.parametrize("cut", [0.3, 0.5, 0.9])
def test_a_cut_trace_is_still_recognised(tmp_path: Path, cut: float) -> None:
    path = tmp_path / "x.json"
    data = SUCCESS.read_bytes()
    path.write_bytes(data[: int(len(data) * cut)])
    assert recognised(path)


@pytest.mark.parametrize(
    "packed",
    [
        lambda text: b"\xef\xbb\xbf" + text.encode(),
        lambda text: text.encode("utf-16"),
        lambda text: gzip.compress(text.encode()),
    ],
)
def test_marks_and_compression_change_nothing(tmp_path: Path, packed: Callable[[str], bytes]) -> None:
    path = tmp_path / "run_trace.json"
    path.write_bytes(packed(SUCCESS.read_text(encoding="utf-8")))
    assert recognised(path)
    assert records(items(path), Record) == records(items(SUCCESS), Record)


# ------------------------------------------------------------------------------------------------ output folders


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(DIRECTORY, tmp_path / "calls" / "out"))


@pytest.mark.parametrize(
    "member",
    [
        "trace/run_trace.json",
        "result/final_result.json",
        "process_files_result.json",
        "pipeline_result_file_tiny_20261130_183103.json",
    ],
)
def test_any_file_of_a_folder_stands_for_the_whole(folder: Path, member: str) -> None:
    assert ADAPTER.bundle(folder / member) == ADAPTER.bundle(folder / "trace" / "run_trace.json")
    assert len(items(folder / member)) == 6


def test_a_folder_of_traces_is_no_output_folder() -> None:
    assert ADAPTER.bundle(SUCCESS) is None
    assert ADAPTER.bundle(SAMPLES / "traces" / "_report.json") is None


def test_a_foreign_file_in_the_place_of_a_trace_makes_no_folder(tmp_path: Path) -> None:
    path = tmp_path / "trace" / "run_trace.json"
    path.parent.mkdir()
    path.write_text('{"spans": []}', encoding="utf-8")
    assert ADAPTER.bundle(path) is None


def test_a_damaged_companion_costs_only_itself(folder: Path) -> None:
    (folder / "process_files_result.json").write_text('{"successful": [', encoding="utf-8")
    found = items(folder / "trace" / "run_trace.json")
    assert rejected(found) == ["not_json"]
    assert [item.place.part for item in found if isinstance(item, Rejected)] == ["../process_files_result.json"]
    assert one_run(found).status == "succeeded"


def test_a_damaged_trace_leaves_the_results_to_be_read(folder: Path) -> None:
    trace = folder / "trace" / "run_trace.json"
    trace.write_bytes(trace.read_bytes()[:3000])
    found = items(trace, folder.parent)
    assert rejected(found) == ["not_json"]
    assert [(run.native_id, run.status) for run in records(found, Run)] == [
        ("out/tiny.txt", "succeeded"),
        ("out/good.txt", "failed"),
    ]


def test_without_a_trace_runs_are_called_by_their_place(folder: Path) -> None:
    shutil.rmtree(folder / "trace")
    below_parent = records(items(folder / "process_files_result.json", folder.parent), Run)
    given_itself = records(items(folder / "process_files_result.json", folder), Run)
    assert [run.native_id for run in below_parent] == ["out/tiny.txt", "out/good.txt"]
    assert below_parent == given_itself
    assert {run.identity for run in below_parent} == {"derived"}


def test_a_pipeline_result_of_another_time_stamp_is_another_run(folder: Path) -> None:
    mine = folder / "pipeline_result_file_tiny_20261130_183103.json"
    shutil.copy(mine, folder / "pipeline_result_file_tiny_20261130_194500.json")
    runs = records(items(folder / "trace" / "run_trace.json", folder.parent), Run)
    assert [run.native_id for run in runs[2:]] == ["out/pipeline_result_file_tiny_20261130_194500.json"]
    assert runs[2].status == "succeeded"


def test_a_pipeline_result_alone_is_the_same_run_as_with_its_folder(folder: Path) -> None:
    alone = "pipeline_result_file_tiny_20261130_194500.json"
    (folder / "pipeline_result_file_tiny_20261130_183103.json").rename(folder / alone)
    with_folder = records(items(folder / "trace" / "run_trace.json", folder.parent), Run)[2]
    for gone in ("trace", "result"):
        shutil.rmtree(folder / gone)
    (folder / "process_files_result.json").unlink()
    assert one_run(items(folder / alone, folder.parent)) == with_folder


def test_an_input_that_failed_outright_is_a_failed_run(tmp_path: Path) -> None:
    path = tmp_path / "out" / "process_files_result.json"
    path.parent.mkdir()
    listed = {
        "successful": [{"file_path": "in/dry.txt", "status": "dry_run", "message": "Dry run completed"}, "junk"],
        "failed": [{"file_path": "in/bad.txt", "error": "boom"}],
        "telemetry": {},
    }
    path.write_text(json.dumps(listed), encoding="utf-8")
    found = items(path)
    dry, bad = records(found, Run)
    assert (dry.native_id, dry.status, dry.status_reason) == ("out/dry.txt", "unknown", "dry run: nothing was executed")
    assert (bad.native_id, bad.status) == ("out/bad.txt", "failed")
    assert [error.details for error in records(found, ErrorEvent)] == ["boom"]
    assert rejected(found) == ["not_an_object"]


def test_a_final_result_without_a_trace_is_a_failure_written_as_a_veto(tmp_path: Path) -> None:
    path = tmp_path / "out" / "result" / "final_result.json"
    path.parent.mkdir(parents=True)
    final = json.loads((DIRECTORY / "result" / "final_result.json").read_text(encoding="utf-8"))
    final |= {"verdict": "veto", "confidence": 0.0, "trace_path": None}
    path.write_text(json.dumps(final), encoding="utf-8")
    run = one_run(items(path))
    assert (run.native_id, run.status) == ("out", "failed")
    assert run.status_reason is not None
    assert "trace_path is null" in run.status_reason


def test_a_stage_error_is_read_from_the_trace_where_no_result_tells_it(tmp_path: Path) -> None:
    path = tmp_path / "lonely.json"
    shutil.copy(SAMPLES / "cli" / "hybrid-good" / "trace" / "run_trace.json", path)
    [error] = records(items(path), ErrorEvent)
    assert error.event_id == "stage-summarization-error"


# ------------------------------------------------------------------------------------------------ application.log

LOGGED = SAMPLES / "logged" / "out"


def test_log_lines_belong_to_the_input_they_are_about() -> None:
    found = items(LOGGED / "trace" / "run_trace.json")
    lines = [event for event in records(found, Event) if event.kind == "log"]
    assert len(lines) == 180
    assert {line.flags for line in lines} == {("naive_time",)}
    warning = next(line for line in lines if line.name == "WARNING")
    assert warning.run_id.endswith("/two.txt")


def test_the_log_tells_of_inputs_that_no_other_file_keeps() -> None:
    runs = records(items(LOGGED / "trace" / "run_trace.json"), Run)
    assert [(run.native_id.rpartition("/")[2], run.status) for run in runs[1:]] == [
        ("two.txt", "failed"),
        ("bad.bin", "succeeded"),
    ]
    assert runs[0].status == "succeeded"


def log_line(second: int, message: str, **more: Any) -> str:
    line = {"timestamp": f"2026-11-30T20:00:{second:02}.000001", "level": "INFO", "name": "Bijux Agent"}
    return json.dumps(line | {"message": message, "module": "m", "line": 5, "context": {}, "metrics": {}} | more)


def test_lines_of_another_call_are_left_out_and_counted(folder: Path) -> None:
    log = folder / "logs" / "application.log"
    log.parent.mkdir()
    start = "Bijux Agent pipeline starting"
    earlier, mine, later = ({"start_time": f"2026-11-30T{hour}:00:00+00:00"} for hour in ("09", "18", "19"))
    lines = [
        log_line(1, start, context=earlier),
        log_line(2, "old"),
        log_line(3, start, context=mine),
        log_line(4, "mine"),
        log_line(5, start, context=later),
        log_line(6, "next"),
    ]
    log.write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = items(log)
    assert [event.summary for event in records(found, Event) if event.kind == "log"] == [
        "INFO: Bijux Agent pipeline starting",
        "INFO: mine",
    ]
    assert skipped(found) == ["line_of_another_call"] * 4


def test_a_log_alone_is_a_run_of_unknown_outcome(tmp_path: Path) -> None:
    log = tmp_path / "application.log"
    log.write_text(
        f"{log_line(1, 'one')}\nnot json\n[1]\n{log_line(9, 'two')}\n" + '{"timestamp": "2026', encoding="utf-8"
    )
    found = items(log)
    run = one_run(found)
    assert recognised(log)
    assert (run.native_id, run.status, run.clock) == ("application.log", "unknown", "wall")
    assert [event.summary for event in records(found, Event)] == ["INFO: one", "INFO: two"]
    assert rejected(found) == ["not_json", "not_an_object"]
    assert skipped(found) == ["incomplete_last_line"]
    assert [item.place.line for item in found] == [1, 2, 3, 4, 5]


# ------------------------------------------------------------------------------------------------ HTTP answers


def answer(code: str, status: int) -> dict[str, Any]:
    return {"code": code, "message": f"{code} happened", "http_status": status}


@pytest.mark.parametrize(
    ("body", "code", "status"),
    [
        (answer("INVALID_REQUEST", 400), "INVALID_REQUEST", "refused"),
        (answer("VALIDATION_ERROR", 400), "VALIDATION_ERROR", "refused"),
        (answer("EXECUTION_FAILED", 422), "EXECUTION_FAILED", "failed"),
        (answer("CONVERGENCE_FAILED", 422), "CONVERGENCE_FAILED", "failed"),
        (answer("INTERNAL_ERROR", 500), "INTERNAL_ERROR", "failed"),
        ({"error": "not found", "status": 404}, "HTTP_404", "refused"),
        ({"error": "method not allowed", "http_status": 405}, "HTTP_405", "refused"),
    ],
)
def test_an_http_answer_is_one_run_and_one_error(tmp_path: Path, body: dict[str, Any], code: str, status: str) -> None:
    path = tmp_path / "answer.json"
    path.write_text(json.dumps(body, indent=1), encoding="utf-8")
    found = items(path)
    [error] = records(found, ErrorEvent)
    assert recognised(path)
    assert (one_run(found).native_id, one_run(found).status) == ("answer.json", status)
    assert (error.error_code, error.agent_error_code) == (code, None)
    assert error.attributes["http_status"] in {400, 404, 405, 422, 500}


@pytest.mark.parametrize("written", [json.dumps, lambda bodies: "\n".join(json.dumps(body) for body in bodies)])
def test_answers_come_as_list_or_lines(tmp_path: Path, written: Callable[[list[Any]], str]) -> None:
    path = tmp_path / "answers.json"
    bodies = [answer("EXECUTION_FAILED", 422), answer("EXECUTION_FAILED", 422), {"error": "not found", "status": 404}]
    path.write_text(written(bodies), encoding="utf-8")
    found = items(path)
    assert recognised(path)
    assert [error.error_code for error in records(found, ErrorEvent)] == [
        "EXECUTION_FAILED",
        "EXECUTION_FAILED",
        "HTTP_404",
    ]
    assert one_run(found).status == "unknown"
    assert len(found) == 3


def test_an_unknown_code_is_kept_and_flagged_and_a_bad_line_costs_only_itself(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    lines = [json.dumps(answer("TEAPOT", 418)), "{broken", json.dumps(answer("INTERNAL_ERROR", 500)), '{"code": "A']
    path.write_text("\n".join(lines), encoding="utf-8")
    found = items(path)
    assert [(error.error_code, error.flags) for error in records(found, ErrorEvent)] == [
        ("TEAPOT", ("unknown_value",)),
        ("INTERNAL_ERROR", ()),
    ]
    assert rejected(found) == ["not_json"]
    assert skipped(found) == ["incomplete_last_line"]


@pytest.mark.parametrize(
    "foreign",
    [
        {"error": "not found"},
        {"error": "not found", "status": 200},
        {"error": "not found", "status": 404, "trace_id": "1"},
        {"code": "lower", "message": "m", "http_status": 400},
        {"record": "error_event", "code": "A", "message": "m", "http_status": 1},
        {"run_id": "r", "entries": [{"id": 1}]},
        {"entries": [], "run_id": "x"},
        {"failure_class": "structural", "reason_code": "x", "violated_contract": "y"},
        [],
        [1],
    ],
)
def test_what_other_producers_write_is_left_to_them(tmp_path: Path, foreign: Any) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps(foreign), encoding="utf-8")
    assert not recognised(path)
