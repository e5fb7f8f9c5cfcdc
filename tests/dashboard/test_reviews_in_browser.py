"""A review made in one browser is there in another, and after the same file comes again."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from ingest.load import ingest
from tests.browser import is_healthy

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
STORY = ROOT / "sample_traces" / "origins" / "suspected.jsonl"
FAILURE = "/origins?run=faultlens:origin-suspected&event=e3"


@dataclass
class Served:
    url: str
    store: Path


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    store = tmp_path_factory.mktemp("reviewed") / "store.duckdb"
    ingest([str(STORY)], store)
    yield from served_from(store)


def served_from(store: Path) -> Iterator[Served]:
    """The dashboard on this store, until it is no longer needed."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = store.with_suffix(".log")
    with log.open("w") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "streamlit", "run", str(ROOT / "dashboard" / "app.py"), "--server.port", str(port)],
            env={**os.environ, "FAULTLENS_STORE": str(store), "PYTHONPATH": str(ROOT)}, stdout=output, stderr=output,
            cwd=store.parent,
        )  # fmt: skip
    url = f"http://127.0.0.1:{port}"
    try:
        assert is_healthy(url, within_s=30), f"the server did not start: {log.read_text()}"
        yield Served(url, store)
    finally:
        process.terminate()
        process.wait(10)
    assert "Traceback" not in log.read_text()


def session(browser: Browser, url: str) -> Page:
    page = browser.new_context(viewport={"width": 1440, "height": 1200}).new_page()
    page.set_default_timeout(30_000)
    expect.set_options(timeout=30_000)
    page.goto(url)
    settled(page)
    return page


def settled(page: Page) -> None:
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)


def reviewed(page: Page, origin: str, who: str) -> None:
    # While a page is drawn anew, the form of before may still stand beside the new one.
    expect(page.get_by_role("textbox", name="Originated at")).to_have_count(1)
    settled(page)
    page.get_by_role("textbox", name="Originated at").fill(origin)
    page.get_by_role("textbox", name="Your name").first.fill(who)
    page.get_by_role("button", name="Save review").click()
    expect(page.get_by_text("Saved. It is in the store, for everybody.")).to_be_visible()


def test_a_review_is_there_in_another_session_and_after_the_file_came_again(browser: Browser, served: Served) -> None:
    mara, tom = session(browser, served.url + FAILURE), session(browser, served.url + FAILURE)
    expect(tom.get_by_text("no diagnosis yet")).to_be_visible()
    reviewed(mara, "EXECUTE / step 2", "Mara")
    # Tom's page finds the new generation by itself, and his form is told so.
    expect(tom.get_by_text("Mara saved a review since this form was opened")).to_be_visible()
    expect(tom.get_by_text(re.compile("Mara, 20"))).to_be_visible()
    reviewed(tom, "PREPARE / step 1", "Tom")
    expect(tom.get_by_text("2 reviews stand side by side")).to_be_visible()
    assert ingest([str(STORY)], served.store).files[0].status == "unchanged"
    third = session(browser, served.url + FAILURE)
    expect(third.get_by_text(re.compile("Tom, 20"))).to_be_visible()
    expect(third.get_by_text("2 reviews stand side by side")).to_be_visible()
