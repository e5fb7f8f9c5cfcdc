"""Small inputs that broke other tools, of no known format or of Inspect: what must come out of each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.ingest.adapters.expected import SAMPLES
from tests.ingest.loaded import Loaded, load_bytes, loaded

INSTANT = "2026-02-02T02:40:00+00:00"
MIXED_ZONES = b"""{"run":"z1","ts":"2026-02-02T03:40:00+01:00"}
{"run":"z1","ts":"2026-02-02T02:40:00Z"}
{"run":"z1","ts":"2026-02-02 02:40:00"}
{"run":"z1","ts":1770000000}
{"run":"z1","ts":1770000000000}
{"run":"z1","ts":"1770000000000000000"}
"""
NOT_A_NUMBER = b"""{"run":"n1","score":NaN,"cost":Infinity,"latency":-Infinity}
{"run":"n2","score":0.5,"cost":0.1,"latency":12}
"""
TEXTS = rb"""{"run":"u1","text":"cut here \ud83d"}
{"run":"u2","text":"frame\u0000by\u0000frame"}
{"run":"u3","text":"\ud809\udc1c fine"}
"""


def attributes(result: Loaded, table: str, where: str) -> dict[str, object]:
    (text,) = result.values(f"SELECT attributes FROM {table} WHERE {where}")
    found = json.loads(text)
    assert isinstance(found, dict)
    return found


def test_the_digits_of_large_numbers_are_unchanged(tmp_path: Path) -> None:
    line = b'{"run_id":"r1","span_id":1009513310189256287,"tokens":18446744073709551615,"start":1770000000123456789}\n'
    result = load_bytes(tmp_path, line)
    assert result.counts == (1, 1, 0, 0, 0)
    assert result.values("SELECT span_id FROM spans") == ["1009513310189256287"]
    assert result.values("SELECT started_at FROM spans")[0].isoformat() == "2026-02-02T02:40:00.123456+00:00"
    (stored,) = result.values("SELECT attributes FROM spans")
    assert "18446744073709551615" in stored


def test_six_spellings_of_one_instant(tmp_path: Path) -> None:
    result = load_bytes(tmp_path, MIXED_ZONES)
    rows = result.rows("SELECT occurred_at, flags FROM events ORDER BY line")
    assert [row["occurred_at"].isoformat() for row in rows] == [INSTANT] * 6
    assert [row["flags"] for row in rows] == [None, None, ["naive_time"], None, None, None]


def test_what_is_no_number_is_absent_and_flagged(tmp_path: Path) -> None:
    result = load_bytes(tmp_path, NOT_A_NUMBER)
    assert result.counts == (2, 2, 0, 0, 0)
    assert result.values("SELECT flags FROM events ORDER BY line") == [["nan"], None]
    mean = "SELECT avg(CAST(json_extract(attributes, '$.score') AS DOUBLE)) AS mean FROM events"
    assert result.one(mean) == {"mean": 0.5}
    assert not any("NaN" in (text or "") for text in result.values("SELECT attributes FROM events"))


def test_half_characters_are_replaced_and_marked_and_whole_ones_are_kept(tmp_path: Path) -> None:
    result = load_bytes(tmp_path, TEXTS)
    rows = result.rows("SELECT run_id, flags FROM events ORDER BY line")
    assert [(row["run_id"], row["flags"]) for row in rows] == [
        ("mapped:u1", ["lone_surrogate"]),
        ("mapped:u2", None),
        ("mapped:u3", None),
    ]
    assert attributes(result, "events", "run_id = 'mapped:u1'")["text"] == "cut here \ufffd"
    assert attributes(result, "events", "run_id = 'mapped:u2'")["text"] == "frame\x00by\x00frame"
    assert attributes(result, "events", "run_id = 'mapped:u3'")["text"] == "\U0001241c fine"


def test_an_evaluation_that_never_finished(tmp_path: Path) -> None:
    result = loaded(tmp_path / "store.duckdb", SAMPLES / "inspect" / "started_token_limit.eval")
    run = result.one("SELECT status, status_reason FROM runs")
    assert run["status"] == "interrupted"
    assert "started" in run["status_reason"]
    assert "token limit" in run["status_reason"]
    assert result.values("SELECT error_code FROM error_events") == ["timeout"]
    assert result.values("SELECT decision FROM guardrail_events WHERE decision = 'escalate'") == ["escalate"]
    scores = result.values("SELECT summary FROM events WHERE kind = 'score' ORDER BY name")
    assert scores == ["acc: not a number", "list: [true, false]"]


@pytest.mark.parametrize("data", [MIXED_ZONES, NOT_A_NUMBER, TEXTS])
def test_the_same_bytes_again_change_nothing(data: bytes, tmp_path: Path) -> None:
    load_bytes(tmp_path, data)
    assert load_bytes(tmp_path, data).file.status == "unchanged"
