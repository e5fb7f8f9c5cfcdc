"""The timeline of a run as a person uses it: the mouse, the keyboard, a narrow screen."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from ingest.load import ingest
from tests.dashboard.test_reviews_in_browser import Served, served_from
from tests.queries.full_store import HOSTILE

pytestmark = pytest.mark.browser

RUN = "/run?run=faultlens:drawn"
FITS = "document.querySelector('.flt svg').viewBox.baseVal.width === document.querySelector('.flt').clientWidth"
STEPS = ("plan", "plan / search", HOSTILE)


def _records() -> Iterator[dict[str, Any]]:
    yield {"record": "run", "run_id": "drawn", "status": "failed", "started_at": "2026-11-30T12:00:00Z"}
    for number, name in enumerate(STEPS):
        yield {
            "record": "span", "run_id": "drawn", "span_id": f"s{number}", "seq": 2 * number, "kind": "tool",
            "name": name, "step_index": number, "status": "error" if number == 2 else "ok",
            "started_at": f"2026-11-30T12:00:{10 * number:02}Z", "ended_at": f"2026-11-30T12:00:{10 * number + 10:02}Z",
        }  # fmt: skip
    yield {
        "record": "error_event", "run_id": "drawn", "event_id": "e1", "span_id": "s2", "seq": 5, "type": "broken",
        "occurred_at": "2026-11-30T12:00:29Z",
    }  # fmt: skip
    # Observed at the right edge, where the words for it have no room on their usual side.
    yield {
        "record": "span", "run_id": "drawn", "span_id": "s3", "seq": 6, "kind": "tool", "name": "check", "status": "ok",
        "step_index": 3, "started_at": "2026-11-30T12:00:30Z", "ended_at": "2026-11-30T12:00:30Z",
    }  # fmt: skip
    yield {
        "record": "diagnosis", "run_id": "drawn", "event_id": "d1", "seq": 7, "error_event_id": "e1",
        "observed_at": "VERIFY / step 3", "originated_at": "PLAN / step 0",
    }  # fmt: skip


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("drawn")
    (folder / "drawn.jsonl").write_text("".join(json.dumps(record) + "\n" for record in _records()), encoding="utf-8")
    ingest([str(folder / "drawn.jsonl")], folder / "store.duckdb")
    yield from served_from(folder / "store.duckdb")


@pytest.fixture
def tab(browser: Browser, served: Served) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1440, "height": 1400})
    page = context.new_page()
    page.set_default_timeout(30_000)
    expect.set_options(timeout=30_000)
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(served.url + RUN)
    expect(page.locator(".flt svg").first).to_be_visible()
    yield page
    context.close()
    assert complaints == []


def item(tab: Page, text: str) -> Locator:
    """The bar or mark whose words begin so."""
    return tab.locator(f".flt .item[aria-label^='{text}']")


def ticks(tab: Page) -> list[str]:
    return tab.locator(".flt .tick").all_text_contents()


def test_a_step_and_a_mark_open_their_stored_record(tab: Page) -> None:
    item(tab, "broken").click()
    expect(tab.get_by_role("dialog").get_by_text("e1", exact=True)).to_be_visible()
    expect(tab).to_have_url(re.compile("event=e1"))
    tab.get_by_role("dialog").get_by_label("Close").click()
    expect(tab.get_by_role("dialog")).to_have_count(0)
    item(tab, "plan\\a ").click()
    expect(tab.get_by_role("dialog").get_by_text("s0", exact=True)).to_be_visible()


def test_the_keyboard_goes_from_step_to_step_and_opens_one(tab: Page) -> None:
    item(tab, "plan\\a ").focus()
    expect(tab.locator(".flt .tip")).to_have_text("plan\n✓ ok\n10 seconds", use_inner_text=True)
    tab.keyboard.press("ArrowDown")
    expect(tab.locator(".flt .tip")).to_contain_text("plan / search")
    tab.keyboard.press("Enter")
    expect(tab.get_by_role("dialog").get_by_text("s1", exact=True)).to_be_visible()


def test_dragged_across_it_shows_that_part_and_whole_again(tab: Page) -> None:
    whole = ticks(tab)
    box = tab.locator(".flt svg").first.bounding_box()
    assert box
    y = box["y"] + 20
    tab.mouse.move(box["x"] + box["width"] * 0.5, y)
    tab.mouse.down()
    tab.mouse.move(box["x"] + box["width"] * 0.6, y, steps=5)
    tab.mouse.up()
    expect(tab.get_by_role("button", name="Show it whole")).to_be_visible()
    assert ticks(tab) != whole
    expect(tab.get_by_role("dialog")).to_have_count(0)
    tab.get_by_role("button", name="Show it whole").click()
    assert ticks(tab) == whole


def test_what_the_legend_hides_comes_back(tab: Page) -> None:
    shown = tab.locator(".flt .item").count()
    legend = tab.locator(".flt .legend").get_by_role("button", name="✓ ok")
    legend.click()
    expect(tab.locator(".flt .item")).to_have_count(shown - 3)
    legend.click()
    expect(tab.locator(".flt .item")).to_have_count(shown)


def test_recorded_markup_is_text_in_the_chart_too(tab: Page) -> None:
    expect(tab.locator(".flt svg text title").filter(has_text="<img src=x")).to_have_count(1)
    assert tab.locator(".flt img, .flt b, .flt a").count() == 0


@pytest.mark.parametrize("width", [420, 1440])
def test_nothing_of_it_stands_outside_the_screen(tab: Page, width: int) -> None:
    tab.set_viewport_size({"width": width, "height": 1400})
    chart = tab.locator(".flt")
    tab.wait_for_function(FITS)
    expect(chart.get_by_text("◉ observed", exact=True)).to_be_visible()
    box = chart.bounding_box()
    assert box
    for part in tab.locator(".flt .item .shape, .flt text").all():
        inside = part.bounding_box()
        assert inside
        assert box["x"] - 2 <= inside["x"]
        assert inside["x"] + inside["width"] <= box["x"] + box["width"] + 2
