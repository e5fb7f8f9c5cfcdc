"""OTLP as JSON: every sample as expected, every spelling alike, damage costs only what is damaged."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.ingest.loaded import Loaded, content, load_bytes, loaded
from tests.ingest.otel.otlp import RUN, TRACE, lines, nano, pairs, request, span
from tests.ingest.otel.samples import assert_case, cases, claims, files, folder

NAME = "otlp_json"
REQUEST = request(span(1, "root"), span(2, "child", parent=1, code=2, message="boom"))


@pytest.mark.parametrize("case", cases(NAME), ids=lambda case: case["file"])
def test_sample(case: dict[str, str], tmp_path: Path) -> None:
    assert_case(NAME, case, tmp_path / "store.duckdb")


@pytest.mark.parametrize("path", files(NAME), ids=lambda path: path.name)
def test_exactly_this_adapter_knows_the_sample(path: Path) -> None:
    assert claims(path) == [NAME]


def names(found: Loaded) -> list[str]:
    return found.values("SELECT name FROM spans ORDER BY span_id")


def test_one_trace_in_three_encodings_is_one_run(tmp_path: Path) -> None:
    paths = [
        folder(NAME) / "otlp_file_exporter.jsonl",
        folder(NAME) / "otlp_protobuf_json_BASE64_ids.json",
        folder("otel_console") / "otel_python_console_exporter.txt",
    ]
    for number, order in enumerate((paths, paths[::-1])):
        store = tmp_path / f"{number}.duckdb"
        counts = [loaded(store, path).counts for path in order]
        assert counts == [(6, 6, 0, 0, 0), (6, 0, 6, 0, 0), (6, 0, 6, 0, 0)]
        assert_refund(loaded(store, order[0]))
    assert_refund(loaded(tmp_path / "together.duckdb", *paths))


def assert_refund(found: Loaded) -> None:
    run = found.one("SELECT * FROM runs")
    assert (run["spans"], run["errors"], run["recoveries"], run["events"]) == (6, 1, 1, 2)
    assert len(names(found)) == 6


def test_ingested_again_nothing_is_stored(tmp_path: Path) -> None:
    path = folder(NAME) / "declared_facts.jsonl"
    first = loaded(tmp_path / "store.duckdb", path)
    before = content(first.store)
    other = tmp_path / "other.jsonl"
    other.write_bytes(path.read_bytes() + b"\n")
    again = loaded(first.store, path, other)
    assert again.counts == (10, 0, 10, 0, 0)
    assert content(first.store) == before


# --------------------------------------------------------------------------------------------------------- spellings
def snake(value: Any) -> Any:
    """The same request as encoders with snake_case write it."""
    from ingest.otel.otlp_values import snake as spelled

    if isinstance(value, dict):
        return {spelled(key): snake(item) for key, item in value.items()}
    return [snake(item) for item in value] if isinstance(value, list) else value


def older(value: dict[str, Any]) -> dict[str, Any]:
    text = json.dumps(value).replace('"scopeSpans"', '"instrumentationLibrarySpans"')
    return dict(json.loads(text.replace('"scope"', '"instrumentationLibrary"')))


def numeric(value: dict[str, Any]) -> dict[str, Any]:
    def times_as_numbers(body: dict[str, Any]) -> dict[str, Any]:
        return {key: int(item) if key.endswith("UnixNano") else item for key, item in body.items()}

    return dict(json.loads(json.dumps(value), object_hook=times_as_numbers))


BARE = REQUEST["resourceSpans"][0]["scopeSpans"][0]["spans"]
ENCODINGS: list[tuple[str, bytes]] = [
    ("a line", lines(REQUEST)),
    ("a line without its end", lines(REQUEST)[:-1]),
    ("pretty", json.dumps(REQUEST, indent=2).encode()),
    ("a list", json.dumps([REQUEST]).encode()),
    ("a pretty list", json.dumps([REQUEST], indent=1).encode()),
    ("a list with a request a line", b"[" + b",\n".join(lines(request(one))[:-1] for one in BARE) + b"]"),
    ("snake_case", lines(snake(REQUEST))),
    ("older names", lines(older(REQUEST))),
    ("times as numbers", lines(numeric(REQUEST))),
    ("byte order mark", b"\xef\xbb\xbf" + lines(REQUEST)),
    ("UTF-16", json.dumps(REQUEST).encode("utf-16")),
    ("UTF-16, pretty", json.dumps(REQUEST, indent=2).encode("utf-16")),
    ("gzip", gzip.compress(lines(REQUEST))),
    ("gzip, pretty", gzip.compress(json.dumps(REQUEST, indent=2).encode())),
    ("blank lines", b"\n\n" + lines(REQUEST) + b"\n  \n"),
    ("carriage returns", lines(REQUEST).replace(b"\n", b"\r\n")),
    ("attributes as an object", lines(request({**BARE[0], "attributes": {"a": 1}}, BARE[1]))),
    ("of a trace store", lines({"batches": REQUEST["resourceSpans"]})),
    ("in an envelope", lines({"trace": REQUEST})),
    ("in a result", lines({"result": REQUEST})),
    ("bare spans", lines(*BARE)),
    ("bare spans in a list", json.dumps(BARE, indent=1).encode()),
    ("bare spans in an answer", lines({"data": snake(BARE), "next_cursor": None})),
]


@pytest.mark.parametrize("data", [data for _, data in ENCODINGS], ids=[name for name, _ in ENCODINGS])
def test_every_layout_gives_the_same_spans(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "trace.json"
    path.write_bytes(data)
    assert claims(path) == [NAME]
    found = loaded(tmp_path / "store.duckdb", path)
    assert found.counts == (2, 2, 0, 0, 0)
    rows = found.rows("SELECT name, parent_span_id, status, started_at, ended_at FROM spans ORDER BY span_id")
    assert [(row["name"], row["parent_span_id"], row["status"]) for row in rows] == [
        ("root", None, "unset"), ("child", "0000000000000001", "error")
    ]  # fmt: skip
    assert {(row["ended_at"] - row["started_at"]).total_seconds() for row in rows} == {1}
    assert found.one("SELECT * FROM runs")["status"] == "succeeded"


# ------------------------------------------------------------------------------------------------------------ damage
PRETTY = json.dumps(request(*(span(number, f"n{number}", parent=1) for number in range(2, 6))), indent=1)
SECOND = PRETTY.index('"n3"')
# The counts are records, stored, duplicates, rejected and skipped.
DAMAGE: list[tuple[str, bytes, tuple[int, int, int, int, int], list[str]]] = [
    ("cut document", PRETTY[: PRETTY.index('"n4"')].encode(), (3, 2, 0, 1, 0), ["not_json"]),
    ("cut between spans", PRETTY[: PRETTY.index('"n4"') - 120].encode(), (3, 2, 0, 1, 0), ["not_json"]),
    ("bad escape inside a document", (PRETTY[:SECOND] + '"C:\\q"' + PRETTY[SECOND + 4 :]).encode(), (4, 3, 0, 1, 0),
     ["bad_escape"]),
    ("not UTF-8 inside a document", PRETTY.encode().replace(b'"n3"', b'"caf\xe9"'), (4, 4, 0, 0, 0), []),
    ("not UTF-8 in a line", lines(REQUEST) + lines(REQUEST).replace(b"boom", b"\xe9"), (3, 2, 0, 1, 0), ["not_utf8"]),
    ("first line broken", b'{"resourceSpans": [\n' + lines(REQUEST), (3, 2, 0, 1, 0), ["not_json"]),
    ("text after the value", lines(REQUEST)[:-1] + b" done\n" + lines(REQUEST), (3, 2, 0, 1, 0), ["text_after_value"]),
    ("a foreign line", lines(REQUEST, {"foo": 1}), (3, 2, 0, 1, 0), ["not_otlp"]),
    ("a number line", lines(REQUEST, 7), (3, 2, 0, 1, 0), ["not_otlp"]),
    ("spans that are no list", lines(REQUEST, {"resourceSpans": "x"}), (3, 2, 0, 1, 0), ["not_otlp"]),
    ("a scope that is no object", lines(REQUEST, {"resourceSpans": [{"scopeSpans": [3]}]}), (3, 2, 0, 1, 0),
     ["not_otlp"]),
    ("no spans", lines(REQUEST, {"resourceSpans": []}, {"resourceSpans": [{"resource": {}}]}), (4, 2, 0, 0, 2), []),
    ("spans without ids", lines(request({"name": "a"}, BARE[0], {**BARE[1], "spanId": ""})), (3, 1, 0, 2, 0),
     ["missing_trace_id", "missing_span_id"]),
    ("a span that is no object", lines(request(BARE[0], "x")), (2, 1, 0, 1, 0), ["not_an_object"]),  # type: ignore[arg-type]
    ("parts of other types", lines(request({**BARE[0], "attributes": 3, "events": "x", "links": 1, "status": "OK",
                                            "name": ["a"], "kind": {}})), (1, 1, 0, 0, 0), []),
    ("nested deeper than can be read", lines(REQUEST) + b'{"resourceSpans": ' + b"[" * 5000 + b"]" * 5000 + b"}\n",
     (3, 2, 0, 1, 0), ["too_deep"]),
]  # fmt: skip


@pytest.mark.parametrize(("data", "counts", "reasons"), [case[1:] for case in DAMAGE], ids=[case[0] for case in DAMAGE])
def test_damage(tmp_path: Path, data: bytes, counts: tuple[int, int, int, int, int], reasons: list[str]) -> None:
    found = load_bytes(tmp_path, data)
    assert found.counts == counts
    assert found.values("SELECT reason FROM rejections ORDER BY line, offset_bytes, reason") == sorted(reasons)


def test_a_cut_archive_keeps_what_can_be_unpacked(tmp_path: Path) -> None:
    found = load_bytes(tmp_path, gzip.compress(lines(*[REQUEST] * 3000), 1)[:-40])
    assert (found.report.totals.stored, found.report.totals.rejected) == (2, 1)
    assert found.values("SELECT reason FROM rejections") == ["damaged_archive"]


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    assert load_bytes(tmp_path, b"").file.status == "refused"


def test_spans_saved_from_a_damaged_document_say_so_and_have_their_resource(tmp_path: Path) -> None:
    found = load_bytes(tmp_path, PRETTY[: PRETTY.index('"n5"')].encode())
    assert {tuple(flags) for flags in found.values("SELECT flags FROM spans")} == {("from_damaged_document",)}
    assert found.one("SELECT * FROM runs")["workload"] == "desk-agent"


def test_values_that_no_column_holds(tmp_path: Path) -> None:
    """Each of these stopped a loader once: overflowing counts, lone surrogates, NUL, duplicate keys, bare NaN."""
    text = json.dumps(request(span(1, "N")))
    text = text.replace('"N"', '"a\\ud83d\\u0000b"').replace('"kind": 1', '"kind": 1, "kind": 1, "y": NaN')
    big = {"key": "gen_ai.usage.input_tokens", "value": {"intValue": "18446744073709551615"}}
    text = text.replace('"attributes": [], "events"', f'"attributes": [{json.dumps(big)}], "events"')
    found = load_bytes(tmp_path, text.encode() + b"\n")
    one = found.one("SELECT * FROM spans")
    assert one["name"] == "a\ufffd\0b"
    assert set(one["flags"]) == {"duplicate_key", "lone_surrogate", "nan", "out_of_range"}
    assert (one["input_tokens"], found.one("SELECT * FROM runs")["input_tokens"]) == (None, None)
    assert "18446744073709551615" in one["attributes"]


def test_opaque_ids_stay_and_case_is_theirs(tmp_path: Path) -> None:
    found = load_bytes(tmp_path, lines(request({**span(1), "traceId": "Trace-A", "spanId": "span-Orchestrator"})))
    one = found.one("SELECT * FROM spans")
    assert (one["run_id"], one["span_id"]) == ("opentelemetry:Trace-A", "span-Orchestrator")


# ---------------------------------------------------------------------------------------------------- log exceptions
def log(number: int | None, name: str = "gen_ai.client.operation.exception", **more: Any) -> dict[str, Any]:
    body = {
        "timeUnixNano": nano(0.5), "eventName": name, "traceId": TRACE,
        "attributes": pairs({"exception.type": "RateLimitError", "exception.message": "slow down"}), **more,
    }  # fmt: skip
    if number is not None:
        body["spanId"] = f"{number:016x}"
    return {"resourceLogs": [{"resource": {}, "scopeLogs": [{"logRecords": [body]}]}]}


@pytest.mark.parametrize("order", [1, -1])
def test_a_log_and_a_span_that_report_one_failure_are_one_failure(tmp_path: Path, order: int) -> None:
    failed = request(span(1, "chat", code=2, message="failed", attributes={"error.type": "429"}))
    found = load_bytes(tmp_path, lines(*[log(1), failed][::order]))
    assert found.counts == (2, 2, 0, 0, 0)
    error = found.one("SELECT * FROM error_events")
    assert (error["event_id"], error["error_code"], error["details"]) == ("0000000000000001/error", "429", "failed")
    assert found.values("SELECT kind FROM events") == ["exception"]


def test_a_log_may_be_all_that_is_left_of_a_failure(tmp_path: Path) -> None:
    found = load_bytes(tmp_path, lines(log(7), log(None), log(8, "other.event"), log(9, traceId=None)))
    assert found.counts == (4, 2, 0, 0, 2)
    assert found.values("SELECT span_id FROM error_events ORDER BY span_id NULLS FIRST") == [None, "0000000000000007"]
    run = found.one("SELECT * FROM runs")
    assert (run["run_id"], run["status"], run["spans"], run["errors"]) == (RUN, "unknown", 0, 2)


def test_old_log_records_name_their_event_in_an_attribute(tmp_path: Path) -> None:
    record = log(7, "")
    body = record["resourceLogs"][0]["scopeLogs"][0]["logRecords"][0]
    del body["eventName"]
    body["attributes"] += pairs({"event.name": "gen_ai.client.operation.exception"})
    assert load_bytes(tmp_path, lines(record)).one("SELECT * FROM error_events")["error_code"] == "RateLimitError"


def test_a_file_that_grows_adds_only_what_is_new(tmp_path: Path) -> None:
    path, store = tmp_path / "t.jsonl", tmp_path / "store.duckdb"
    first, second = (lines(request(one)) for one in BARE)
    path.write_bytes(first + second[:50])
    assert loaded(store, path).counts == (2, 1, 0, 0, 1)
    path.write_bytes(first + second + lines(log(2)))
    # The log repeats the failure that the span reports, and is kept as the event it is.
    assert loaded(store, path).counts == (3, 2, 1, 0, 0)
    assert loaded(store, path).file.status == "unchanged"
