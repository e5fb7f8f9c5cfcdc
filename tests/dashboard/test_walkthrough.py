"""The walkthrough: one moment a screen, a position in the address, notes that stand in the report."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from streamlit.testing.v1 import AppTest

from dashboard.report.postmortem import report
from ingest.load import ingest
from ingest.store import open_store
from tests.dashboard.test_pages import texts
from tests.dashboard.test_reviews_in_browser import Served, served_from, session, settled

Opened = Callable[..., AppTest]
ROOT = Path(__file__).parents[2]
STORY = ROOT / "sample_traces" / "faultlens" / "every_kind.jsonl"
RUN = "faultlens:refund-4711"


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("walk") / "store.duckdb"
    ingest([str(STORY)], path)
    return path


@pytest.mark.parametrize(
    ("moment", "said"),
    [
        ("1", ["The run begins", "refund 512.40 EUR to customer 88", "No context set is recorded up to this moment"]),
        ("5", ["limit_exceeded → ESCALATED", "limits-2026, refund-policy", "ask for approval", "error: class-guessed"]),
        ("7", ["chain A → ESCALATED", "Executed without asking", "0.8"]),
        ("15", ["The run ended: escalated", "Decided by: a person decided"]),
    ],
)
def test_a_moment_says_what_happened_was_known_and_decided(
    dashboard: Opened, story: Path, moment: str, said: list[str]
) -> None:
    app = dashboard(story, "walkthrough", run=RUN, moment=moment)
    assert not app.exception
    for text in said:
        assert text in texts(app)


@pytest.mark.parametrize("moment", ["0", "16", "-1", "x", "2.5"])
def test_a_moment_that_is_not_there_is_said(dashboard: Opened, story: Path, moment: str) -> None:
    app = dashboard(story, "walkthrough", run=RUN, moment=moment)
    assert not app.exception
    assert "There is no moment of this number" in texts(app)
    assert "The run begins" in texts(app)


def test_next_back_and_first_failure_move(dashboard: Opened, story: Path) -> None:
    app = dashboard(story, "walkthrough", run=RUN, moment="1")
    app.button(key="walk_next").click().run()
    assert "Moment 2 of 15" in texts(app)
    app.button(key="walk_back").click().run()
    assert "Moment 1 of 15" in texts(app)
    app.button(key="walk_failure").click().run()
    assert "Moment 3 of 15" in texts(app)
    assert "first failure" in texts(app)


def test_a_run_that_is_gone_is_said(dashboard: Opened, story: Path) -> None:
    app = dashboard(story, "walkthrough", run="faultlens:gone")
    assert "There is no run with this id" in texts(app)
    assert len(app.dataframe) == 1


def test_a_note_is_kept_and_a_nameless_one_is_refused(dashboard: Opened, tmp_path: Path) -> None:
    path = tmp_path / "store.duckdb"
    ingest([str(STORY)], path)
    app = dashboard(path, "walkthrough", run=RUN, moment="8")
    app.text_area[0].set_value("Here **we** could have stopped.")
    next(button for button in app.button if button.label == "Save note").click().run()
    assert any("Not saved" in error.value for error in app.error)
    assert app.text_area[0].value == "Here **we** could have stopped."
    next(field for field in app.text_input if field.label == "Your name").set_value("Mara")
    next(button for button in app.button if button.label == "Save note").click().run()
    assert "Here **we** could have stopped." in texts(app)
    with open_store(path).lease() as lease:
        rows = lease.rows("SELECT kind, event_id, author FROM reviews")
    assert rows == [{"kind": "note", "event_id": "g1", "author": "Mara"}]


def test_an_action_is_kept_with_layer_owner_and_term(dashboard: Opened, tmp_path: Path) -> None:
    path = tmp_path / "store.duckdb"
    ingest([str(STORY)], path)
    app = dashboard(path, "walkthrough", run=RUN, moment="1")
    app.text_area[1].set_value("limits carry valid_from")
    next(field for field in app.selectbox if field.label == "Layer").set_value("freshness typing")
    next(field for field in app.selectbox if field.label == "Holds").set_value("provisional")
    next(field for field in app.text_input if field.label == "Owner").set_value("Tom")
    [field for field in app.text_input if field.label == "Your name"][1].set_value("Mara")
    next(button for button in app.button if button.label == "Save action").click().run()
    assert not app.error
    with open_store(path).lease() as lease:
        text = report(lease, RUN, "md")
    said = "layer: freshness typing; owner: Tom; due: TODO; verified by: TODO; provisional"
    assert f"> limits carry valid&#95;from\n> {said}" in text


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    path = tmp_path_factory.mktemp("walked") / "store.duckdb"
    ingest([str(STORY)], path)
    yield from served_from(path)


@pytest.mark.browser
def test_a_room_walks_with_the_keyboard_writes_a_note_and_finds_it_in_the_report(
    browser: Browser, walked: Served
) -> None:
    page = session(browser, f"{walked.url}/walkthrough?run={RUN}&moment=4")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    shows(page, 4)
    page.keyboard.press("ArrowRight")
    shows(page, 5)
    for at in (6, 7, 8):
        page.keyboard.press("ArrowRight")
        shows(page, at)
    expect(page.get_by_text("deny → paused")).to_be_visible()
    expect(page).to_have_url(re.compile(r"moment=8$"))
    page.keyboard.press("ArrowLeft")
    shows(page, 7)
    note = page.get_by_role("textbox", name="Note at this moment")
    note.fill("chain A was told <b>twice</b>")
    note.press("ArrowLeft")
    time.sleep(1)
    shows(page, 7)
    page.get_by_role("textbox", name="Your name").first.fill("Mara")
    page.get_by_role("button", name="Save note").click()
    expect(page.get_by_text("Saved. It stands in the report of this run.")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="Report as HTML").click()
    text = Path(download.value.path()).read_text(encoding="utf-8")
    assert "chain A was told &lt;b&gt;twice&lt;/b&gt;" in text
    assert all(url.startswith((walked.url, "data:", "blob:")) for url in asked), asked


def shows(page: Page, moment: int) -> None:
    expect(page.get_by_text(f"Moment {moment} of 15")).to_be_visible()
    settled(page)
