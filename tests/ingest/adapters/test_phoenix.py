"""OpenInference exports: every sample as expected; objects, lines, nested traces and tables say the same."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from ingest.otel.openinference import duration_of
from tests.ingest.loaded import Loaded, load_bytes, loaded
from tests.ingest.otel.samples import assert_case, cases, claims, files, folder

NAME = "phoenix"
TRACE = "7dacc7c4f4ea940a543ef59529f8bf04"


@pytest.mark.parametrize("case", cases(NAME), ids=lambda case: case["file"])
def test_sample(case: dict[str, str], tmp_path: Path) -> None:
    assert_case(NAME, case, tmp_path / "store.duckdb")


@pytest.mark.parametrize("path", files(NAME), ids=lambda path: path.name)
def test_exactly_this_adapter_knows_the_sample(path: Path) -> None:
    assert claims(path) == [NAME]


def test_what_a_retriever_and_a_reranker_say_of_the_context(tmp_path: Path) -> None:
    found = loaded(tmp_path / "store.duckdb", folder(NAME) / "spans.json")
    items = found.rows(
        "SELECT set_name, item_id, revision FROM context_items JOIN context_sets USING (run_id, event_id, set_name)"
        " WHERE event_id NOT LIKE 'derived:%' ORDER BY set_name, item_id"
    )
    named = [(row["set_name"], row["item_id"], row["revision"]) for row in items if row["item_id"][:6] != "sha256"]
    assert named == [("eligible", "7", None), ("eligible", "pol-1", None), ("retrieved", "7", None),
                     ("retrieved", "pol-1", "4")]  # fmt: skip
    assert len(items) == len(named) + 1


def test_times_with_an_offset_and_without_a_zone(tmp_path: Path) -> None:
    found = loaded(tmp_path / "store.duckdb", folder(NAME) / "spans.json", folder(NAME) / "naive_times.jsonl")
    draft = found.one("SELECT * FROM spans WHERE name = 'draft'")
    assert (draft["started_at"], draft["flags"]) == (datetime(2026, 11, 28, 10, 0, 3, tzinfo=UTC), None)
    plan = found.one("SELECT * FROM spans WHERE name = 'plan'")
    assert (plan["started_at"], plan["flags"]) == (datetime(2026, 11, 28, 11, 0, 1, tzinfo=UTC), ["naive_time"])


def test_durations_of_nested_spans(tmp_path: Path) -> None:
    found = loaded(tmp_path / "store.duckdb", folder(NAME) / "nested_trace.json")
    rows = found.rows("SELECT ended_at - started_at AS lasted, parent_span_id, status FROM spans ORDER BY span_id")
    assert [row["lasted"] for row in rows] == [timedelta(seconds=84.6), timedelta(seconds=12), timedelta(seconds=9.5)]
    assert [row["parent_span_id"] for row in rows] == [None, "9b1397be34d26b01", "9b1397be34d26b02"]
    assert [row["status"] for row in rows] == ["unset", "error", "ok"]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("PT1M24.6S", 84.6),
        ("PT0S", 0),
        ("P1DT1H", 90000),
        ("PT", None),
        ("P", None),
        ("1:24", None),
        (None, None),
        (2.5, 2.5),
    ],
)
def test_durations(text: Any, seconds: float | None) -> None:
    assert duration_of(text) == (None if seconds is None else timedelta(seconds=seconds))


@pytest.mark.parametrize("duration", [2**70, "P99999999999999D", "soon", [1]])
def test_a_duration_that_cannot_be_read_is_no_end(tmp_path: Path, duration: Any) -> None:
    trace = json.loads((folder(NAME) / "nested_trace.json").read_text(encoding="utf-8"))
    trace["spans"][0]["duration"] = duration
    found = load_bytes(tmp_path, json.dumps(trace).encode())
    root = found.one("SELECT * FROM spans WHERE parent_span_id IS NULL")
    assert (root["ended_at"], root["status"]) == (None, "open")
    assert root["flags"] == ["bad_duration"]


# ----------------------------------------------------------------------------------------------------------- layouts
def span(span_id: str, **more: Any) -> dict[str, Any]:
    return {
        "name": f"n{span_id[-1]}", "context": {"trace_id": TRACE, "span_id": span_id}, "span_kind": "LLM",
        "parent_id": None,
        "start_time": "2026-11-28T08:00:00+00:00", "end_time": "2026-11-28T08:00:01+00:00", "status_code": "OK",
        "status_message": "", "attributes": {"llm.token_count.prompt": 5}, "events": [], **more,
    }  # fmt: skip


ONE, TWO = span("70b397be34d26b51"), span("70b397be34d26b52", parent_id="70b397be34d26b51")
PRETTY = json.dumps([ONE, TWO], indent=2)
LAYOUTS: list[tuple[str, bytes, tuple[int, int, int, int, int]]] = [
    ("pretty list", PRETTY.encode(), (2, 2, 0, 0, 0)),
    ("list in a line", json.dumps([ONE, TWO]).encode(), (2, 2, 0, 0, 0)),
    ("lines", (json.dumps(ONE) + "\n" + json.dumps(TWO) + "\n").encode(), (2, 2, 0, 0, 0)),
    ("an answer", json.dumps({"data": [ONE, TWO], "next_cursor": None}, indent=1).encode(), (2, 2, 0, 0, 0)),
    ("gzip", gzip.compress(PRETTY.encode()), (2, 2, 0, 0, 0)),
    ("UTF-16", PRETTY.encode("utf-16"), (2, 2, 0, 0, 0)),
    ("byte order mark", b"\xef\xbb\xbf" + PRETTY.encode(), (2, 2, 0, 0, 0)),
    ("cut list", PRETTY[:-150].encode(), (2, 1, 0, 1, 0)),
    ("incomplete last line", (json.dumps(ONE) + "\n" + json.dumps(TWO)[:-60]).encode(), (2, 1, 0, 0, 1)),
    ("bad escape in a line", (json.dumps(ONE) + '\n{"name": "\\q"}\n' + json.dumps(TWO)).encode(), (3, 2, 0, 1, 0)),
    ("a stranger", json.dumps([ONE, {"x": 1}]).encode(), (2, 1, 0, 1, 0)),
    ("no trace id", json.dumps([ONE, span("1", context={"trace_id": None, "span_id": "1"})]).encode(), (2, 1, 0, 1, 0)),
    ("attributes that are none", json.dumps([span("1", attributes="x", events={"a": 1})]).encode(), (1, 1, 0, 0, 0)),
    ("NaN", json.dumps([span("1", attributes={"a": float("nan")})]).encode(), (1, 1, 0, 0, 0)),
]


@pytest.mark.parametrize(("data", "counts"), [case[1:] for case in LAYOUTS], ids=[case[0] for case in LAYOUTS])
def test_layouts_and_damage(tmp_path: Path, data: bytes, counts: tuple[int, int, int, int, int]) -> None:
    path = tmp_path / "trace.jsonl"
    path.write_bytes(data)
    assert claims(path) == [NAME]
    assert load_bytes(tmp_path, data).counts == counts


# ------------------------------------------------------------------------------------------------------------ tables
EXCEPTION = {"name": "exception", "timestamp": "2026-11-28T08:00:08Z",
             "attributes": {"exception.type": "ReadTimeout", "exception.message": "no answer"}}  # fmt: skip


def frame() -> pd.DataFrame:
    """Spans as Phoenix's client hands them out: dotted columns, lists of objects, NaN where there is nothing."""
    rows = [
        ("70b397be34d26b51", "ask", "CHAIN", None, 0, 9, "OK", None, None, []),
        ("70b397be34d26b52", "find", "RETRIEVER", "70b397be34d26b51", 1, 2, "UNSET", None,
         [{"document.id": "k-1", "document.score": 0.9}, {"document.id": "k-2", "document.score": 0.4}], []),
        ("374e760103838101", "answer", "LLM", "70b397be34d26b51", 3, 8, "ERROR", 512, None, [EXCEPTION, EXCEPTION]),
        ("70b397be34d26b54", "open", "LLM", "70b397be34d26b51", 8, None, "UNSET", None, None, []),
    ]  # fmt: skip
    start = pd.Timestamp("2026-11-28T08:00:00Z")
    table = pd.DataFrame(
        {
            "context.span_id": row[0], "name": row[1], "span_kind": row[2], "parent_id": row[3],
            "start_time": start + pd.Timedelta(seconds=row[4]),
            "end_time": pd.NaT if row[5] is None else start + pd.Timedelta(seconds=row[5]),
            "status_code": row[6], "status_message": "", "events": row[9], "context.trace_id": TRACE,
            "attributes.llm.token_count.prompt": row[7], "attributes.retrieval.documents": row[8],
            "attributes.llm.invocation_parameters": '{"temperature": 0}' if row[2] == "LLM" else None,
        }
        for row in rows
    )  # fmt: skip
    return table.set_index("context.span_id")


def as_parquet(path: Path) -> None:
    frame().to_parquet(path)


def as_parquet_with_plain_index(path: Path) -> None:
    frame().reset_index().to_parquet(path, index=False)


def as_csv(path: Path) -> None:
    frame().to_csv(path)


def as_csv_of_parquet(path: Path) -> None:
    """Lists come back from Parquet as arrays, which print without commas."""
    between = path.with_suffix(".between")
    frame().to_parquet(between)
    pd.read_parquet(between).to_csv(path)


def as_semicolons(path: Path) -> None:
    frame().to_csv(path, sep=";", encoding="utf-8-sig")


WRITERS = [as_parquet, as_parquet_with_plain_index, as_csv, as_csv_of_parquet, as_semicolons]


@pytest.mark.parametrize("write", WRITERS, ids=lambda write: str(write.__name__))
def test_a_table_says_what_the_objects_say(tmp_path: Path, write: Any) -> None:
    path = tmp_path / "spans.table"
    write(path)
    assert claims(path) == [NAME]
    found = loaded(tmp_path / "store.duckdb", path)
    assert found.counts == (4, 4, 0, 0, 0)
    assert_table(found)


def assert_table(found: Loaded) -> None:
    run = found.one("SELECT * FROM runs")
    assert (run["native_id"], run["status"], run["errors"], run["input_tokens"]) == (TRACE, "succeeded", 1, 512)
    rows = found.rows("SELECT * FROM spans ORDER BY started_at")
    assert [row["span_id"] for row in rows] == [
        "70b397be34d26b51", "70b397be34d26b52", "374e760103838101", "70b397be34d26b54"
    ]  # fmt: skip
    assert [row["kind"] for row in rows] == ["chain", "retrieval", "llm", "llm"]
    assert [row["status"] for row in rows] == ["unset" if row["name"] == "find" else row["status"] for row in rows]
    assert (rows[0]["started_at"], rows[3]["ended_at"]) == (datetime(2026, 11, 28, 8, tzinfo=UTC), None)
    assert rows[3]["status"] == "open"
    assert "retrieval.documents" not in rows[0]["attributes"]
    error = found.one("SELECT * FROM error_events")
    assert (error["error_code"], error["details"]) == ("ReadTimeout", "no answer")
    assert found.values("SELECT count(*) FROM events WHERE kind = 'exception'") == [1]
    assert found.values(
        "SELECT item_id FROM context_items WHERE event_id NOT LIKE 'derived:%' ORDER BY item_id"
    ) == ["k-1", "k-2"]  # fmt: skip


def test_a_table_saved_without_its_index_keeps_its_rows(tmp_path: Path) -> None:
    frame().to_csv(tmp_path / "spans.csv", index=False)
    found = loaded(tmp_path / "store.duckdb", tmp_path / "spans.csv")
    assert found.counts == (4, 4, 0, 0, 0)
    assert all("span_id_derived" in flags for flags in found.values("SELECT flags FROM spans"))
    again = tmp_path / "again.csv"
    frame().iloc[::-1].to_csv(again, index=False)
    assert loaded(found.store, again).counts == (4, 0, 4, 0, 0)


def test_naive_times_of_a_table_are_flagged(tmp_path: Path) -> None:
    table = frame()
    table["start_time"] = table["start_time"].dt.tz_localize(None)
    table["end_time"] = table["end_time"].dt.tz_localize(None)
    table.to_parquet(tmp_path / "spans.parquet")
    found = loaded(tmp_path / "store.duckdb", tmp_path / "spans.parquet")
    assert found.values("SELECT DISTINCT flags FROM spans") == [["naive_time"]]


def test_a_damaged_table_is_refused_and_says_why(tmp_path: Path) -> None:
    path = tmp_path / "spans.parquet"
    as_parquet(path)
    path.write_bytes(path.read_bytes()[:-20])
    found = loaded(tmp_path / "store.duckdb", path)
    assert found.file.status == "refused"
    assert found.file.reason


def test_events_that_cannot_be_read_are_kept_as_they_are(tmp_path: Path) -> None:
    data = (folder(NAME) / "spans.csv").read_bytes().replace(b"[{'name': 'exception'", b"[<Event exception")
    found = load_bytes(tmp_path, data)
    assert found.counts == (3, 3, 0, 0, 0)
    row = found.one("SELECT * FROM events WHERE name = 'unreadable_events'")
    assert "<Event exception" in row["attributes"]
    assert found.one("SELECT * FROM spans WHERE span_id = '374e760103838101'")["flags"] == ["unreadable_events"]


def test_what_a_data_frame_writes_for_no_value_is_none(tmp_path: Path) -> None:
    data = (
        b"context.trace_id,context.span_id,name,span_kind,parent_id,start_time,end_time,status_code\n"
        b"c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3,d1d1d1d1d1d1d1d1,root,CHAIN,NaN,2026-01-01 00:00:00+00:00,NaT,OK\n"
    )
    found = load_bytes(tmp_path, data)
    assert found.one("SELECT parent_span_id, ended_at, flags FROM spans") == {
        "parent_span_id": None, "ended_at": None, "flags": ["nan"],
    }  # fmt: skip
    assert found.values("SELECT name FROM runs") == ["root"]
