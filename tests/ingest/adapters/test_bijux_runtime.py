"""The runtime's own files, read as they lie in the samples; the expectation stands beside each of them."""

from __future__ import annotations

import csv
import gzip
import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any, TypeVar

import duckdb
import pytest
from backports import zstd

from ingest.adapter import Item, Parsed, Rejected, Skipped, Unreadable
from ingest.adapters.bijux_runtime import ADAPTER
from ingest.load import ingest
from ingest.records import ErrorEvent, Event, Record, Replay, Run, Span, run_key
from ingest.source import Source

SAMPLES = Path(__file__).parents[3] / "sample_traces" / "bijux_runtime"
SCENARIOS = SAMPLES / "scenarios" / "scenarios.duckdb.gz"
ENTROPY = SAMPLES / "entropy_observe" / "entropy_observe.duckdb.gz"
CRASH = SAMPLES / "crash" / "crash_before_resume.duckdb"
TRACES = sorted((SAMPLES / "traces").glob("*.json"))
REPLAYS = SAMPLES / "replay"
ENVELOPES = SAMPLES / "http" / "http_envelopes.json"
SUCCESS = SAMPLES / "traces" / "success.trace.json"
R = TypeVar("R", bound=Record)
ENVELOPE = {
    "failure_class": "authority",
    "reason_code": "contradiction_detected",
    "violated_contract": "headers_required",
    "evidence_ids": [],
    "determinism_impact": "structural",
}


def source_of(path: Path) -> Source:
    bundle = ADAPTER.bundle(path)
    return Source(path, str(path), path.name, bundle.companions if bundle else ())


def items_of(path: Path) -> list[Item]:
    return list(ADAPTER.read(source_of(path)))


def records_of(kind: type[R], items: list[Item]) -> list[R]:
    found = (record for item in items if isinstance(item, Parsed) for record in item.records)
    return [record for record in found if isinstance(record, kind)]


def expected_rows(folder: str) -> list[dict[str, str]]:
    with (SAMPLES / folder / "EXPECTED.tsv").open(newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def numbers(values: Any) -> str:
    return ",".join(map(str, values))


@pytest.fixture(scope="module")
def scenarios() -> list[Item]:
    return items_of(SCENARIOS)


@pytest.fixture(scope="module")
def entropy() -> list[Item]:
    return items_of(ENTROPY)


def run_named(items: list[Item], name: str) -> Run:
    (run,) = [run for run in records_of(Run, items) if run.name == name]
    return run


def errors_of(items: list[Item], run: Run) -> list[ErrorEvent]:
    return [error for error in records_of(ErrorEvent, items) if error.run_id == run.run_id]


def spans_of(items: list[Item], run: Run) -> dict[str, Span]:
    return {span.span_id: span for span in records_of(Span, items) if span.run_id == run.run_id}


# ------------------------------------------------------------------------------------------------------- the store


@pytest.mark.parametrize("expected", expected_rows("scenarios"), ids=lambda row: row["flow_id"])
def test_every_stored_run_ends_as_expected(scenarios: list[Item], expected: dict[str, str]) -> None:
    run = run_named(scenarios, expected["flow_id"])
    first = {"failed": "failing_steps", "interrupted": "incomplete_steps", "escalated": "incomplete_steps"}
    steps = run.attributes[first[expected["status"]]][:1] if expected["status"] in first else []
    assert run.status == expected["status"]
    assert len(errors_of(scenarios, run)) == int(expected["failures"])
    assert (run.contract_class or "") == expected["contract_class"]
    assert numbers(steps) == expected["failing_step"]
    assert numbers(run.attributes["not_reached_steps"]) == expected["not_reached"]


def test_the_reference_store_has_29_runs_and_19_failures(scenarios: list[Item]) -> None:
    runs = records_of(Run, scenarios)
    assert Counter(run.status for run in runs) == {
        "succeeded": 8, "failed": 18, "escalated": 1, "interrupted": 1, "refused": 1,
    }  # fmt: skip
    assert Counter(run.attributes["finalized"] for run in runs) == {True: 27, False: 2}
    assert sum(bool(run.attributes["incomplete_steps"]) for run in runs) == 20
    assert len(records_of(ErrorEvent, scenarios)) == 19


def test_the_reference_store_has_the_counted_events(scenarios: list[Item]) -> None:
    counted = Counter(event.kind for event in records_of(Event, scenarios))
    assert counted.total() == 509
    expected = {
        "STEP_FAILED": 7, "RETRIEVAL_FAILED": 4, "REASONING_FAILED": 3, "VERIFICATION_FAIL": 7,
        "VERIFICATION_ESCALATE": 1, "TOOL_CALL_FAIL": 9, "EXECUTION_INTERRUPTED": 2, "SEMANTIC_VIOLATION": 5,
        "STEP_START": 42, "STEP_END": 22,
    }  # fmt: skip
    assert {kind: counted[kind] for kind in expected} == expected


def test_every_row_is_one_unit_and_keys_are_unique(scenarios: list[Item]) -> None:
    assert len(scenarios) == 29 + 509
    assert all(isinstance(item, Parsed) for item in scenarios)
    assert [item.place.line for item in scenarios] == list(range(1, 29 + 509 + 1))
    for kind in (Run, Span, Event, ErrorEvent):
        keys = [(record.run_id, getattr(record, kind.KEY[1])) for record in records_of(kind, scenarios)]
        assert kind is Run or len(keys) == len(set(keys))


def test_a_failure_says_where_why_and_what_it_broke(scenarios: list[Item]) -> None:
    run = run_named(scenarios, "flow-agent-fail")
    (error,) = errors_of(scenarios, run)
    assert (error.event_id, error.span_id, error.error_code) == ("22", "step-1", "STEP_FAILED")
    assert (error.step_index, error.step_total, error.phase, error.agent) == (1, 2, "agent", "beta")
    assert error.details == "model endpoint refused connection for beta"
    assert error.location == "bijux-agent.run"
    assert (error.contract_class, error.contract_class_basis) == ("structural", "derived")
    assert error.signature is not None
    assert error.signature_partial is False
    assert (error.occurred_at, error.result, error.level) == (None, None, None)
    assert run.status_reason == "STEP_FAILED at event 22, step 1: model endpoint refused connection for beta"
    assert run.attributes["arbitration_decision"] == "PASS"


def test_the_clock_is_synthetic_and_only_the_start_is_a_time(scenarios: list[Item]) -> None:
    for run in records_of(Run, scenarios):
        assert run.clock == "synthetic"
        assert run.started_at is not None
        assert run.started_at.year == 2026
        assert run.ended_at is None
    for event in records_of(Event, scenarios):
        assert event.occurred_at is None
        assert str(event.attributes["timestamp_utc"]).startswith("1970-01-01T")


def test_an_escalation_is_an_event_and_no_error(scenarios: list[Item]) -> None:
    run = run_named(scenarios, "flow-verify-escalate")
    (event,) = [event for event in records_of(Event, scenarios) if event.kind == "VERIFICATION_ESCALATE"]
    assert event.run_id == run.run_id
    assert "claim_mentions_evidence_id" in str(event.summary)
    assert errors_of(scenarios, run) == []
    assert run.state_at_failure == "finalized"


def test_steps_and_calls_are_spans(scenarios: list[Item]) -> None:
    spans = spans_of(scenarios, run_named(scenarios, "flow-budget-evidence"))
    assert {name: span.status for name, span in spans.items()} == {
        "step-0": "error", "step-1": "not_reached", "retrieval-1": "error", "tool-2": "open",
    }  # fmt: skip
    assert spans["tool-2"].parent_span_id == "retrieval-1"
    assert spans["retrieval-1"].parent_span_id == "step-0"


def test_an_interrupted_step_is_open_and_a_resumed_one_ended(scenarios: list[Item]) -> None:
    left = spans_of(scenarios, run_named(scenarios, "flow-interrupt-open"))
    assert (left["step-0"].status, left["step-1"].status) == ("ok", "open")
    resumed = run_named(scenarios, "flow-interrupt")
    assert resumed.attributes["resumed"] is True
    assert "resumed after EXECUTION_INTERRUPTED at event 15" in str(resumed.status_reason)
    assert {span.status for span in spans_of(scenarios, resumed).values()} == {"ok"}


def test_states_at_failure(scenarios: list[Item]) -> None:
    states = {run.status: run.state_at_failure for run in records_of(Run, scenarios)}
    assert states == {
        "succeeded": "finalized", "failed": "governed_failure", "escalated": "finalized",
        "interrupted": "interrupted", "refused": "finalization_refused",
    }  # fmt: skip


def test_the_entropy_store_ends_as_expected(entropy: list[Item]) -> None:
    events = Counter(event.run_id for event in records_of(Event, entropy))
    found = sorted(
        (
            str(run.name), str(events[run.run_id]), str(run.status), str(len(errors_of(entropy, run))),
            run.contract_class or "", numbers(run.attributes["failing_steps"]),
            numbers(run.attributes["not_reached_steps"]),
        )
        for run in records_of(Run, entropy)
    )  # fmt: skip
    columns = ("flow_id", "events", "status", "failures", "contract_class", "failing_step", "not_reached")
    assert found == sorted(tuple(row[column] for column in columns) for row in expected_rows("entropy_observe"))
    assert len(entropy) == 8 + 197


def test_an_orphan_tells_nothing_about_its_steps(entropy: list[Item]) -> None:
    (orphan,) = [run for run in records_of(Run, entropy) if run.status == "unknown"]
    assert orphan.event_digest is None
    assert orphan.state_at_failure is None
    assert {span.status for span in spans_of(entropy, orphan).values()} == {None}


def test_a_halted_entropy_budget_is_semantic_though_retrieval_failed(entropy: list[Item]) -> None:
    run = run_named(entropy, "flow-entropy-halt")
    (error,) = errors_of(entropy, run)
    assert (error.error_code, error.contract_class) == ("RETRIEVAL_FAILED", "semantic")
    assert run.attributes["entropy_exhausted"] is True
    assert run.attributes["recorded_rows"]["entropy_usage"] == 0
    assert run.attributes["configuration_warnings"] == 1


# ------------------------------------------------------------------------------------------------- the crashed store


@pytest.mark.parametrize("given", ["", ".wal", ".lock"])
def test_a_crashed_store_is_one_bundle_whichever_file_is_given(given: str) -> None:
    bundle = ADAPTER.bundle(CRASH.with_name(CRASH.name + given))
    assert bundle is not None
    assert bundle.main == CRASH
    assert [path.name for path in bundle.companions] == [CRASH.name + ".wal", CRASH.name + ".lock"]


def test_companions_without_their_file_are_no_bundle(tmp_path: Path) -> None:
    shutil.copy(CRASH.with_name(CRASH.name + ".wal"), tmp_path)
    assert ADAPTER.bundle(tmp_path / (CRASH.name + ".wal")) is None


def test_a_crashed_store_is_read_through_its_log_and_left_untouched(tmp_path: Path) -> None:
    for path in CRASH.parent.glob(CRASH.name + "*"):
        shutil.copy(path, tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    source = source_of(tmp_path / CRASH.name)
    assert ADAPTER.recognise(source.head)
    items = list(ADAPTER.read(source))
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    (expected,) = expected_rows("crash")
    (run,) = records_of(Run, items)
    assert (run.name, run.status) == (expected["flow_id"], expected["status"])
    assert len(records_of(Event, items)) == int(expected["events"])
    assert numbers(run.attributes["incomplete_steps"]) == expected["incomplete_steps"]
    assert str(run.status_reason).startswith("crashed: the record stops after STEP_END at event 29")


def test_a_crashed_store_without_its_log_is_nobodys(tmp_path: Path) -> None:
    alone = Path(shutil.copy(CRASH, tmp_path))
    assert not ADAPTER.recognise(source_of(alone).head)


# ------------------------------------------------------------------------------------------------- damaged and foreign


def stored_bytes() -> bytes:
    return gzip.decompress(SCENARIOS.read_bytes())


def test_packed_stores_give_the_same_records(tmp_path: Path, scenarios: list[Item]) -> None:
    packed = tmp_path / "packed"
    packed.write_bytes(zstd.compress(stored_bytes()))
    assert items_of(packed) == scenarios


def test_another_duckdb_file_is_not_claimed(tmp_path: Path) -> None:
    path = tmp_path / "other.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute("CREATE TABLE runs (run_id VARCHAR); CREATE TABLE schema_contract (note VARCHAR)")
    source = source_of(path)
    assert not ADAPTER.recognise(source.head)
    with pytest.raises(Unreadable, match="without the runtime's tables"):
        list(ADAPTER.read(source))


def test_a_store_of_a_newer_duckdb_says_so(tmp_path: Path) -> None:
    data = bytearray(stored_bytes())
    data[12], data[52:58] = 200, b"v9.9.9"
    path = tmp_path / "newer.duckdb"
    path.write_bytes(data)
    assert ADAPTER.recognise(source_of(path).head)
    with pytest.raises(Unreadable, match=r"written by DuckDB v9\.9\.9") as refused:
        items_of(path)
    assert refused.value.reason == "newer_duckdb"


@pytest.mark.parametrize("share", [0.3, 0.6, 0.95])
def test_a_cut_store_is_unreadable_and_names_no_temporary_file(tmp_path: Path, share: float) -> None:
    data = stored_bytes()
    path = tmp_path / "cut.duckdb"
    path.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(Unreadable) as refused:
        items_of(path)
    assert "faultlens-" not in str(refused.value)


@pytest.mark.parametrize("pack", [gzip.compress, zstd.compress])
def test_a_cut_archive_is_unreadable(tmp_path: Path, pack: Any) -> None:
    path = tmp_path / "cut"
    packed = pack(stored_bytes())
    path.write_bytes(packed[: len(packed) // 2])
    with pytest.raises(Unreadable) as refused:
        items_of(path)
    assert refused.value.reason == "damaged_archive"


def test_an_event_of_no_run_is_rejected_and_the_others_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "loose.duckdb"
    path.write_bytes(stored_bytes())
    with duckdb.connect(path) as connection:
        connection.execute("CREATE TABLE loose AS SELECT * REPLACE ('nobody' AS run_id) FROM events LIMIT 2")
        connection.execute("CREATE TABLE every AS SELECT * FROM events UNION ALL SELECT * FROM loose")
        connection.execute("DROP TABLE events; ALTER TABLE every RENAME TO events; DROP TABLE loose")
    items = items_of(path)
    assert [item.reason for item in items if isinstance(item, Rejected)] == ["event_without_run"] * 2
    assert len(records_of(Event, items)) == 509


# ---------------------------------------------------------------------------------------------------------- traces


def as_in_run(record: Record, run_id: str) -> dict[str, Any]:
    return record.model_copy(update={"run_id": run_id}).model_dump()


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.name.removesuffix(".trace.json"))
def test_a_trace_is_the_stored_run_without_its_id(scenarios: list[Item], path: Path) -> None:
    items = items_of(path)
    (traced,) = records_of(Run, items)
    stored = run_named(scenarios, str(traced.name))
    assert traced.identity == "derived"
    assert stored.identity == "recorded"
    assert traced.event_digest == stored.event_digest
    assert traced.native_id == str(traced.event_digest)[:16]
    assert (traced.status, traced.contract_class) == (stored.status, stored.contract_class)
    theirs = [event for event in records_of(Event, scenarios) if event.run_id == stored.run_id]
    assert [as_in_run(event, stored.run_id) for event in records_of(Event, items)] == [
        event.model_dump() for event in theirs
    ]
    assert {span.span_id for span in records_of(Span, items)} <= spans_of(scenarios, stored).keys()
    assert [error.event_id for error in records_of(ErrorEvent, items)] == [
        error.event_id for error in errors_of(scenarios, stored)
    ]
    assert len(items) == 1 + len(theirs)


def test_there_are_26_traces_and_no_two_of_them_are_one_run(scenarios: list[Item]) -> None:
    digests = {run.event_digest for path in TRACES for run in records_of(Run, items_of(path))}
    assert len(TRACES) == len(digests) == 26
    assert len({run.event_digest for run in records_of(Run, scenarios)}) == 29


def test_the_total_counts_a_trace_and_its_stored_run_once(tmp_path: Path) -> None:
    report = ingest([str(SCENARIOS), *map(str, TRACES)], tmp_path / "store.duckdb")
    assert report.runs == 29


def test_only_a_run_repeated_event_by_event_shares_its_digest(entropy: list[Item]) -> None:
    shared = Counter(run.event_digest for run in records_of(Run, entropy) if run.event_digest)
    assert sorted(shared.values()) == [1, 1, 1, 1, 1, 2]


def test_a_trace_of_a_dry_run_shows_it(scenarios: list[Item]) -> None:
    (run,) = records_of(Run, items_of(SAMPLES / "traces" / "dry_run.trace.json"))
    assert "dry run, nothing executed" in str(run.status_reason)
    assert run.status_reason == run_named(scenarios, "flow-dry").status_reason


def test_an_event_that_cannot_be_read_is_rejected_alone(tmp_path: Path) -> None:
    trace = json.loads(SUCCESS.read_bytes())
    trace["events"][3:5] = ["nothing", {"event_index": 4}]
    trace["events"][5]["event_index"] = 2
    trace["events"][6]["event_type"] = "SOMETHING_NEW"
    path = tmp_path / "odd.json"
    path.write_text(json.dumps(trace))
    items = items_of(path)
    assert [item.reason for item in items if isinstance(item, Rejected)] == ["event_shape"] * 2
    flagged = {event.event_id: event.flags for event in records_of(Event, items) if event.flags}
    assert flagged == {"2#2": ("repeated_event_index",), "6": ("unknown_value",)}
    assert len(items) == 32


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("byte order mark", lambda data: b"\xef\xbb\xbf" + data),
        ("UTF-16", lambda data: data.decode().encode("utf-16")),
        ("gzip", gzip.compress),
        ("zstd", zstd.compress),
        ("one line", lambda data: json.dumps(json.loads(data)).encode()),
    ],
)
def test_a_trace_is_the_same_however_it_is_written(tmp_path: Path, name: str, change: Any) -> None:
    path = tmp_path / SUCCESS.name
    path.write_bytes(change(SUCCESS.read_bytes()))
    assert ADAPTER.recognise(source_of(path).head), name
    assert items_of(path) == items_of(SUCCESS)


def test_a_trace_with_undecodable_bytes_is_kept_and_flagged(tmp_path: Path) -> None:
    path = tmp_path / "latin.json"
    path.write_bytes(SUCCESS.read_bytes().replace(b"beta", b"bet\xe4", 1))
    (run,) = records_of(Run, items_of(path))
    assert run.flags == ("not_utf8",)


def test_a_cut_trace_is_recognised_and_rejected(tmp_path: Path) -> None:
    path = tmp_path / "cut.json"
    path.write_bytes(SUCCESS.read_bytes()[:9000])
    source = source_of(path)
    assert ADAPTER.recognise(source.head)
    assert [item.reason for item in ADAPTER.read(source) if isinstance(item, Rejected)] == ["not_json"]


def test_an_empty_file_is_nobodys_and_holds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "empty.json"
    path.write_bytes(b"")
    assert not ADAPTER.recognise(source_of(path).head)
    assert items_of(path) == []


def test_traces_may_stand_one_a_line(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    lines = [json.dumps(json.loads(trace.read_bytes())) for trace in TRACES[:3]]
    path.write_text("\n".join([*lines, lines[0][:400]]))
    items = items_of(path)
    assert len(records_of(Run, items)) == 3
    assert [item.reason for item in items if isinstance(item, Skipped)] == ["incomplete_last_line"]


# ---------------------------------------------------------------------------------------------------------- replays


@pytest.mark.parametrize("expected", expected_rows("replay"), ids=lambda row: row["file"])
def test_a_replay_gives_its_verdict_and_its_differences(expected: dict[str, str]) -> None:
    path = REPLAYS / expected["file"]
    assert ADAPTER.recognise(source_of(path).head)
    items = items_of(path)
    verdict, *differences = records_of(Replay, items)
    assert (verdict.dimension, verdict.verdict or "") == (None, expected["verdict"])
    assert " ".join(str(row.dimension) for row in differences) == expected["dimensions"]
    for row in (verdict, *differences):
        assert (row.replay_of or "") == expected["replay_of"]
        assert row.run_id.split(":")[1].split("/")[-1] == expected["replay_run"]
    positions = [row.attributes["first_divergence"]["position"] for row in differences if row.dimension == "events"]
    assert numbers(positions) == expected["first_divergence"]


def test_expected_is_the_original_in_every_part() -> None:
    """The report's `diff` and `structural` name the same two plans the other way round."""
    path = REPLAYS / "observational_dataset_changed.json"
    report = json.loads(path.read_bytes())
    rows = {row.dimension: row for row in records_of(Replay, items_of(path))}
    assert report["diff"]["plan_hash"]["expected"] == report["structural"]["plan_hash"]["observed"]
    assert rows["plan_hash"].expected == report["diff"]["plan_hash"]["expected"]
    assert rows["plan_hash"].attributes["parts"] == ["diff", "structural", "blocking"]
    original = json.loads(str(rows["dataset"].expected))
    assert original["dataset_version"] == "1.0.0"


@pytest.mark.parametrize("missing", [("diff",), ("diff", "structural"), ("diff", "verdict_details")])
def test_what_only_a_swapped_part_tells_is_turned_round(tmp_path: Path, missing: tuple[str, ...]) -> None:
    report = json.loads((REPLAYS / "observational_dataset_changed.json").read_bytes())
    original = report["diff"]["plan_hash"]
    for key in missing:
        del report[key]
    path = tmp_path / "report.json"
    path.write_text(json.dumps(report))
    rows = {row.dimension: row for row in records_of(Replay, items_of(path))}
    assert (rows["plan_hash"].expected, rows["plan_hash"].observed) == (original["expected"], original["observed"])


def test_the_recorded_policy_is_expected_in_the_structural_part_too(tmp_path: Path) -> None:
    report = json.loads((REPLAYS / "clean.json").read_bytes())
    report["structural"] = {"verification_policy": {"expected": "old", "observed": "new"}, "missing_step_end": [1]}
    path = tmp_path / "report.json"
    path.write_text(json.dumps(report))
    rows = {row.dimension: row for row in records_of(Replay, items_of(path))}
    assert (rows["verification_policy"].expected, rows["verification_policy"].observed) == ("old", "new")
    assert (rows["missing_step_end"].expected, rows["missing_step_end"].observed) == ("[1]", None)


def test_a_raised_replay_has_no_verdict_and_keeps_its_error() -> None:
    verdict = records_of(Replay, items_of(REPLAYS / "dataset_changed.json"))[0]
    assert verdict.verdict is None
    assert verdict.attributes["outcome"] == "raised"
    assert str(verdict.attributes["error"]).startswith("ValueError: replay mismatch")


def test_a_report_finds_its_tenant_where_a_part_names_it() -> None:
    named = records_of(Replay, items_of(REPLAYS / "dataset_changed.json"))[0]
    assert named.run_id == run_key("bijux-canon-runtime", "tenant-a/d3b1e49f-aff2-443c-8950-e870fcf34bb9")
    items = items_of(REPLAYS / "clean.json")
    bare = records_of(Replay, items)[0]
    (run,) = records_of(Run, items)
    assert (run.run_id, run.native_id, run.status) == (bare.run_id, "7f75f004-3b3e-4413-953a-d2e9ba5961b0", None)
    assert bare.run_id == run_key("bijux-canon-runtime", "7f75f004-3b3e-4413-953a-d2e9ba5961b0")
    assert bare.flags == ("tenant_not_recorded",)


def test_a_replay_result_brings_its_run() -> None:
    items = items_of(REPLAYS / "cli_replay_output_changed.json")
    (run,) = records_of(Run, items)
    assert (run.identity, run.native_id) == ("recorded", "362485bf-aca8-4e27-962c-1641b4f7d9d6")
    assert run.status == "succeeded"
    assert {row.run_id for row in records_of(Replay, items)} == {run.run_id}
    assert len(items) == 1 + 23


# -------------------------------------------------------------------------------------------------------- envelopes


def test_every_named_answer_is_a_refused_run_or_skipped() -> None:
    assert ADAPTER.recognise(source_of(ENVELOPES).head)
    found = []
    for item in items_of(ENVELOPES):
        if isinstance(item, Skipped):
            found.append(("skipped", "", item.reason))
            continue
        (run,) = records_of(Run, [item])
        assert run.state_at_failure == "preparation_refused"
        assert run.attributes["contract_class_basis"] == "recorded"
        found.append((str(run.status), str(run.contract_class), str(run.stop_reason)))
    assert found == [(row["result"], row["contract_class"], row["reason"]) for row in expected_rows("http")]


def test_envelopes_may_stand_alone_or_one_a_line(tmp_path: Path) -> None:
    alone = tmp_path / "refusal.json"
    alone.write_text(json.dumps(ENVELOPE, indent=1))
    (run,) = records_of(Run, items_of(alone))
    assert (run.native_id, run.status, run.contract_class) == ("refusal.json", "refused", "authority")
    lines = tmp_path / "refusals.jsonl"
    answers: list[Any] = [ENVELOPE, {"status": 501, "body": ENVELOPE}, {"status": 200, "body": {"status": "ok"}}, [1]]
    lines.write_text("".join(json.dumps(answer) + "\n" for answer in answers))
    items = items_of(lines)
    assert [type(item) for item in items] == [Parsed, Parsed, Skipped, Rejected]
    assert [run.native_id for run in records_of(Run, items)] == ["refusals.jsonl#1", "refusals.jsonl#2"]
    assert "not transient" in str(records_of(Run, items)[1].status_reason)


def test_a_class_outside_the_list_is_kept_and_flagged(tmp_path: Path) -> None:
    path = tmp_path / "refusal.json"
    path.write_text(json.dumps({**ENVELOPE, "failure_class": "cosmic"}))
    (run,) = records_of(Run, items_of(path))
    assert (run.contract_class, run.flags) == ("cosmic", ("unknown_value",))


@pytest.mark.parametrize(
    "text",
    [
        '{"status": "ok"}',
        '{"a": {"status": 200, "body": {"status": "ok"}}}',
        '{"flow_id": "x", "events": []}',
        "[]",
        "x",
    ],
)
def test_other_files_are_not_claimed(tmp_path: Path, text: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(text)
    assert not ADAPTER.recognise(source_of(path).head)
