"""How deep a retry stands below its causes."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from streamlit.testing.v1 import AppTest

from dashboard.retry_tree import depths, indented
from ingest.load import ingest

Opened = Callable[..., AppTest]


@dataclass(frozen=True)
class Retry:
    of_event: str
    event_id: str | None
    caused_by: str | None = None
    run_id: str = "r"


def depth_of(*rows: Retry) -> dict[str, int]:
    return {event: depth for (_, event), depth in depths(rows).items()}


def test_each_stands_one_below_its_cause_in_whatever_order_they_come() -> None:
    rows = [Retry("f1", "t1"), Retry("f2", "t2", "t1"), Retry("f3", "t3", "t2"), Retry("f4", None, "t1")]
    assert depth_of(*rows) == depth_of(*reversed(rows)) == {"f1": 0, "f2": 1, "f3": 2, "f4": 1}


def test_a_cause_that_is_nowhere_counts_as_one() -> None:
    assert depth_of(Retry("f1", "t1", "gone"), Retry("f2", "t2", "t1")) == {"f1": 1, "f2": 2}


def test_a_cause_of_another_run_is_no_cause() -> None:
    assert depth_of(Retry("f1", "t1", run_id="other"), Retry("f2", "t2", "t1")) == {"f1": 0, "f2": 1}


def test_a_circle_of_causes_ends() -> None:
    assert set(depth_of(Retry("f1", "t1", "t2"), Retry("f2", "t2", "t1"))) == {"f1", "f2"}


def test_a_chain_as_long_as_a_list_is_followed_to_its_end() -> None:
    rows = [Retry(f"f{n}", f"t{n}", f"t{n - 1}" if n else None) for n in range(5_000)]
    assert depth_of(*reversed(rows))["f4999"] == 4_999


def test_what_is_too_deep_to_indent_is_said() -> None:
    assert indented(0, "attempt 1") == "attempt 1"
    assert indented(2, "attempt 2") == "\u2003\u2003↳ attempt 2"
    assert indented(12, "attempt 2") == "\u2003" * 8 + "↳ 12 deep: attempt 2"


def test_a_cause_on_another_page_of_the_list_counts(dashboard: Opened, tmp_path: Path) -> None:
    run: list[dict[str, object]] = [{"record": "run", "run_id": "again", "status": "failed"}]
    run += [
        {
            "record": "error_event", "run_id": "again", "event_id": f"e{n}", "seq": n, "level": "L2",
            "type": "test_failure", "error_code": "E_ASSERT", "phase": "EXECUTE", "step": "4/6", "agent": "Builder",
            "location": "src/intake.py:118", "state_hash": "77aa", "result": "FAILED", "details": "assert amount",
        }
        for n in range(1, 72)
    ]  # fmt: skip
    (tmp_path / "again.jsonl").write_text("".join(json.dumps(record) + "\n" for record in run), encoding="utf-8")
    ingest([str(tmp_path / "again.jsonl")], tmp_path / "s.duckdb")
    app = dashboard(tmp_path / "s.duckdb", "retries", retries_page="2")
    assert not app.exception
    attempts = next(list(frame.value["Attempt"]) for frame in app.dataframe if "Attempt" in frame.value.columns)
    # The first retry is attempt 2 and has no cause; fifty stand on each page.
    assert [attempt.strip("\u2003") for attempt in attempts] == [f"↳ {n} deep: attempt {n + 2}" for n in range(50, 70)]
