"""A real browser on a real server: what only shows there, from the address bar to the console."""

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
from playwright.sync_api import Browser, ConsoleMessage, Page, expect

from dashboard.page import FilePage, pages
from ingest.store import memory_connection, publication
from tests.browser import is_healthy
from tests.queries.full_store import write

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
PAGES = [file for files in pages().values() for file in files]
# Streamlit asks for these below the page's own path first, and finds them at the root.
STREAMLITS_OWN_404 = re.compile(r"/\w+/_stcore/(health|host-config)$")
NATIVE = """\
{"record": "run", "run_id": "uploaded-1", "workload": "uploads", "status": "failed"}
{"record": "error_event", "run_id": "uploaded-1", "level": "L3", "type": "test_failure", "error_code": "E_ASSERT"}
{"record": "error_event", "run_id": "uploaded-1", "level":
"""


@dataclass
class Server:
    url: str
    store: Path


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    store = tmp_path_factory.mktemp("served") / "store.duckdb"
    write(store)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = store.with_suffix(".log")
    with log.open("w") as output:
        command = [
            sys.executable,
            "-m",
            "streamlit",
            "run",
            str(ROOT / "dashboard" / "app.py"),
            "--server.port",
            str(port),
        ]
        environment = {**os.environ, "FAULTLENS_STORE": str(store), "PYTHONPATH": str(ROOT)}
        process = subprocess.Popen(command, env=environment, stdout=output, stderr=output, cwd=store.parent)
    url = f"http://127.0.0.1:{port}"
    try:
        assert is_healthy(url, within_s=20), f"the server did not start: {log.read_text()}"
        yield Server(url, store)
    finally:
        process.terminate()
        process.wait(10)
    assert "Traceback" not in log.read_text()


@pytest.fixture
def tab(browser: Browser) -> Iterator[Page]:
    """A tab in which no error may reach the console and no request may leave the machine."""
    context = browser.new_context(viewport={"width": 1440, "height": 1000})
    page = context.new_page()
    # The first chart of a tab takes seconds in software rendering, and longer on a busy machine.
    page.set_default_timeout(30_000)
    expect.set_options(timeout=30_000)
    complaints: list[str] = []
    abroad: list[str] = []

    def heard(message: ConsoleMessage) -> None:
        if message.type == "error" and not STREAMLITS_OWN_404.search(message.location.get("url", "")):
            complaints.append(f"{message.text} ({message.location.get('url')})")

    page.on("console", heard)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda asked: abroad.append(asked.url) if not _is_local(asked.url) else None)
    yield page
    expect(page.get_by_test_id("stException")).to_have_count(0)
    context.close()
    assert complaints == []
    assert abroad == []


def _is_local(url: str) -> bool:
    return url.startswith(("http://127.0.0.1:", "data:", "blob:"))


def opened(tab: Page, address: str) -> None:
    tab.goto(address)
    settled(tab)


def settled(tab: Page) -> None:
    expect(tab.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    expect(tab.get_by_test_id("stSkeleton")).to_have_count(0)


def choose(tab: Page, label: str, option: str) -> None:
    tab.get_by_test_id("stSelectbox").filter(has_text=label).get_by_role("combobox").click()
    tab.get_by_role("option", name=option, exact=True).click()
    settled(tab)


@pytest.mark.parametrize("file", PAGES, ids=lambda file: file.path.stem)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_opens_by_its_address(tab: Page, server: Server, file: FilePage, scheme: str) -> None:
    tab.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    opened(tab, f"{server.url}/{file.url_path}?run=demo:run-0001")
    expect(tab.get_by_role("heading", level=1, name=file.page.title)).to_be_visible()
    expect(tab).to_have_title(f"{file.page.title} · faultlens")


def test_a_link_opens_the_run_it_names(tab: Page, server: Server) -> None:
    opened(tab, f"{server.url}/run?run=demo:run-0001&event=demo:run-0001/e1")
    expect(tab.get_by_role("dialog").get_by_text("demo:run-0001/e1", exact=True)).to_be_visible()
    tab.get_by_role("dialog").get_by_label("Close").click()
    expect(tab.get_by_role("dialog")).to_have_count(0)
    expect(tab).to_have_url(re.compile(r"/run\?run=demo(:|%3A)run-0001$"))
    expect(tab.get_by_text("Decided by: the last outcome recorded says failed")).to_be_visible()


def test_a_link_to_a_run_that_is_gone_says_so(tab: Page, server: Server) -> None:
    opened(tab, f"{server.url}/run?run=demo:forgotten")
    expect(tab.get_by_text("There is no run with this id")).to_be_visible()
    expect(tab.get_by_test_id("stCode").get_by_text("demo:forgotten")).to_be_visible()
    assert "run=demo" in tab.url


def test_a_filter_goes_into_the_address_and_stays_across_pages_and_back(tab: Page, server: Server) -> None:
    opened(tab, server.url)
    choose(tab, "Workload", "payments")
    expect(tab).to_have_url(re.compile(r"workload=payments"))
    tab.get_by_test_id("stSidebarNav").get_by_text("Runs", exact=True).click()
    expect(tab.get_by_role("heading", level=1, name="Runs")).to_be_visible()
    expect(tab).to_have_url(re.compile(r"/runs\?workload=payments"))
    settled(tab)
    expect(tab.get_by_text("All 16 runs.")).to_be_visible()
    tab.go_back()
    expect(tab.get_by_role("heading", level=1, name="Overview")).to_be_visible()
    settled(tab)
    expect(tab).to_have_url(re.compile(r"/\?workload=payments$"))
    expect(tab.get_by_test_id("stMetricValue").first).to_have_text("16")


def test_a_filter_value_that_no_run_has_is_said_and_stays(tab: Page, server: Server) -> None:
    opened(tab, f"{server.url}/runs?workload=no-such-workload")
    expect(tab.get_by_text("No run in this store has the workload that is asked for")).to_be_visible()
    expect(tab.get_by_text("No run passes the filters.")).to_be_visible()
    assert "workload=no-such-workload" in tab.url


def test_recorded_markup_is_text(tab: Page, server: Server) -> None:
    opened(tab, f"{server.url}/run?run=demo:run-0018")
    expect(tab.get_by_text("<img src=x onerror=alert(1)>").first).to_be_visible()
    assert tab.locator("img[src='x']").count() == 0


def test_why_this_number_shows_the_query_and_what_was_left_out(tab: Page, server: Server) -> None:
    opened(tab, f"{server.url}/?since=2026-11-24")
    tab.get_by_role("button", name="Why this number?").nth(1).click()
    popover = tab.get_by_test_id("stPopoverBody").filter(visible=True)
    expect(popover.get_by_text("runs with a known outcome").first).to_be_visible()
    expect(popover.get_by_text("8 undated runs")).to_be_visible()
    expect(popover.get_by_text("faultlens query failed_share --param since=2026-11-24T00:00:00+00:00")).to_be_visible()


def test_a_page_shows_a_new_generation_by_itself(tab: Page, server: Server) -> None:
    opened(tab, server.url)
    before = tab.get_by_test_id("stMetricValue").first.inner_text()
    with memory_connection() as con, publication(server.store, con) as draft:
        draft.cursor().execute(
            "INSERT INTO runs (run_id, source, native_id, workload, status, clock, spans, events, errors, recoveries)"
            " VALUES ('demo:later', 'demo', 'later', 'later', 'succeeded', 'none', 0, 0, 0, 0)"
        ).fetchall()
    expect(tab.get_by_test_id("stMetricValue").first).to_have_text(str(int(before) + 1))


def test_an_uploaded_file_is_accounted_for_and_its_run_is_there(tab: Page, server: Server, tmp_path: Path) -> None:
    file = tmp_path / "upload.jsonl"
    file.write_text(NATIVE)
    opened(tab, f"{server.url}/ingest")
    tab.locator("input[type=file]").set_input_files(file)
    expect(tab.get_by_text("upload.jsonl")).to_be_visible()
    tab.get_by_role("button", name="Ingest", exact=True).click()
    expect(tab.get_by_text(re.compile(r"1 run: 2 of 3 records stored, 0 duplicates"))).to_be_visible()
    opened(tab, f"{server.url}/runs?workload=uploads")
    expect(tab.get_by_text("1 run.", exact=True)).to_be_visible()
