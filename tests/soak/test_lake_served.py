"""Two processes ingest into one lake for a minute while people look at it in a browser: nobody is shown an error."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http import HTTPStatus
from importlib.util import find_spec
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from dashboard.page import pages
from ingest.store.lake import LakeStore
from tests.browser import chromium
from tests.lake.cluster import MISSING, programs, running
from tests.lake.test_concurrent import assert_holds_all, process, said, write_shared

pytestmark = [
    pytest.mark.soak,
    pytest.mark.browser,
    pytest.mark.skipif(
        find_spec("duckdb_extension_ducklake") is None, reason="needs faultlens[lake]: make install-lake"
    ),
    pytest.mark.skipif(programs() is None, reason=MISSING),
]

ROOT = Path(__file__).parents[2]
WRITERS = ROOT / "tests" / "lake" / "writers.py"
SECONDS = 60
PAGES = [page.url_path for group in pages().values() for page in group]
# What a page says when it could not ask the store, or not in time.
COMPLAINTS = re.compile(r"store cannot be used|took longer than|was stopped|Traceback|Error:", re.IGNORECASE)


@contextmanager
def served(url: str, folder: Path) -> Iterator[str]:
    """`faultlens serve` on the store, and where it answers."""
    log = folder / "served.log"
    command = [sys.executable, "-m", "dashboard.cli", "serve", "--port", "0", "--store", url]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with log.open("w") as output:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=output, stderr=output)
    try:
        yield _answering(log)
    finally:
        process.terminate()
        process.wait(30)
    assert "Traceback" not in log.read_text(), log.read_text()


def _answering(log: Path) -> str:
    """Where the server answers, once it does."""
    for _ in range(600):
        found = re.search(r"dashboard: (http://localhost:\d+)", log.read_text())
        with suppress(OSError):
            if found and urllib.request.urlopen(f"{found[1]}/_stcore/health", timeout=1).status == HTTPStatus.OK:
                return found[1]
        time.sleep(0.2)
    pytest.fail(f"the server did not start: {log.read_text()}")


@contextmanager
def tab() -> Iterator[Page]:
    with chromium() as browser:
        page = browser.new_context(viewport={"width": 1440, "height": 1000}).new_page()
        page.set_default_timeout(60_000)
        yield page


def looked_at(page: Page, url: str, seconds: float) -> tuple[dict[str, int], list[str]]:
    """How often each page was drawn to its end in that time, and what it complained of."""
    until, drawn, complaints = time.monotonic() + seconds, dict.fromkeys(PAGES, 0), list[str]()
    page.on("pageerror", lambda error: complaints.append(str(error)))
    while time.monotonic() < until or not all(drawn.values()):
        for name in PAGES:
            page.goto(f"{url}/{name}")
            # Once in a new session, once more in the same one, which finds what was ingested meanwhile.
            for _ in range(2):
                page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]').wait_for()
                expect(page.get_by_test_id("stSkeleton")).to_have_count(0, timeout=60_000)
                text = page.get_by_test_id("stMain").inner_text()
                assert text.strip(), f"{name}: an empty page"
                drawn[name] += 1
                if page.get_by_test_id("stException").count() or COMPLAINTS.search(text):
                    complaints.append(f"{name}: {text[:500]}")
                page.keyboard.press("r")
    return drawn, complaints


def test_nobody_is_shown_an_error(tmp_path: Path) -> None:
    write_shared(tmp_path)
    with running() as cluster:
        url = cluster.lake("served", tmp_path / "files")
        writers = {}
        with served(url, tmp_path) as address, tab() as page:
            for name in ("left", "right"):
                writers[name] = process(str(WRITERS), url, str(tmp_path), name, str(SECONDS))
            drawn, complaints = looked_at(page, address, SECONDS)
            written = {name: said(writer) for name, writer in writers.items()}
        assert complaints == []
        assert min(drawn.values()) >= 1
        with LakeStore(url) as lake:
            assert_holds_all(lake, written)
        result = {"pages drawn": sum(drawn.values()), **{name: found["runs"] for name, found in written.items()}}
        sys.stdout.write(f"{json.dumps(result)}\n")
