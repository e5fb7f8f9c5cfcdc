"""The timeline of a run says what its rows say: nothing is left undrawn, and recorded text stays text."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.charts.waterfall import waterfall, without_place
from dashboard.run_timeline import marks_between
from ingest.load import ingest
from tests.dashboard.test_pages import texts

Opened = Callable[..., AppTest]
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
WORDS = {"ok": "✓ ok", "error": "✕ failed", "not_reached": "· not reached"}
MARKED = {"error": "✕ error", "recovery": "↻ recovery"}


@dataclass(frozen=True)
class Step:
    span_id: str
    status: str | None = "ok"
    seq: int | None = None
    last_seq: int | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    parent_span_id: str | None = None
    name: str | None = "step"
    kind: str | None = "step"


@dataclass(frozen=True)
class Mark:
    event_id: str
    seq: int | None = None
    span_id: str | None = None
    kind: str = "error"
    name: str | None = "name"
    summary: str | None = "summary"
    occurred_at: datetime | None = None


def test_a_run_with_a_clock_is_drawn_by_time() -> None:
    steps = [
        Step(str(n), started_at=NOON + timedelta(seconds=n), ended_at=NOON + timedelta(seconds=n + 1)) for n in (0, 4)
    ]
    drawn = waterfall(steps, [], WORDS, {})
    assert [(bar["from"], bar["long"]) for bar in drawn["bars"]] == [(0, 1), (4, 1)]
    assert drawn["axis"]["title"] == "seconds since the first event"
    assert drawn["bars"][0]["tip"] == "step\n✓ ok\n1 seconds"


def test_a_run_without_steps_is_drawn_by_the_times_of_its_records() -> None:
    marks = [Mark(str(n), seq=n + 1, occurred_at=NOON + timedelta(minutes=30 * n)) for n in range(3)]
    drawn = waterfall([], marks, WORDS, MARKED)
    assert [mark["at"] for mark in drawn["marks"]] == [0, 30, 60]
    assert drawn["axis"]["title"] == "minutes since the first event"


def test_what_has_a_clock_and_yet_is_drawn_by_order_says_why() -> None:
    marks = [Mark("1", seq=1, occurred_at=NOON), Mark("2", seq=2)]
    drawn = waterfall([], marks, WORDS, MARKED)
    assert [mark["at"] for mark in drawn["marks"]] == [1, 2]
    assert drawn["axis"]["title"] == "order of events (seq): some have no time"
    steps = [Step("a", seq=1, started_at=NOON), Step("b", seq=2)]
    assert waterfall(steps, [], WORDS, {})["axis"]["title"] == "order of events (seq): some have no time"


def test_a_run_without_a_clock_is_drawn_by_order() -> None:
    drawn = waterfall([Step("a", seq=1, last_seq=4), Step("b", seq=5, last_seq=9)], [], WORDS, {})
    assert [bar["from"] for bar in drawn["bars"]] == [1, 5]
    assert "no clock" in drawn["axis"]["title"]


def test_a_step_that_was_never_reached_has_no_length_and_says_so() -> None:
    steps = [Step("a", started_at=NOON, ended_at=NOON + timedelta(seconds=2)), Step("b", "not_reached", seq=9)]
    never = waterfall(steps, [], WORDS, {})["bars"][1]
    assert (never["long"], never["said"], never["word"]) == (0, True, "· not reached")


def test_steps_are_indented_below_their_parents_and_a_circle_of_parents_ends() -> None:
    steps = [Step("a"), Step("b", parent_span_id="a"), Step("c", parent_span_id="b"), Step("d", parent_span_id="gone")]
    assert [row["depth"] for row in waterfall(steps, [], WORDS, {})["rows"]] == [0, 1, 2, 0]
    circle = [Step("x", parent_span_id="y"), Step("y", parent_span_id="x")]
    assert [row["depth"] for row in waterfall(circle, [], WORDS, {})["rows"]] == [6, 6]


def test_marks_that_hide_one_another_are_one_with_their_number() -> None:
    steps = [Step("a", seq=0, last_seq=100_000)]
    marks = [Mark(f"e{n}", seq=n, span_id="a") for n in range(1, 6)] + [Mark("far", seq=90_000, span_id="a")]
    marks += [Mark("r", seq=1, kind="recovery")]
    drawn = {(mark["id"], mark["row"]): mark["count"] for mark in waterfall(steps, marks, WORDS, MARKED)["marks"]}
    assert drawn == {("e1", 0): 5, ("far", 0): 1, ("r", -1): 1}


def test_a_mark_without_a_time_is_counted_where_the_others_have_one() -> None:
    steps = [Step("a", started_at=NOON, ended_at=NOON + timedelta(seconds=2))]
    marks = [Mark("timed", occurred_at=NOON), Mark("untimed", seq=4)]
    assert without_place(steps, marks) == 1
    assert [mark["id"] for mark in waterfall(steps, marks, WORDS, MARKED)["marks"]] == ["timed"]


@pytest.mark.parametrize(
    ("recorded", "shown"),
    [("<b>bold</b>", "<b>bold</b>"), ("two\nlines\u202e\x00", "two lines"), ("x" * 70, "x" * 59 + "…")],
)
def test_recorded_text_is_one_line_and_is_not_escaped_twice(recorded: str, shown: str) -> None:
    assert waterfall([Step("a", name=recorded)], [], WORDS, {})["rows"][0]["label"] == shown


def test_every_mark_stands_in_one_part_of_a_long_run() -> None:
    steps = [Step(f"s{n}", seq=10 * n + 5, last_seq=10 * n + 9) for n in range(9)]
    on_steps = [Mark(f"on{n}", seq=10 * n + 6, span_id=f"s{n}") for n in range(9)]
    between = [Mark(f"at{seq}", seq=seq, span_id="not in this run" if seq % 2 else None) for seq in range(0, 120, 3)]
    marks = [*on_steps, *between, Mark("without a number")]
    parts: list[Mark] = []
    for first in (0, 3, 6):
        following = steps[first + 3] if first < 6 else None
        parts += marks_between(marks, steps[first : first + 3], following, from_start=first == 0)
    assert sorted(mark.event_id for mark in parts) == sorted(mark.event_id for mark in marks)


def test_a_mark_on_a_drawn_step_is_drawn_with_it_wherever_it_stands() -> None:
    steps = [Step("s0", seq=5), Step("s1", seq=15)]
    late = Mark("late", seq=99, span_id="s0")
    assert marks_between([late], steps, Step("s2", seq=25), from_start=True) == [late]


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two steps with 700 errors, of which 650 stand on no step."""
    folder = tmp_path_factory.mktemp("marked")
    run: list[dict[str, Any]] = [{"record": "run", "run_id": "m", "status": "failed"}]
    run += [{"record": "span", "run_id": "m", "span_id": f"s{n}", "seq": 1000 * n, "name": "step"} for n in range(2)]
    run += [
        {"record": "error_event", "run_id": "m", "event_id": f"e{n}", "seq": n + 1, "type": "t"}
        | ({"span_id": "s0"} if n < 50 else {})
        for n in range(700)
    ]
    (folder / "m.jsonl").write_text("".join(json.dumps(record) + "\n" for record in run), encoding="utf-8")
    ingest([str(folder / "m.jsonl")], folder / "store.duckdb")
    return folder / "store.duckdb"


def test_no_mark_of_a_run_is_left_undrawn(dashboard: Opened, marked: Path) -> None:
    app = dashboard(marked, "run", run="faultlens:m")
    assert not app.exception
    (chart,) = app.get("bidi_component")
    drawn = json.loads(chart.proto.json)
    assert sum(mark["count"] for mark in drawn["marks"]) == 700
    assert drawn["alt"] == "Timeline of 2 steps, 0 of them failed, with 700 marks"
    assert "marks not shown here" not in texts(app)
