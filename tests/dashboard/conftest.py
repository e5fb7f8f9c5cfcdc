"""An empty store and a full one, and the dashboard opened on one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from streamlit.testing.v1 import AppTest

from ingest.store import memory_connection, open_store
from tests.browser import chromium
from tests.queries.full_store import write

APP = Path(__file__).parents[2] / "dashboard" / "app.py"


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("empty") / "empty.duckdb"
    with memory_connection() as con, open_store(path).publication(con):
        pass
    return path


@pytest.fixture(scope="session")
def full_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("full") / "full.duckdb"
    write(path)
    return path


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


@pytest.fixture
def dashboard(monkeypatch: pytest.MonkeyPatch) -> Callable[..., AppTest]:
    def opened(store: Path, page: str = "overview", **address: str) -> AppTest:
        monkeypatch.setenv("FAULTLENS_STORE", str(store))
        app = AppTest.from_file(str(APP), default_timeout=30)
        # As a deep link does it: the address is there before anything is drawn.
        for name, value in address.items():
            app.query_params[name] = value
        app.run()
        for name, value in address.items():
            app.query_params[name] = value
        return app.switch_page(f"views/{page}.py").run()

    return opened
