"""The pages of conformance draw on an empty store, on one written by hand, and on the stories that break the rules."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from ingest.load import ingest
from tests.dashboard.test_pages import texts

Opened = Callable[..., AppTest]
PAGES = ("findings", "coordination", "retries", "signatures", "replay", "compare", "ledger")
SAMPLES = Path(__file__).parents[2] / "sample_traces"


@pytest.fixture(scope="module")
def stories(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("stories") / "s.duckdb"
    ingest([str(SAMPLES / "conformance"), str(SAMPLES / "bijux_runtime" / "replay")], store)
    return store


def text_of(app: AppTest) -> str:
    return " ".join((texts(app), *(title.value for title in app.title)))


@pytest.mark.parametrize("page", PAGES)
def test_an_empty_store_is_said(dashboard: Opened, empty_store: Path, page: str) -> None:
    app = dashboard(empty_store, page)
    assert not app.exception
    assert "store" in text_of(app)


@pytest.mark.parametrize("page", PAGES)
def test_a_store_written_by_hand_draws(dashboard: Opened, full_store: Path, page: str) -> None:
    assert not dashboard(full_store, page).exception


@pytest.mark.parametrize("page", PAGES)
def test_the_stories_draw(dashboard: Opened, stories: Path, page: str) -> None:
    assert not dashboard(stories, page).exception


def test_a_rule_shows_its_statement_and_its_evidence(dashboard: Opened, stories: Path) -> None:
    app = dashboard(stories, "findings", rule="task-circulates")
    assert not app.exception
    assert "A task is accepted by an agent that already handled it." in text_of(app)
    assert any("Intake → Assessor" in frame.value.to_csv() for frame in app.dataframe)


def test_a_rule_that_does_not_exist_is_said(dashboard: Opened, stories: Path) -> None:
    assert "There is no rule of this name" in text_of(dashboard(stories, "findings", rule="nobody"))


def test_two_runs_stand_side_by_side(dashboard: Opened, stories: Path) -> None:
    app = dashboard(stories, "compare", run_a="conf-circular", run_b="conf-deadlock")
    assert not app.exception
    assert "First difference" in text_of(app)
