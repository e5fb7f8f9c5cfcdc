"""The recovery page: success with its doubt, and whether chains kept their rules."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.test_pages import texts
from tests.queries.attempts import NOON, Store
from tests.queries.full_store import HOSTILE

Opened = Callable[..., AppTest]


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    made = Store()
    for day in range(10):
        at = NOON - timedelta(days=day)
        made.run("w", "RECOVERED", at=at, confidence=0.8, auto_executed=True, trigger="test_failure 64%")
        made.run("w", "ABORTED", "RECOVERED", at=at, confidence=0.7, auto_executed=True, signature="s",
                 signature_partial=False, trigger=HOSTILE)  # fmt: skip
    made.run("w", "ESCALATED", "RECOVERED", None, chain="B")
    return made.write(tmp_path / "store.duckdb")


def test_each_chain_shows_its_rate_its_denominator_and_its_doubt(dashboard: Opened, store: Path) -> None:
    app = dashboard(store, "recovery_chains")
    assert not app.exception
    figures = {metric.label: metric.value for metric in app.metric}
    assert figures["Chain A – success, n = 30"] == "66.7%"
    assert figures["Chain B – n = 2: do not rank"] == "50.0%"
    assert figures["Chain C – nothing finished"] == "–"
    assert "20 of 30 finished, 95 %: 48.8% to 80.8%" in texts(app)
    assert "Collapsed 100.0% (20 of 20)" in texts(app)


def test_confidence_is_held_against_success(dashboard: Opened, store: Path) -> None:
    app = dashboard(store, "recovery_chains")
    assert {"Gap", "Brier score"} <= {metric.label for metric in app.metric}


def test_thresholds_selection_steps_and_attempts_are_tables(dashboard: Opened, store: Path) -> None:
    app = dashboard(store, "recovery_chains")
    columns = [set(frame.value.columns) for frame in app.dataframe]
    for wanted in ("Failures tried too often", "Trigger selects", "Failed here", "In the rates"):
        assert any(wanted in there for there in columns), wanted
    thresholds = next(frame.value for frame in app.dataframe if "Kept" in frame.value.columns)
    assert list(thresholds["Kept"]) == ["✕ broken 20 times", "– not evaluable", "– not evaluable"]


def test_the_measure_stands_in_the_address(dashboard: Opened, store: Path) -> None:
    app = dashboard(store, "recovery_chains", measure="Escalation")
    assert not app.exception
    assert "Days differ" in texts(app) or "no limits" in texts(app)


def test_a_store_without_attempts_says_where_they_come_from(dashboard: Opened, tmp_path: Path) -> None:
    made = Store()
    made.run("w")
    app = dashboard(made.write(tmp_path / "s.duckdb"), "recovery_chains")
    assert not app.exception
    assert "No attempt of chain A, B or C is recorded here." in texts(app)
    assert not app.metric
