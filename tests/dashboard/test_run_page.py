"""The page of one run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from streamlit.testing.v1 import AppTest

from tests.dashboard.test_pages import texts

Opened = Callable[..., AppTest]


def test_names_the_outcome_and_what_decided_it(dashboard: Opened, full_store: Path) -> None:
    shown = texts(dashboard(full_store, "run", run="demo:run-0001"))
    assert "✕ failed" in shown
    assert "Decided by: the last outcome recorded says failed" in shown
    assert "governed_failure" in shown
    assert "inspect; retry only under policy" in shown


def test_accepts_the_producers_own_id(dashboard: Opened, full_store: Path) -> None:
    assert "demo:run-0001" in texts(dashboard(full_store, "run", run="run-0001"))


def test_gives_no_time_to_a_run_without_a_clock(dashboard: Opened, full_store: Path) -> None:
    app = dashboard(full_store, "run", run="demo:run-0007")
    assert "no clock: order is real, time is not" in texts(app)
    assert not any("Time" in frame.value.columns for frame in app.dataframe)


def test_says_that_a_run_is_gone_and_offers_others(dashboard: Opened, full_store: Path) -> None:
    app = dashboard(full_store, "run", run="demo:forgotten")
    assert not app.exception
    assert "There is no run with this id" in texts(app)
    assert len(app.dataframe) == 1


def test_says_that_an_event_is_not_in_the_run(dashboard: Opened, full_store: Path) -> None:
    app = dashboard(full_store, "run", run="demo:run-0001", event="nothing")
    assert "This run has no event with this id" in texts(app)


def test_opens_the_record_of_the_address(dashboard: Opened, full_store: Path) -> None:
    app = dashboard(full_store, "run", run="demo:run-0001", event="demo:run-0001/e1")
    assert not app.exception
    assert "/run?run=demo%3Arun-0001&event=demo%3Arun-0001%2Fe1" in texts(app)
    assert any("error_code" in json.value for json in app.json)


def test_a_step_that_was_never_reached_did_not_fail(dashboard: Opened, full_store: Path) -> None:
    app = dashboard(full_store, "run", run="demo:run-0001")
    steps = next(frame.value for frame in app.dataframe if "Ended" in frame.value.columns)
    assert list(steps["Ended"]) == ["✓ ok", "✓ ok", "✓ ok", "✕ failed", "· not reached"]
