"""Jaeger's JSON: every sample as expected, in every layout; references, tags and logs as they are meant."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.ingest.loaded import Loaded, load_bytes
from tests.ingest.otel.samples import assert_case, cases, claims, files

NAME = "jaeger"
TRACE = "a1b2c3d4e5f60718293a4b5c6d7e8f90"


@pytest.mark.parametrize("case", cases(NAME), ids=lambda case: f"{case['file']}-{case['run'][:4]}")
def test_sample(case: dict[str, str], tmp_path: Path) -> None:
    assert_case(NAME, case, tmp_path / "store.duckdb")


@pytest.mark.parametrize("path", files(NAME), ids=lambda path: path.name)
def test_exactly_this_adapter_knows_the_sample(path: Path) -> None:
    assert claims(path) == [NAME]


def span(span_id: str, *references: tuple[str, str], **more: Any) -> dict[str, Any]:
    return {
        "traceID": TRACE, "spanID": span_id, "operationName": f"op {span_id}",
        "references": [{"refType": kind, "traceID": TRACE, "spanID": to} for kind, to in references],
        "startTime": 1770000000000000, "duration": 1000, "tags": [], "logs": [], "processID": "p1",
        "warnings": None, **more,
    }  # fmt: skip


def trace(*spans: Any) -> dict[str, Any]:
    return {"traceID": TRACE, "spans": list(spans), "processes": {"p1": {"serviceName": "desk", "tags": []}}}


def one_span(folder: Path, **more: Any) -> Loaded:
    return load_bytes(folder, json.dumps(trace(span("1", **more))).encode())


TWO = trace(span("1"), span("2", ("CHILD_OF", "1")))
PRETTY = json.dumps({"data": [TWO, trace(span("3"))]}, indent=2)
LAYOUTS: list[tuple[str, bytes, tuple[int, int, int, int, int]]] = [
    ("bare", json.dumps(TWO, indent=2).encode(), (2, 2, 0, 0, 0)),
    ("bare in a line", json.dumps(TWO).encode(), (2, 2, 0, 0, 0)),
    (
        "a trace a line",
        json.dumps(TWO).encode() + b"\n" + json.dumps(trace(span("3"))).encode() + b"\n",
        (3, 3, 0, 0, 0),
    ),
    ("an answer", PRETTY.encode(), (3, 3, 0, 0, 0)),
    ("a saved state", json.dumps({"data": TWO, "state": "DONE"}).encode(), (2, 2, 0, 0, 0)),
    ("a list", json.dumps([TWO]).encode(), (2, 2, 0, 0, 0)),
    ("gzip", gzip.compress(PRETTY.encode()), (3, 3, 0, 0, 0)),
    ("UTF-16", PRETTY.encode("utf-16"), (3, 3, 0, 0, 0)),
    ("byte order mark", b"\xef\xbb\xbf" + PRETTY.encode(), (3, 3, 0, 0, 0)),
    ("the answer is cut", PRETTY[: PRETTY.index('"op 3"')].encode(), (3, 2, 0, 1, 0)),
    ("a bad line", json.dumps(TWO).encode() + b'\n{"spans": \n' + json.dumps(TWO).encode(), (5, 2, 2, 1, 0)),
    ("a trace without spans", json.dumps({"data": [TWO, trace()]}).encode(), (3, 2, 0, 0, 1)),
    ("a span that is none", json.dumps(trace(span("1"), 3, {"spanID": None})).encode(), (3, 1, 0, 2, 0)),
    ("something else between", json.dumps({"data": [TWO, {"x": 1}]}).encode(), (3, 2, 0, 1, 0)),
]


@pytest.mark.parametrize(("data", "counts"), [case[1:] for case in LAYOUTS], ids=[case[0] for case in LAYOUTS])
def test_layouts_and_damage(tmp_path: Path, data: bytes, counts: tuple[int, int, int, int, int]) -> None:
    path = tmp_path / "trace.jsonl"
    path.write_bytes(data)
    assert claims(path) == [NAME]
    assert load_bytes(tmp_path, data).counts == counts


OTHER = "f" * 32
REFERENCES: list[tuple[str, dict[str, Any], str | None, list[str] | None]] = [
    ("child", span("1", ("CHILD_OF", "a")), "000000000000000a", None),
    ("of two parents the first", span("1", ("CHILD_OF", "a"), ("CHILD_OF", "b")), "000000000000000a", None),
    ("child before follower", span("1", ("FOLLOWS_FROM", "b"), ("CHILD_OF", "a")), "000000000000000a", None),
    ("follower alone", span("1", ("FOLLOWS_FROM", "b")), "000000000000000b", ["parent_by_follows_from"]),
    ("of another trace", span("1", references=[{"refType": "CHILD_OF", "traceID": OTHER, "spanID": "a"}]), None, None),
    ("the older key", span("1", parentSpanID="a"), "000000000000000a", None),
    ("zero", span("1", parentSpanID="0"), None, None),
    ("none", span("1", references=None), None, None),
    ("of another type", span("1", references=7), None, None),
    ("opaque", span("step-1", ("CHILD_OF", "step-0")), "step-0", None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("recorded", "parent", "flags"), [case[1:] for case in REFERENCES], ids=[case[0] for case in REFERENCES]
)
def test_references(tmp_path: Path, recorded: dict[str, Any], parent: str | None, flags: list[str] | None) -> None:
    row = load_bytes(tmp_path, json.dumps(trace(recorded)).encode()).one("SELECT * FROM spans")
    assert (row["parent_span_id"], row["flags"]) == (parent, flags)


@pytest.mark.parametrize(
    ("tags", "status"),
    [
        ([], "unset"),
        ([("error", "bool", True)], "error"),
        ([("error", "bool", "true")], "error"),
        ([("error", "string", "true")], "error"),
        ([("error", "bool", False)], "unset"),
        ([("otel.status_code", "string", "ERROR")], "error"),
        ([("otel.status_code", "string", "OK"), ("error", "bool", False)], "ok"),
    ],
)
def test_status(tmp_path: Path, tags: list[tuple[str, str, Any]], status: str) -> None:
    said = [{"key": key, "type": kind, "value": value} for key, kind, value in tags]
    assert one_span(tmp_path, tags=said).one("SELECT * FROM spans")["status"] == status


def test_an_error_log_of_opentracing_is_the_failure(tmp_path: Path) -> None:
    said = {"event": "error", "error.kind": "KeyError", "message": "no x", "stack": "Traceback"}
    fields = [{"key": key, "value": value} for key, value in said.items()]
    found = one_span(
        tmp_path,
        tags=[{"key": "error", "type": "bool", "value": True}],
        logs=[{"timestamp": 1770000000000500, "fields": fields}],
    )
    error = found.one("SELECT * FROM error_events")
    assert (error["error_code"], error["details"], error["location"]) == ("KeyError", "no x", "op 1")
    assert error["occurred_at"] == datetime(2026, 2, 2, 2, 40, 0, 500, tzinfo=UTC)


def test_microseconds_stay_microseconds_whatever_their_size(tmp_path: Path) -> None:
    row = one_span(tmp_path, startTime=5_000_000, duration=7).one("SELECT * FROM spans")
    assert row["started_at"] == datetime(1970, 1, 1, 0, 0, 5, tzinfo=UTC)
    assert (row["ended_at"] - row["started_at"]).microseconds == 7


@pytest.mark.parametrize(
    ("more", "flag"),
    [
        ({"duration": -5}, "negative_duration"),
        ({"startTime": "soon"}, "bad_time"),
        ({"warnings": ["This span's timestamps were adjusted by -3s"]}, "clock_adjusted"),
        ({"warnings": ["clock skew adjustment disabled; not applying calculated delta of 3s"]}, "clock_skew"),
    ],
)
def test_flags(tmp_path: Path, more: dict[str, Any], flag: str) -> None:
    assert one_span(tmp_path, **more).one("SELECT * FROM spans")["flags"] == [flag]


def test_a_large_number_keeps_its_digits(tmp_path: Path) -> None:
    found = one_span(tmp_path, tags=[{"key": "n", "type": "int64", "value": "9007199254740993"}])
    assert '"n":9007199254740993' in found.one("SELECT * FROM spans")["attributes"]


def test_a_process_inside_the_span_and_its_tags(tmp_path: Path) -> None:
    process = {"serviceName": "inside", "tags": [{"key": "host", "value": "h1"}]}
    found = one_span(tmp_path, process=process)
    assert found.one("SELECT * FROM runs")["workload"] == "inside"
    assert found.values("SELECT attributes->>'$.resource.host' FROM run_records WHERE event_id LIKE 'resource:%'") == [
        "h1"
    ]
