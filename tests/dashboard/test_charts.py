"""Charts say what the rows say, and show recorded text literally."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import pytest

from dashboard.charts.label import plain
from dashboard.charts.outcomes import failed_shares
from dashboard.charts.waterfall import waterfall
from dashboard.wording import duration, share

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
WORDS = {"ok": "✓ ok", "error": "✕ failed", "not_reached": "· not reached"}


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
class Share:
    decided: int
    failed: int
    rate: float | None
    rate_low: float | None
    rate_high: float | None


@pytest.mark.parametrize(
    ("recorded", "shown"),
    [
        ("<b>bold</b>", "&lt;b&gt;bold&lt;/b&gt;"),
        ('<a href="javascript:x">', "&lt;a href=&quot;javascript:x&quot;&gt;"),
        ("%{customdata}", "%&#123;customdata&#125;"),
        ("&lt;", "&amp;lt;"),
        ("two\nlines\u202e\x00", "two lines"),
        (None, "–"),
        ("x" * 60, "x" * 47 + "…"),
    ],
)
def test_recorded_text_is_literal_in_a_label(recorded: str | None, shown: str) -> None:
    assert plain(recorded) == shown


def test_a_run_with_a_clock_is_drawn_by_time() -> None:
    steps = [
        Step(str(n), started_at=NOON + timedelta(seconds=n), ended_at=NOON + timedelta(seconds=n + 1)) for n in (0, 4)
    ]
    figure = waterfall(steps, [], WORDS, {})
    assert list(figure.data[0].base) == [0, 4]
    assert list(figure.data[0].x) == [1, 1]
    assert figure.layout.xaxis.title.text == "seconds since the first event"


def test_a_run_without_a_clock_is_drawn_by_order() -> None:
    figure = waterfall([Step("a", seq=1, last_seq=4), Step("b", seq=5, last_seq=9)], [], WORDS, {})
    assert list(figure.data[0].base) == [1, 5]
    assert "no clock" in figure.layout.xaxis.title.text


def test_a_step_that_was_never_reached_has_no_length() -> None:
    steps = [Step("a", started_at=NOON, ended_at=NOON + timedelta(seconds=2)), Step("b", "not_reached", seq=9)]
    never = next(bar for bar in waterfall(steps, [], WORDS, {}).data if bar.name == WORDS["not_reached"])
    assert list(never.x) == [0]


def test_bars_keep_their_width_when_rows_of_a_status_lie_apart() -> None:
    steps = [replace(Step(str(n), seq=n, last_seq=n), status="error" if n in {1, 7} else "ok") for n in range(9)]
    assert {bar.width for bar in waterfall(steps, [], WORDS, {}).data} == {0.6}


def test_a_workload_without_a_known_outcome_has_no_share() -> None:
    shares = {"a": Share(0, 0, None, None, None), "b": Share(4, 1, 0.25, 0.05, 0.7)}
    (drawn,) = failed_shares(shares, ["a", "b"]).data
    assert list(drawn.y) == [1]


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (None, "–"),
        (0, "0 ms"),
        (0.0002, "200 µs"),
        (0.25, "250 ms"),
        (12.34, "12.3 s"),
        (61, "1 min 01 s"),
        (7260, "2 h 01 min"),
    ],
)
def test_a_duration_is_said_in_the_units_that_matter(seconds: float | None, shown: str) -> None:
    assert duration(seconds) == shown


def test_a_share_of_nothing_is_a_dash() -> None:
    assert share(None) == "–"
