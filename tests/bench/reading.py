"""`python -m tests.bench.reading STORE...`: how long every named query and every page reads, cold and warm, per store.

Cold: the store opened anew, nothing cached, files in the memory of the system. A page's time is that of its queries;
`whole` is the rerun with everything Streamlit does besides, without a browser.
"""

from __future__ import annotations

import argparse
import logging
import os
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

import streamlit as st
from streamlit.testing.v1 import AppTest

from dashboard.page import FilePage, pages
from dashboard.reading import ANSWERS
from ingest.store import hub, open_store
from ingest.store.attach import Lease
from queries.catalogue import queries

APP = Path(__file__).parents[2] / "dashboard" / "app.py"


@dataclass
class Asked:
    """What was read while a page was drawn: the statements, and the time of everything."""

    statements: list[Statement] = field(default_factory=list)
    whole: float = 0

    @property
    def seconds(self) -> float:
        return sum(statement.seconds for statement in self.statements)

    @property
    def processor_seconds(self) -> float:
        return sum(statement.processor_seconds for statement in self.statements)


@dataclass(frozen=True)
class Statement:
    """One statement: its beginning and parameters, its seconds by the clock and of the processor, and its rows."""

    told: str
    seconds: float
    processor_seconds: float
    rows: int


@contextmanager
def watched() -> Iterator[Asked]:
    """Every statement of every lease is timed."""
    asked, rows = Asked(), Lease.rows

    def timed(lease: Lease, sql: str, params: Any = None) -> list[dict[str, Any]]:
        began, worked = time.perf_counter(), time.process_time()
        found = rows(lease, sql, params)
        took = time.perf_counter() - began, time.process_time() - worked
        asked.statements.append(Statement(_told(sql, params), *took, len(found)))
        return found

    with mock.patch.object(Lease, "rows", timed):
        began = time.perf_counter()
        yield asked
        asked.whole = time.perf_counter() - began


def _told(sql: str, params: Any) -> str:
    """The beginning of a statement with its parameters: enough to know which it is."""
    head = sql.strip().splitlines()[0][:70]
    given = {name: value for name, value in (params or {}).items() if value is not None} if params else {}
    return f"{head} {given}"


def forget() -> None:
    """Nothing is attached and nothing is cached: the next reading is the first of a new process."""
    ANSWERS.clear()
    st.cache_resource.clear()
    hub._hub_of.cache_clear()


def page_time(store: Path, page: str, *, times: int = 3, **address: str) -> tuple[Asked, Asked]:
    """A page opened cold and drawn again: the best of so many, since others share the machine."""
    cold, warm = [], []
    for _ in range(times):
        forget()
        os.environ["FAULTLENS_STORE"] = str(store)
        app = AppTest.from_file(str(APP), default_timeout=600)
        for name, value in address.items():
            app.query_params[name] = value
        # Before the first run, so that only this page is drawn; the first page is the address itself.
        if not _file_of(page).is_first:
            app.switch_page(f"views/{page}.py")
        with watched() as asked:
            app.run()
        if app.exception:
            raise RuntimeError(f"{page}: {app.exception}")
        cold.append(asked)
        with watched() as asked:
            app.run()
        warm.append(asked)
    return min(cold, key=lambda asked: asked.seconds), min(warm, key=lambda asked: asked.whole)


def _file_of(page: str) -> FilePage:
    return next(file for group in pages().values() for file in group if file.path.stem == page)


def query_time(store: Path, name: str, values: dict[str, str], *, times: int = 3) -> tuple[Asked, Asked]:
    """A named query over a store opened anew, and once more; the best of so many."""
    query = queries()[name]
    cold: list[Asked] = []
    warm: list[Asked] = []
    for _ in range(times):
        forget()
        with closing(open_store(store)) as opened, opened.lease() as lease:
            for into in (cold, warm):
                with watched() as asked:
                    query.ask(lease, values)
                into.append(asked)
    return min(cold, key=lambda asked: asked.seconds), min(warm, key=lambda asked: asked.seconds)


def needed(name: str, run: str, other: str) -> dict[str, str]:
    """A value for every parameter that a query cannot do without."""
    known = {"run": run, "run_a": run, "run_b": other, "event": "e3", "step": "3", "rule": "retry-class", "parent": ""}
    parameters = queries()[name].parameters
    return {key: known.get(key, "x") for key, value in parameters.items() if value.default is value.empty}


def runs_of(store: Path) -> tuple[str, str]:
    """The longest run and another one that failed; a small store may have one run only."""
    with closing(open_store(store)) as opened, opened.lease() as lease:
        rows = lease.rows("SELECT run_id FROM runs ORDER BY spans DESC, run_id LIMIT 1")
        other = lease.rows("SELECT run_id FROM runs ORDER BY status = 'failed' DESC, spans, run_id LIMIT 1")
    return rows[0]["run_id"], other[0]["run_id"]


def addresses(run: str, other: str) -> dict[str, tuple[str, dict[str, str]]]:
    """Every page as it opens, and those about a run with the longest one."""
    plain: dict[str, tuple[str, dict[str, str]]] = {
        file.path.stem: (file.path.stem, {}) for group in pages().values() for file in group
    }
    about = {
        "run: 10,000 spans": ("run", {"run": run}),
        "run: ordinary": ("run", {"run": other}),
        "walkthrough: ordinary": ("walkthrough", {"run": other}),
        "walkthrough: 10,000 spans": ("walkthrough", {"run": run}),
        "context_diff: a run": ("context_diff", {"run": other}),
        "origins: a run": ("origins", {"run": other}),
        "compare: two runs": ("compare", {"run_a": run, "run_b": other}),
    }
    return plain | about


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.reading", description=__doc__)
    parser.add_argument("stores", type=Path, nargs="+")
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--only", default="", help="names that contain this")
    parser.add_argument("--queries", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--pages", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--statements", type=float, default=1e9, help="list statements over so many ms")
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    for store in options.stores:
        run, other = runs_of(store)
        print(f"\n{store.name}, {store.stat().st_size / 1e6:,.0f} MB")
        if options.queries:
            _query_table(store, options, run, other)
        if options.pages:
            _page_table(store, options, run, other)


def _query_table(store: Path, options: argparse.Namespace, run: str, other: str) -> None:
    print(f"{'query':<34}{'cold ms':>9}{'cpu ms':>9}{'warm ms':>9}{'cpu ms':>9}{'rows':>9}")
    found = {
        name: query_time(store, name, needed(name, run, other), times=options.times)
        for name in queries()
        if options.only in name
    }
    for name, (cold, warm) in sorted(found.items(), key=lambda item: -item[1][0].processor_seconds):
        times = (cold.seconds, cold.processor_seconds, warm.seconds, warm.processor_seconds)
        told = "".join(f"{1000 * each:>9.1f}" for each in times)
        print(f"{name:<34}{told}{cold.statements[0].rows:>9,}")


def _page_table(store: Path, options: argparse.Namespace, run: str, other: str) -> None:
    head = f"{'page':<27}{'cold ms':>9}{'cpu ms':>8}{'asked':>7}{'rows':>9}"
    print(head + f"{'whole ms':>10}{'rerun ms':>10}{'asked ms':>10}")
    for name, (page, address) in addresses(run, other).items():
        if options.only in name:
            cold, warm = page_time(store, page, times=options.times, **address)
            _page_row(name, cold, warm)
            _statements(cold, options.statements)


def _page_row(name: str, cold: Asked, warm: Asked) -> None:
    rows = sum(statement.rows for statement in cold.statements)
    times = (cold.seconds, cold.processor_seconds, cold.whole, warm.whole, warm.seconds)
    seconds, worked, whole, again, asked = (1000 * each for each in times)
    print(
        f"{name:<27}{seconds:>9.0f}{worked:>8.0f}{len(cold.statements):>7}{rows:>9,}{whole:>10.0f}{again:>10.0f}"
        f"{asked:>10.0f}", flush=True
    )  # fmt: skip


def _statements(asked: Asked, over_ms: float) -> None:
    for one in sorted(asked.statements, key=lambda one: -one.seconds):
        if 1000 * one.seconds >= over_ms:
            worked = 1000 * one.processor_seconds
            print(f"    {1000 * one.seconds:>8.1f} ms {worked:>8.1f} cpu {one.rows:>7,} rows  {one.told[:150]}")


if __name__ == "__main__":
    main()
