"""What a person waits for in a real browser: a page opened, another page chosen, a filter changed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from urllib.parse import urlencode

from playwright.sync_api import Browser, Page, sync_playwright

from dashboard.page import FilePage, pages
from tests.bench import inputs, served
from tests.bench.reading import addresses, runs_of
from tests.bench.report import Section, at_most, number
from tests.bench.scale import Scale
from tests.browser import FLAGS, program

TIMEOUT_MS = 120_000
RUN_PAGE, RUN_PAGE_MS = "run: 10,000 spans", 1_000
# Opened in every round; the other pages once, because the first chart of a tab takes seconds in software rendering.
OFTEN = ("overview", RUN_PAGE)
# Streamlit may run a page twice in a row: what stays quiet for so long is over.
QUIET_MS = 250
# Notes when the first figure of a page is there, and when the page works and rests.
WATCH = """
(() => {
  const seen = window.bench = {figure: null, states: []};
  const figures = '[data-testid="stMetric"], .js-plotly-plot .main-svg, .flt svg, [data-testid="stDataFrame"] canvas';
  const look = () => {
    if (seen.figure === null && document.querySelector(figures)) seen.figure = performance.now();
    const app = document.querySelector('[data-testid="stApp"]');
    const rests = app && app.getAttribute('data-test-script-state') === 'notRunning'
      && !document.querySelector('[data-testid="stSkeleton"]');
    const last = seen.states.at(-1);
    if (!last || last.rests !== rests) seen.states.push({rests, at: performance.now()});
  };
  new MutationObserver(look).observe(document, {
    subtree: true, childList: true, attributes: true, attributeFilter: ['data-test-script-state'],
  });
})();
"""
# When the page came to rest for good after this moment; false while it has not.
RESTED = """
([since, quiet]) => {
  const states = window.bench.states.filter((state) => state.at >= since);
  const began = states.findIndex((state) => !state.rests);
  if (began < 0) return false;
  for (let place = began + 1; place < states.length; place++) {
    const until = place + 1 < states.length ? states[place + 1].at : performance.now();
    if (states[place].rests && until - states[place].at >= quiet) return states[place].at - since;
  }
  return false;
}
"""
FIRST_PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"


@dataclass(frozen=True, slots=True)
class Opened:
    """Milliseconds from the address to the first paint, the first figure (without any: the end), and the end."""

    paint: float
    figure: float
    rest: float


def sections(scale: Scale, folder: Path) -> list[Section]:
    """Pages by their address, then what is done on a page; nothing where there is no browser."""
    path = program()
    if not path:
        return [Section("Pages in a browser", (), notes=["Skipped: no Chromium found (FAULTLENS_BROWSER)."])]
    size = min(max(scale.sizes), 1_000_000)
    store = inputs.store(size, folder)
    with served.serve(store) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        try:
            return [_by_address(browser, server.url, store, scale, size), _on_a_page(browser, server.url, scale, size)]
        finally:
            browser.close()


def _by_address(browser: Browser, url: str, store: Path, scale: Scale, size: int) -> Section:
    run, other = runs_of(store)
    section = Section(
        f"Pages in a browser, {size:,} spans: opened by address in a new tab",
        ("first paint", "first figure", "all drawn"),
    )
    _row(section, "overview, the first tab of a new server", [_opened(browser, url, {})])
    asked = {
        name: (f"{url}/{_file(page).url_path}", address)
        for name, (page, address) in addresses(run, other).items()
        if scale.judges or name in OFTEN
    }
    found: dict[str, list[Opened]] = {name: [] for name in asked}
    for time in range(scale.times):
        for name, (page_url, address) in asked.items():
            if time == 0 or name in OFTEN:
                found[name].append(_opened(browser, page_url, address))
    for name, times in found.items():
        _row(section, name, times, judged=scale.judges and name == RUN_PAGE)
    return section


def _row(section: Section, name: str, times: list[Opened], *, judged: bool = False) -> None:
    paint, figure, rest = (median(getattr(one, what) for one in times) for what in ("paint", "figure", "rest"))
    verdict = at_most(figure, RUN_PAGE_MS, " ms to the first figure") if judged else None
    section.add(name, *(number(ms, 0, " ms") for ms in (paint, figure, rest)), verdict=verdict)


def _on_a_page(browser: Browser, url: str, scale: Scale, size: int) -> Section:
    """In one tab that has seen every page once, as a person's has."""
    section = Section(f"In a browser, {size:,} spans: what a click takes", ("median", "slowest"))
    with _tab(browser) as tab:
        _open(tab, url)
        links = [file.page.title for group in pages().values() for file in group][: None if scale.judges else 3]
        for link in links:
            _switched(tab, link)
        switches = [_switched(tab, link) for _ in range(scale.times) for link in links]
        _clicks(section, "another page chosen", switches)
        _clicks(section, "a filter changed (overview)", list(_filtered(tab, links[0], 2 * scale.times + 1)))
    return section


def _clicks(section: Section, name: str, times: list[float]) -> None:
    section.add(name, number(median(times), 0, " ms"), number(max(times), 0, " ms"))


def _filtered(tab: Page, first_page: str, times: int) -> Iterator[float]:
    """The workload filter set to one value after the other."""
    _switched(tab, first_page)
    for choice in range(times):
        tab.get_by_test_id("stSelectbox").filter(has_text="Workload").get_by_role("combobox").click()
        option = tab.get_by_role("option").nth(choice)
        option.wait_for()
        since = _now(tab)
        option.click()
        yield _rested(tab, since)


def _switched(tab: Page, title: str) -> float:
    link = tab.get_by_test_id("stSidebarNavLink").filter(has_text=title).first
    since = _now(tab)
    link.click()
    return _rested(tab, since)


def _opened(browser: Browser, url: str, address: dict[str, str]) -> Opened:
    with _tab(browser) as tab:
        rest = _open(tab, f"{url}?{urlencode(address)}")
        figure = tab.evaluate("window.bench.figure") or rest
        # A chart is drawn by the browser after the server has finished the page.
        return Opened(tab.evaluate(FIRST_PAINT), figure, max(rest, figure))


def _open(tab: Page, url: str) -> float:
    tab.goto(url, timeout=TIMEOUT_MS)
    return _rested(tab, 0)


@contextmanager
def _tab(browser: Browser) -> Iterator[Page]:
    """A tab of a person who was never here: nothing is in its cache."""
    context = browser.new_context(viewport={"width": 1440, "height": 1000})
    context.add_init_script(WATCH)
    try:
        page = context.new_page()
        page.set_default_timeout(TIMEOUT_MS)
        yield page
    finally:
        context.close()


def _now(tab: Page) -> float:
    return float(tab.evaluate("performance.now()"))


def _rested(tab: Page, since: float) -> float:
    """Milliseconds until the page rested."""
    found = tab.wait_for_function(RESTED, arg=[since, QUIET_MS], timeout=TIMEOUT_MS, polling=50)
    return float(found.json_value())


def _file(page: str) -> FilePage:
    return next(file for group in pages().values() for file in group if file.path.stem == page)
