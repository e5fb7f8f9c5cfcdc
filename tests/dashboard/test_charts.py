"""Charts say what the rows say, and show recorded text literally."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from datetime import date, timedelta

import pytest

from dashboard.charts.axes import of_counts, of_days
from dashboard.charts.coordination import delegation_ring
from dashboard.charts.label import plain
from dashboard.charts.outcomes import failed_shares
from dashboard.drawn import figure
from dashboard.wording import duration, share


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


def test_a_workload_without_a_known_outcome_has_no_share() -> None:
    shares = {"a": Share(0, 0, None, None, None), "b": Share(4, 1, 0.25, 0.05, 0.7)}
    (drawn,) = failed_shares(shares, ["a", "b"]).data
    assert list(drawn.y) == [1]


@dataclass(frozen=True)
class Edge:
    from_agent: str
    to_agent: str
    hops: int = 1
    circulating: int = 0


@pytest.mark.parametrize("agents", [2, 3, 12, 30, 60])
def test_no_name_in_the_ring_stands_on_another(agents: int) -> None:
    ring = delegation_ring([Edge("agent-0", f"agent-{n}") for n in range(1, agents)])
    names = [trace for trace in ring.data if trace.mode == "text"]
    assert sorted(name for trace in names for name in trace.text) == sorted(f"agent-{n}" for n in range(agents))
    low, high = ring.layout.yaxis.range
    pixels = (ring.layout.height - ring.layout.margin.t - ring.layout.margin.b) / (high - low)
    for trace in names:
        assert all(low <= y <= high for y in trace.y)
        # A line of text is about 14 pixels high.
        assert all((upper - lower) * pixels >= 14 for upper, lower in itertools.pairwise(trace.y))


def test_a_figure_is_built_anew_only_for_other_rows() -> None:
    shares = {"a": Share(4, 1, 0.25, 0.05, 0.7)}
    first = figure(failed_shares, shares, ["a"])
    assert figure(failed_shares, dict(shares), ["a"]) is first
    other = figure(failed_shares, {"a": Share(4, 2, 0.5, 0.1, 0.9)}, ["a"])
    assert list(first.data[0].x) == [0.25]
    assert list(other.data[0].x) == [0.5]


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


@pytest.mark.parametrize(("most", "apart"), [(0, 1), (2, 1), (5, 1), (6, None), (20_000, None)])
def test_few_things_are_counted_in_whole_steps(most: int, apart: int | None) -> None:
    axis = of_counts(most, "runs")
    assert (axis.get("dtick"), axis["tickformat"], axis["rangemode"]) == (apart, ",d", "tozero")


def test_a_single_day_stands_between_its_neighbours() -> None:
    day = date(2026, 11, 24)
    assert of_days([day]) == {
        "tickvals": [day],
        "tickformat": "%d %b<br>%Y",
        "range": [date(2026, 11, 23), date(2026, 11, 25)],
    }


def test_few_days_are_marked_as_days_and_many_are_left_to_the_axis() -> None:
    days = [date(2026, 11, 24) + timedelta(days=number) for number in range(20)]
    assert of_days(days[:3])["tickvals"] == days[:3]
    assert of_days(days) == of_days([]) == {}
