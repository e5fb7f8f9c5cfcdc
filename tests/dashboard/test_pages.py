"""Every page stands on an empty store and on a full one; a new page is under test because it is there."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.literal import block, labelled
from dashboard.page import FilePage, pages
from ingest.load import ingest
from ingest.store import memory_connection, open_store
from tests.queries.full_store import HOSTILE

PAGES = [file for files in pages().values() for file in files]
Opened = Callable[..., AppTest]
# All that dashboard/literal.py writes: recorded text adds nothing to it.
OURS = {("dl", "style"), ("div",), ("dt", "style"), ("dd", "style"), ("pre", "style")}


def texts(app: AppTest, kinds: tuple[str, ...] = ("text", "caption", "code", "markdown", "html")) -> str:
    """What the page says, as a person reads it."""
    return "\n".join(_read(kind, str(getattr(element, "value", ""))) for kind in kinds for element in app.get(kind))


def _read(kind: str, value: str) -> str:
    return unescape(re.sub(r"<[^>]*>", "\n", value)) if kind == "html" else value


class _Tags(HTMLParser):
    """Every tag of a text with the names of its attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[tuple[str, ...]] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.add((tag, *(name for name, _ in attrs)))


def markup(app: AppTest) -> set[tuple[str, ...]]:
    """What of the page's own HTML a browser reads as tags; a stylesheet of sizes stands apart from the page."""
    tags = _Tags()
    for element in app.main.get("html"):
        tags.feed(str(getattr(element, "value", "")))
    tags.close()
    return tags.found


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
        assert markup(app) <= OURS

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


@pytest.mark.parametrize("draw", [lambda text: labelled({text: text}, columns=2), block], ids=["labelled", "block"])
def test_recorded_text_in_our_own_html_is_read_as_it_was_written(draw: Callable[[str], None]) -> None:
    # What is named here is evaluated where Callable is not known.
    def page(draw: object, text: str) -> None:
        draw(text)  # type: ignore[operator]

    app = AppTest.from_function(page, args=(draw, f"{HOSTILE}</pre></dd><script>\"'&amp;")).run()
    assert not app.exception
    assert markup(app) <= OURS
    assert f"{HOSTILE}</pre></dd><script>\"'&amp;" in texts(app)


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
