"""A query that takes too long: it is stopped, the page says so and stands, and nobody else waits for it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import is_healthy
from tests.dashboard.test_browser import ROOT, settled
from tests.queries.full_store import write

pytestmark = pytest.mark.browser

STARTS_WITHIN_S = 60
# What stands in place of a table: its rows, and a count that takes hours before them.
ENDLESS = """
ALTER TABLE skipped_records RENAME TO skipped_kept;
CREATE VIEW skipped_records AS
SELECT * FROM skipped_kept
WHERE (SELECT count(*) FROM range(100_000_000) a, range(100_000_000) b WHERE hash(a.range, b.range) = 42) >= 0
"""


@pytest.fixture(scope="module")
def slow_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("slow") / "store.duckdb"
    write(store)
    with duckdb.connect(str(store)) as con:
        con.execute(ENDLESS)
    return store


@contextmanager
def served(store: Path, seconds: str) -> Iterator[str]:
    """`faultlens serve` with so much time for a query."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {**os.environ, "FAULTLENS_QUERY_SECONDS": seconds, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        [sys.executable, "-m", "dashboard.cli", "serve", "--store", str(store), "--port", str(port)],
        env=environment, cwd=store.parent, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        assert is_healthy(f"http://127.0.0.1:{port}", STARTS_WITHIN_S), "the server did not start"
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait(10)


@contextmanager
def session(browser: Browser) -> Iterator[Page]:
    """A tab of somebody else: another session of the server."""
    context = browser.new_context(viewport={"width": 1440, "height": 1000})
    page = context.new_page()
    page.set_default_timeout(60_000)
    expect.set_options(timeout=60_000)
    yield page
    context.close()


def test_the_page_says_which_query_was_stopped_and_the_rest_of_it_stands(browser: Browser, slow_store: Path) -> None:
    with served(slow_store, "2") as url, session(browser) as tab:
        tab.goto(f"{url}/ingest")
        notice = tab.get_by_text("The query skipped took longer than 2 s and was stopped. The rest of the page stands.")
        expect(notice).to_be_visible()
        expect(tab.get_by_text("FAULTLENS_QUERY_SECONDS over 2")).to_be_visible()
        for heading in ("Files", "Quarantine", "Skipped"):
            expect(tab.get_by_role("heading", name=heading, exact=True)).to_be_visible()
        settled(tab)
        with session(browser) as other:
            # The next one is told at once, and may want it asked once more.
            other.goto(f"{url}/ingest")
            expect(other.get_by_text("The query skipped took longer than 2 s")).to_be_visible()
            settled(other)
            other.get_by_role("button", name="Ask once more").click()
            expect(other.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "running")
            settled(other)
            expect(other.get_by_text("The query skipped took longer than 2 s")).to_be_visible()
        expect(tab.get_by_test_id("stException")).to_have_count(0)


def test_another_session_is_served_while_a_query_runs(browser: Browser, slow_store: Path) -> None:
    with served(slow_store, "3600") as url, session(browser) as waiting, session(browser) as other:
        waiting.goto(f"{url}/ingest")
        expect(waiting.get_by_role("heading", name="Skipped", exact=True)).to_be_visible()
        for page in ("", "runs", "signatures"):
            other.goto(f"{url}/{page}")
            expect(other.get_by_role("heading", level=1)).to_be_visible()
            settled(other)
        expect(waiting.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "running")


@pytest.mark.parametrize("seconds", ["soon", "0", "-1", "nan"])
def test_a_limit_that_is_none_is_refused_at_the_start(slow_store: Path, seconds: str) -> None:
    said = subprocess.run(
        [sys.executable, "-m", "dashboard.cli", "serve", "--store", str(slow_store), "--port", "0"],
        env={**os.environ, "FAULTLENS_QUERY_SECONDS": seconds, "PYTHONPATH": str(ROOT)}, cwd=slow_store.parent,
        capture_output=True, text=True, timeout=STARTS_WITHIN_S, check=False,
    )  # fmt: skip
    assert said.returncode == 2
    assert said.stderr == (
        f"faultlens: FAULTLENS_QUERY_SECONDS: '{seconds}' is no number of seconds; give one over 0, "
        "or leave it out (30)\n"
    )
