"""Small inputs that broke other tools, those of them that are spans: what the manifest says must come out."""

from __future__ import annotations

import csv
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.ingest.loaded import Loaded, content, loaded
from tests.ingest.otel.otlp import RUN

REPRO = Path(__file__).resolve().parents[1] / "data" / "repro"
# Files of the manifest that hold spans, and those that another format reads.
SPANS = {
    "b01", "b03", "b04", "b05_logs_only", "b05_empty", "b06", "b07_base64", "b07_same", "b11", "b13", "b14", "b15",
    "b22", "b25", "b27", "b28", "b30", "b32",
}  # fmt: skip
OTHERS = {"b10", "b17", "b18", "b19", "b33"}


@pytest.fixture
def load(tmp_path: Path) -> Any:
    def loading(*starts: str) -> Loaded:
        found = [path for start in starts for path in sorted(REPRO.glob(f"{start}*"))]
        return loaded(tmp_path / "store.duckdb", *found)

    return loading


def spans(found: Loaded) -> list[dict[str, Any]]:
    return found.rows("SELECT * FROM spans ORDER BY span_id")


def run(found: Loaded) -> dict[str, Any]:
    return found.one(f"SELECT * FROM runs WHERE run_id = '{RUN}'")


def test_every_line_of_the_manifest_has_its_test_or_its_format() -> None:
    with (REPRO / "MANIFEST.tsv").open(encoding="utf-8") as file:
        names = [row["file"] for row in csv.DictReader(file, delimiter="\t")]
    assert names
    for name in names:
        assert len([start for start in (*SPANS, *OTHERS) if name.startswith(start)]) == 1, name


def test_b01_a_bad_escape_costs_its_line(load: Any) -> None:
    found = load("b01")
    assert found.counts == (3, 2, 0, 1, 0)
    rejection = found.one("SELECT * FROM rejections")
    assert (rejection["line"], rejection["reason"]) == (2, "bad_escape")


def test_b03_an_incomplete_last_line_may_still_be_written(load: Any) -> None:
    found = load("b03")
    assert found.counts == (2, 1, 0, 0, 1)
    assert found.file.skipped_because == {"incomplete_last_line": 1}
    assert found.report.exit_code(0) == 0


def test_b04_concatenated_console_output(load: Any) -> None:
    root, tool = spans(load("b04"))
    assert (root["span_id"], root["parent_span_id"]) == ("0000000000000001", None)
    assert (tool["span_id"], tool["parent_span_id"], tool["status"]) == ("0000000000000002", root["span_id"], "error")


def test_b05_an_empty_file_is_refused_by_name(load: Any) -> None:
    found = load("b05_empty")
    assert found.file.status == "refused"
    assert "file is empty" in found.file.reason
    assert found.report.exit_code(0) == 1


def test_b05_logs_and_metrics_alone_are_no_spans_and_say_so(load: Any) -> None:
    found = load("b05_logs")
    assert found.counts == (2, 0, 0, 0, 2)
    assert found.file.skipped_because == {"otlp_logs": 1, "otlp_metrics": 1}
    assert found.values("SELECT count(*) FROM runs") == [0]


def test_b06_a_list_of_requests(load: Any) -> None:
    assert [span["name"] for span in spans(load("b06"))] == ["root", "c"]


@pytest.mark.parametrize("order", [("b07_base64", "b07_same"), ("b07_same", "b07_base64")])
def test_b07_base64_ids_and_capital_hex_are_one_trace(load: Any, order: tuple[str, str]) -> None:
    found = load(*order)
    assert found.counts == (4, 2, 2, 0, 0)
    assert (run(found)["spans"], run(found)["errors"]) == (2, 1)
    assert [span["span_id"] for span in spans(found)] == ["0000000000000001", "0000000000000002"]
    assert found.one("SELECT * FROM error_events")["details"] == "boom"


def test_b11_a_span_that_is_its_own_parent(load: Any) -> None:
    began = time.monotonic()
    (span,) = spans(load("b11"))
    assert (span["parent_span_id"], span["flags"]) == (None, ["parent_is_itself"])
    assert time.monotonic() - began < 30  # an endless walk would never return; a busy machine may be slow


def test_b13_orphans_keep_their_parent_and_their_error_counts(load: Any) -> None:
    found = load("b13")
    assert [span["parent_span_id"] for span in spans(found)] == [None, "0000000000000001", "00000000deadbeef"]
    assert (run(found)["spans"], run(found)["errors"]) == (3, 1)


def test_b14_any_order_of_lines_gives_the_same_store(load: Any, tmp_path: Path) -> None:
    (path,) = REPRO.glob("b14*")
    turned = tmp_path / "turned.jsonl"
    turned.write_bytes(b"".join(reversed(path.read_bytes().splitlines(keepends=True))))
    as_it_is = load("b14")
    other = loaded(tmp_path / "other.duckdb", turned)
    assert content(as_it_is.store) == content(other.store)
    assert as_it_is.values("SELECT name FROM spans ORDER BY seq") == ["root", "mid", "leaf"]


def test_b15_no_duration_is_invented(load: Any) -> None:
    root, negative, unfinished, no_start = spans(load("b15"))
    assert (root["ended_at"] - root["started_at"]).total_seconds() == 5
    assert (negative["ended_at"], negative["flags"], negative["status"]) == (None, ["negative_duration"], "unset")
    assert (unfinished["ended_at"], unfinished["status"]) == (None, "open")
    assert (no_start["started_at"], no_start["ended_at"]) == (None, datetime(2026, 2, 2, 2, 40, 1, 200000, tzinfo=UTC))


def test_b22_tokens_that_an_agent_sums_up_are_counted_once(load: Any) -> None:
    found = load("b22")
    assert run(found)["input_tokens"] == 300
    assert [span["input_tokens"] for span in spans(found)] == [300, 100, 200]


@pytest.mark.parametrize(
    ("start", "sql", "kept"),
    [
        ("b25", "SELECT name FROM spans", "<img src=x onerror=alert(1)>"),
        ("b25", "SELECT details FROM error_events", "<b>bold</b>"),
        ("b27", "SELECT name FROM spans WHERE span_id LIKE '%1'", '=HYPERLINK("http://attacker.example","x")'),
        ("b27", "SELECT name FROM spans WHERE span_id LIKE '%5'", "\tcmd"),
        ("b28", "SELECT attributes->>'http.request.header.authorization' FROM spans",
         "Bearer sk-test-NOTREAL0123456789abcdef"),
    ],
)  # fmt: skip
def test_hostile_text_is_stored_as_it_is(load: Any, start: str, sql: str, kept: str) -> None:
    """What is shown and exported masks and escapes; the store holds what was recorded."""
    assert load(start).values(sql) == [kept]


def test_b30_a_handled_exception_and_a_recovered_failure(load: Any) -> None:
    found = load("b30")
    one = run(found)
    assert (one["status"], one["errors"], one["recoveries"]) == ("succeeded", 1, 1)
    event = found.one("SELECT * FROM events WHERE kind = 'exception'")
    assert (event["span_id"], event["flags"]) == ("0000000000000004", ["handled_or_unknown"])
    assert found.values("SELECT status FROM spans WHERE span_id = '0000000000000004'") == ["unset"]


def test_b32_a_byte_order_mark(load: Any) -> None:
    assert load("b32").counts == (1, 1, 0, 0, 0)
