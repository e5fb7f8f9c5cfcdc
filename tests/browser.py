"""The Chromium of the tests and of the bench: where it is, how it is started, and when a server is ready for it."""

from __future__ import annotations

import os
import shutil
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, sync_playwright

CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


def program() -> str | None:
    """The browser's path; None where there is none."""
    return os.environ.get("FAULTLENS_BROWSER") or next(filter(None, map(shutil.which, CHROMIUMS)), None)


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser of its own; without one the test is skipped."""
    path = program()
    if not path:
        pytest.skip("no Chromium found: set FAULTLENS_BROWSER")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


def is_healthy(url: str, within_s: float) -> bool:
    """Whether the server says within so many seconds that it is well."""
    until = time.monotonic() + within_s
    while time.monotonic() < until:
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=1):
                return True
        except OSError:
            time.sleep(0.2)
    return False
