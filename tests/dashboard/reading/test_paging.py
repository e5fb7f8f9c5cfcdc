"""Long lists: a page of them is all that is sent, its number is in the address, and the rest is counted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
import pytest
from playwright.sync_api import Browser, Page, expect
from streamlit.testing.v1 import AppTest

from dashboard.page import FilePage, pages
from ingest.store import open_store
from queries.failures.signatures import signatures
from queries.retries.retry_audit import retry_audit
from tests.bench.big_store import build
from tests.dashboard.reading.test_slow_query import served, session
from tests.dashboard.test_pages import texts
from tests.queries.full_store import write

Opened = Callable[..., AppTest]
PAGES = [file for files in pages().values() for file in files]
MOST_ROWS = 200


@pytest.fixture(scope="module")
def many_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("many") / "store.duckdb", spans=60_000)


def frame(app: AppTest, column: str) -> pd.DataFrame:
    return next(element.value for element in app.dataframe if column in element.value.columns)


@pytest.mark.parametrize("file", PAGES, ids=lambda file: file.path.stem)
def test_no_page_sends_all_rows_of_a_large_store(dashboard: Opened, many_runs: Path, file: FilePage) -> None:
    app = dashboard(many_runs, file.path.stem)
    assert not app.exception
    assert max([len(element.value) for element in app.dataframe], default=0) <= MOST_ROWS
    offered = [len(element.options) for element in app.selectbox]
    assert max(offered, default=0) <= MOST_ROWS


def test_the_address_opens_any_page_of_a_list(dashboard: Opened, many_runs: Path) -> None:
    with open_store(many_runs).lease() as lease:
        every = [row.signature for row in signatures(lease, limit=100_000)]
    second = dashboard(many_runs, "signatures", signatures_page="2")
    assert list(frame(second, "Collapsed")["Signature"]) == every[50:100]
    assert f"Rows 51 to 100 of {len(every):,} signatures; {len(every) - 100:,} more after these." in texts(second)
    last = (len(every) - 1) // 50 + 1
    end = dashboard(many_runs, "signatures", signatures_page=str(last))
    assert list(frame(end, "Collapsed")["Signature"]) == every[50 * (last - 1) :]
    assert "; 0 more after these." in texts(end)


def test_a_list_of_one_page_says_that_it_is_all(dashboard: Opened, many_runs: Path, tmp_path: Path) -> None:
    write(tmp_path / "store.duckdb")
    several = dashboard(tmp_path / "store.duckdb", "ingest")
    files = len(frame(several, "Accounted"))
    assert 1 < files < 50
    assert f"All {files} files." in texts(several)
    one = dashboard(many_runs, "ingest")
    assert len(frame(one, "Accounted")) == 1
    assert re.search("^1 file.$", texts(one), re.MULTILINE)


@pytest.mark.parametrize(
    "asked",
    ["0", "9999", "two", "-1", "9" * 20, "9" * 5_000],
    ids=["0", "9999", "two", "-1", "20 digits", "5,000 digits"],
)
def test_a_page_that_the_list_does_not_have_is_said(dashboard: Opened, many_runs: Path, asked: str) -> None:
    app = dashboard(many_runs, "signatures", signatures_page=asked)
    assert not app.exception
    assert "The list has no page of this number, its first is shown" in texts(app)
    assert "Rows 1 to 50 of" in texts(app)


def test_a_list_is_filtered_over_all_its_rows(dashboard: Opened, many_runs: Path) -> None:
    with open_store(many_runs).lease() as lease:
        every = retry_audit(lease, limit=100_000)
    wrong = [row for row in every if row.verdict == "wrong class"]
    app = dashboard(many_runs, "retries", verdict="■ wrong class")
    assert 50 < len(wrong) < len(every)
    assert f"Rows 1 to 50 of {len(wrong):,} retries" in texts(app)
    assert set(frame(app, "Budget of the run")["Verdict"]) == {"■ wrong class"}


def test_a_run_is_found_without_loading_all(dashboard: Opened, many_runs: Path) -> None:
    app = dashboard(many_runs, "compare", pick="case 17")
    assert "case 17" in set(frame(app, "Run id")["Run"])
    assert re.search(r"Rows 1 to \d+ of \d+ runs", texts(app))
    assert "No run matches." in texts(dashboard(many_runs, "run", pick="nobody is called so"))


@pytest.fixture(scope="module")
def server(many_runs: Path) -> Iterator[str]:
    with served(many_runs, "60") as url:
        yield url


@pytest.fixture
def tab(browser: Browser) -> Iterator[Page]:
    with session(browser) as page:
        yield page


@pytest.mark.browser
def test_another_page_goes_into_the_address_and_another_question_begins_at_the_first(tab: Page, server: str) -> None:
    tab.goto(f"{server}/runs?page=3")
    expect(tab.get_by_text(re.compile(r"^Rows 51 to 75 of [\d,]+ runs"))).to_be_visible()
    tab.get_by_test_id("stPagination").get_by_role("button", name=re.compile(r"\b4$")).click()
    expect(tab.get_by_text(re.compile(r"^Rows 76 to 100 of"))).to_be_visible()
    expect(tab).to_have_url(re.compile(r"page=4"))
    tab.get_by_placeholder("Name, id, workload, outcome, reason").fill("failed")
    expect(tab.get_by_text(re.compile(r"^Rows 1 to \d+ of"))).to_be_visible()
    expect(tab).to_have_url(re.compile(r"/runs\?search=failed$"))
    expect(tab.get_by_text("The list has no page of this number")).to_have_count(0)
