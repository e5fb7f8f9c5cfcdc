"""What an agent writes through `ingest/emit.py`: valid native lines, whole, in order, read as what was meant."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from ingest import emit, lint, native
from ingest.emit import Emitter
from ingest.load import ingest
from ingest.store import open_store

ROOT = Path(emit.__file__).parent.parent
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def everything(path: Path) -> None:
    with Emitter(path, "run-1", workload="payments", name="refund 12") as emitter:
        with emitter.step("3", name="refund", kind="step", agent="Builder", phase="EXECUTE", step_index=3):
            emitter.context(
                "3",
                required=["adr-7", "spec-2"],
                retrieved=["adr-7@3", ("spec-2", 1), {"id": "faq"}],
                eligible=["adr-7@3", ("spec-2", "1")],
                composed=["adr-7@3"],
                consumed=[],
                current=[("adr-7", 5)],
            )
        failure = emitter.error(
            "test_failure",
            level="L3",
            error_code="E_ASSERT",
            step="3/7",
            agent="Builder",
            phase="VERIFY",
            location="src/a.py:87",
            result="FAILED",
            details="one\ntwo",
            our_own_key={"depth": 2},
        )
        emitter.recovery(
            "CHAIN_A",
            outcome="RECOVERED",
            confidence=0.8,
            auto_executed=True,
            for_event=failure,
            trigger="test failure 64%",
            steps=[{"step": 1, "agent": "Scout", "action": "analyse", "result": "SUCCESS"}],
            duration=1,
            artifacts=["a.md"],
        )
        emitter.guardrail("L3", action="PAUSE", trigger="recovery failed", data_classes=["pii"])
        emitter.diagnosis(
            "VERIFY / step 3",
            "PLAN / acceptance criteria",
            for_event=failure,
            fix_at="origin",
            prevention_layer="gate",
        )
        emitter.context_op("compaction", trigger_no=5, resume_contract_kept=True)
        emitter.delegation("t1", "Scout", "Builder", hop_count=1, visited=["Scout"])
        emitter.wait("Scout", "Builder", "t1", since=NOON, deadline=NOON + timedelta(minutes=5))
        emitter.owner("t1", "Builder", since=NOON)
        emitter.handoff("Builder", "Radar", "refused", condition="2", bounce=1)
        emitter.replay("run-0", "acceptable", dimension="plan", expected="a", observed="b")
        emitter.reported_metrics("A", attempts=3, success_rate=0.3)
        emitter.catalogue("adr-7", "5", valid_from=NOON)


def test_every_kind_passes_lint(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    everything(path)
    assert list(lint.faults(path)) == []
    assert {line["record"] for line in lines(path)} == set(native.RECORDS)


def test_a_key_that_is_no_column_becomes_an_attribute(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    everything(path)
    (error,) = [line for line in lines(path) if line["record"] == "error_event"]
    assert error["attributes"] == {"our_own_key": {"depth": 2}}


def test_what_is_written_is_what_is_read(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    everything(path)
    report = ingest([str(path)], tmp_path / "store.duckdb")
    assert (report.totals.records, report.totals.rejected) == (len(lines(path)), 0)
    with open_store(tmp_path / "store.duckdb").lease() as lease:
        (run,) = lease.rows("SELECT * FROM runs")
        (recovery,) = lease.rows("SELECT * FROM recovery_events")
        (diagnosis,) = lease.rows("SELECT * FROM diagnoses")
        (error,) = lease.rows("SELECT * FROM error_events")
        (step,) = lease.rows("SELECT * FROM context_steps")
        (span,) = lease.rows("SELECT * FROM spans")
    assert (run["native_id"], run["workload"], run["status"], run["name"]) == (
        "run-1",
        "payments",
        "succeeded",
        "refund 12",
    )
    assert recovery["error_event_id"] == diagnosis["event_id"] == error["event_id"]
    assert (step["stage_no"], step["lost"]) == (3, 1)
    assert (span["status"], span["started_at"] <= span["ended_at"]) == ("ok", True)


def test_the_columns_are_those_of_the_native_format() -> None:
    aside = {"recorded_seq", "seq", "signature", "signature_partial", "basis", "rule", "step_id", "set_name", "members"}
    for kind, known in emit.COLUMNS.items():
        wanted = set(native.columns_of(kind))
        extra = {"attributes", *lint._EXTRA_KEYS.get(kind, set())}
        assert known <= wanted | extra, kind
        assert wanted - known - aside <= {"occurred_at", "event_id"}, kind
    assert emit.COLUMNS.keys() == native.RECORDS.keys()


def test_an_exception_ends_the_run_as_failed(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    with pytest.raises(KeyError), Emitter(path, "r") as emitter, emitter.step("1"):
        raise KeyError("limit")
    assert [(line["record"], line.get("status")) for line in lines(path)] == [
        ("run", "running"),
        ("span", "open"),
        ("span", "error"),
        ("run", "failed"),
    ]
    assert lines(path)[-1]["status_reason"] == "exception KeyError: 'limit'"


def test_an_outcome_that_was_told_stays(tmp_path: Path) -> None:
    with Emitter(tmp_path / "trace.jsonl", "r") as emitter:
        emitter.run("escalated", status_reason="refund above 500")
    ingest([str(tmp_path / "trace.jsonl")], tmp_path / "store.duckdb")
    with open_store(tmp_path / "store.duckdb").lease() as lease:
        (run,) = lease.rows("SELECT status, status_reason, ended_at IS NOT NULL AS ended FROM runs")
    assert run == {"status": "escalated", "status_reason": "refund above 500", "ended": True}


def test_a_set_left_out_is_not_recorded_and_an_empty_one_is(tmp_path: Path) -> None:
    stream = io.StringIO()
    Emitter(stream, "r").context("1", retrieved=[], eligible=None)
    assert "eligible" not in json.loads(stream.getvalue())
    assert json.loads(stream.getvalue())["retrieved"] == []


def test_a_context_record_needs_a_set() -> None:
    with pytest.raises(ValueError, match="six sets"):
        Emitter(io.StringIO(), "r").context("1")


def test_threads_do_not_mix_their_lines_and_the_order_only_rises(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    emitter = Emitter(path, "r")
    threads = [
        threading.Thread(target=lambda n=n: [emitter.error(f"e{n}", details="x" * 5000) for _ in range(50)])
        for n in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    emitter.close()
    order = [line["seq"] for line in lines(path)]
    assert len(order) == 400
    assert order == sorted(set(order), key=str)


def test_every_line_is_there_as_soon_as_it_is_written(tmp_path: Path) -> None:
    emitter = Emitter(tmp_path / "trace.jsonl", "r")
    emitter.error("one")
    assert len(lines(tmp_path / "trace.jsonl")) == 1
    emitter.close()


def test_a_line_cut_by_a_crash_takes_no_other_with_it(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    path.write_text('{"record": "run", "run_', encoding="utf-8")
    emitter = Emitter(path, "r")
    emitter.error("after")
    emitter.close()
    report = ingest([str(path)], tmp_path / "store.duckdb")
    assert (report.totals.stored, report.totals.rejected) == (1, 1)


HOSTILE = {
    "nan": (float("nan"), None),
    "infinity": (float("inf"), None),
    "set": ({"one"}, ["one"]),
    "path": (Path("a/b"), "a/b"),
    "lone surrogate": ("half \ud83d", "half ?"),
    "line break": ("a\nb\u2028c", "a\nb\u2028c"),
    "time with a zone": (datetime(2026, 11, 30, 14, tzinfo=timezone(timedelta(hours=2))), "2026-11-30T12:00:00Z"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_any_value_can_be_written(name: str, tmp_path: Path) -> None:
    given, expected = HOSTILE[name]
    path = tmp_path / "trace.jsonl"
    emitter = Emitter(path, "r")
    emitter.error("e", own=given)
    emitter.close()
    (line,) = [json.loads(text) for text in path.read_text(encoding="utf-8").split("\n") if text]
    assert line["attributes"] == {"own": expected}
    assert list(lint.faults(path)) == []


def test_it_needs_nothing_but_the_standard_library() -> None:
    code = (
        f"import runpy, sys; runpy.run_path({str(ROOT / 'ingest' / 'emit.py')!r});"
        " print([m for m in sys.modules if m.partition('.')[0] in ('ingest', 'pydantic', 'duckdb')])"
    )
    ran = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
