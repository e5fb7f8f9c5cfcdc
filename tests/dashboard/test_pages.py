"""Every page stands on an empty store and on a full one; a new page is under test because it is there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.page import FilePage, pages
from ingest.load import ingest
from ingest.store import memory_connection, open_store
from tests.queries.full_store import HOSTILE

PAGES = [file for files in pages().values() for file in files]
Opened = Callable[..., AppTest]


def texts(app: AppTest) -> str:
    return "\n".join(
        str(getattr(element, "value", ""))
        for kind in ("text", "caption", "code", "markdown")
        for element in app.get(kind)
    )


@pytest.mark.parametrize("file", PAGES, ids=lambda file: file.path.stem)
class TestEveryPage:
    def test_stands_on_an_empty_store_and_says_what_to_do_next(
        self, file: FilePage, dashboard: Opened, empty_store: Path
    ) -> None:
        app = dashboard(empty_store, file.path.stem)
        assert not app.exception
        assert [title.value for title in app.title] == [file.page.title]
        assert "faultlens ingest" in texts(app)

    def test_stands_without_a_store(self, file: FilePage, dashboard: Opened, tmp_path: Path) -> None:
        app = dashboard(tmp_path / "nothing.duckdb", file.path.stem)
        assert not app.exception
        assert "no store yet" in texts(app)

    def test_stands_on_a_full_store(self, file: FilePage, dashboard: Opened, full_store: Path) -> None:
        app = dashboard(full_store, file.path.stem, run="demo:run-0001")
        assert not app.exception
        assert not app.error

    def test_never_reads_recorded_text_as_markup(self, file: FilePage, dashboard: Opened, full_store: Path) -> None:
        app = dashboard(full_store, file.path.stem, run="demo:run-0018")
        assert not [element for element in app.markdown if HOSTILE[:12] in element.value]
        assert not list(app.main.get("html"))  # a stylesheet of sizes is no text: it stands apart from the page

    def test_says_a_filter_value_that_no_run_has(self, file: FilePage, dashboard: Opened, full_store: Path) -> None:
        app = dashboard(full_store, file.path.stem, workload="no-such-workload", since="yesterday")
        assert not app.exception
        assert "no-such-workload" in texts(app)
        assert "yesterday" in texts(app)
        assert app.selectbox(key="workload").value == "no-such-workload"

    def test_says_that_the_store_cannot_be_used(self, file: FilePage, dashboard: Opened, tmp_path: Path) -> None:
        (tmp_path / "broken.duckdb").write_bytes(b"this is no database")
        app = dashboard(tmp_path / "broken.duckdb", file.path.stem)
        assert not app.exception
        assert "damaged or not a DuckDB file" in texts(app)


def test_every_page_has_a_group_and_an_icon_of_its_own() -> None:
    assert len({file.page.icon for file in PAGES}) == len(PAGES)
    assert all(file.page.group and file.page.help for file in PAGES)


def test_the_ingest_page_says_how_many_runs_older_rules_judged(dashboard: Opened, tmp_path: Path) -> None:
    store = tmp_path / "s.duckdb"
    (tmp_path / "a.jsonl").write_text("".join(f'{{"record": "run", "run_id": "r{n}"}}\n' for n in range(3)))
    ingest([str(tmp_path / "a.jsonl")], store)
    assert "older rules" not in texts(dashboard(store, "ingest"))
    with memory_connection() as con, open_store(store) as opened, opened.publication(con) as draft:
        draft.cursor().execute("UPDATE runs SET derived_by = 'older' WHERE native_id <> 'r1'").fetchall()
    said = texts(dashboard(store, "ingest"))
    assert "2 runs judged by older rules" in said
