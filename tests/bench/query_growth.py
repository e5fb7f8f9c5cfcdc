"""Every named query and every page's questions at growing sizes of the store, cold and warm, with growth exponents."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from queries.catalogue import queries
from tests.bench import inputs, reading
from tests.bench.measure import growth_exponent, in_child
from tests.bench.report import Section, at_most, number
from tests.bench.scale import Scale

# What the questions of a page may take together when nothing is cached, by the spans of the store.
COLD_MS = {1_000_000: 300, 10_000_000: 1_000}
RERUN_MS = 100
RUN_PAGE, RUN_PAGE_MS = "run: 10,000 spans", 1_000
# What reads sums made at load and nothing that grows with the runs; from this size on it should take the same time.
# Pages that also list attempts, failures or steps read those tables, and grow with them.
ROLL_UP_QUERIES = ("error_axes", "error_codes", "rule_coverage", "signature_states", "signatures", "unclassified")
ROLL_UP_PAGES = ("overview", "signatures")
FLAT_FROM, FLAT = 100_000, 0.15

Times = dict[str, dict[int, float]]


def read(store: str, times: int) -> dict[str, dict[str, Any]]:
    """What reading this store takes: the queries, then the pages, in milliseconds, or what went wrong."""
    logging.disable(logging.WARNING)
    path = Path(store)
    run, other = reading.runs_of(path)
    return {
        "queries": {name: _query(path, name, run, other, times) for name in queries()},
        "pages": {
            name: _page(path, page, address, times) for name, (page, address) in reading.addresses(run, other).items()
        },
    }


def _query(store: Path, name: str, run: str, other: str, times: int) -> dict[str, Any]:
    try:
        cold, warm = reading.query_time(store, name, reading.needed(name, run, other), times=times)
    except Exception as error:  # noqa: BLE001 - one broken query must not cost the figures of the others
        return {"error": str(error)}
    return {"cold": 1000 * cold.whole, "warm": 1000 * warm.whole}


def _page(store: Path, page: str, address: dict[str, str], times: int) -> dict[str, Any]:
    try:
        cold, warm = reading.page_time(store, page, times=times, **address)
    except Exception as error:  # noqa: BLE001 - one broken page must not cost the figures of the others
        return {"error": str(error)}
    return {"cold": 1000 * cold.seconds, "warm": 1000 * warm.whole, "statements": len(cold.statements)}


def sections(scale: Scale, folder: Path) -> list[Section]:
    """The pages cold, their reruns, and the queries."""
    found = {size: _measured(size, scale.times, folder) for size in scale.sizes}
    return [_pages(found, scale), _reruns(found, scale), _queries(found, scale)]


def _measured(size: int, times: int, folder: Path) -> dict[str, dict[str, Any]]:
    value: dict[str, dict[str, Any]] = in_child(read, store=str(inputs.store(size, folder)), times=times).value
    return value


def _pages(found: dict[int, dict[str, dict[str, Any]]], scale: Scale) -> Section:
    """What a person waits for before a page can be drawn, when nobody opened it before."""
    largest = max(found)
    section = Section(
        "Pages: all questions of a page, cold", (*(f"{size:,} spans" for size in found), "questions", "growth exponent")
    )
    times = _times(found, "pages", "cold")
    for name, by_size in _slowest_first(times, largest):
        asked = found[largest]["pages"][name].get("statements", 0)
        bound = RUN_PAGE_MS if name == RUN_PAGE else COLD_MS.get(largest)
        section.add(
            name, *_milliseconds(by_size, found), f"{asked}", _exponent(by_size),
            verdict=at_most(by_size.get(largest, math.nan), bound, " ms") if bound and scale.judges else None,
        )  # fmt: skip
    section.notes += [*_errors(found, "pages"), *_flat("pages", times, ROLL_UP_PAGES, scale)]
    return section


def _flat(what: str, times: Times, names: tuple[str, ...], scale: Scale) -> Iterator[str]:
    """Whether what reads sums made at load stays as quick as it is; exponents need two sizes."""
    exponents = {
        name: growth_exponent({size: ms for size, ms in times[name].items() if size >= FLAT_FROM})
        for name in names
        if name in times
    }
    shown = ", ".join(f"{name} {number(value, 2)}" for name, value in exponents.items() if not math.isnan(value))
    if shown and scale.judges:
        worst = max(exponents.values())
        yield (
            f"Roll-up {what} from {FLAT_FROM:,} spans on, growth exponent: {shown}; "
            f"target ≤ {FLAT} (flat): {at_most(worst, FLAT).word}."
        )


def _reruns(found: dict[int, dict[str, dict[str, Any]]], scale: Scale) -> Section:
    """A page drawn once more: what every click costs the server."""
    largest = max(found)
    section = Section("Pages: rerun on the server, warm", (*(f"{size:,} spans" for size in found), "growth exponent"))
    for name, by_size in _slowest_first(_times(found, "pages", "warm"), largest):
        section.add(
            name, *_milliseconds(by_size, found), _exponent(by_size),
            verdict=at_most(by_size.get(largest, math.nan), RERUN_MS, " ms") if scale.judges else None,
        )  # fmt: skip
    return section


def _queries(found: dict[int, dict[str, dict[str, Any]]], scale: Scale) -> Section:
    largest = max(found)
    section = Section(
        "Named queries, cold", (*(f"{size:,} spans" for size in found), "growth exponent", f"warm, {largest:,} spans")
    )
    warm, cold = _times(found, "queries", "warm"), _times(found, "queries", "cold")
    for name, by_size in _slowest_first(cold, largest):
        again = number(warm.get(name, {}).get(largest, math.nan), 1, " ms")
        section.add(name, *_milliseconds(by_size, found), _exponent(by_size), again)
    section.notes += [*_errors(found, "queries"), *_flat("queries", cold, ROLL_UP_QUERIES, scale)]
    return section


def _times(found: dict[int, dict[str, dict[str, Any]]], what: str, kind: str) -> Times:
    """By name and size, where it was measured."""
    names = dict.fromkeys(name for at_size in found.values() for name in at_size[what])
    return {
        name: {
            size: at_size[what][name][kind] for size, at_size in found.items() if kind in at_size[what].get(name, {})
        }
        for name in names
    }


def _slowest_first(times: Times, size: int) -> list[tuple[str, dict[int, float]]]:
    return sorted(times.items(), key=lambda item: -item[1].get(size, math.inf))


def _milliseconds(by_size: dict[int, float], found: dict[int, Any]) -> Iterator[str]:
    return (number(by_size.get(size, math.nan), 1, " ms") for size in found)


def _exponent(by_size: dict[int, float]) -> str:
    return number(growth_exponent(by_size), 2)


def _errors(found: dict[int, dict[str, dict[str, Any]]], what: str) -> list[str]:
    """Each failure once, in one line, with all it befell."""
    befell: dict[str, dict[str, None]] = {}
    for at_size in found.values():
        for name, one in at_size[what].items():
            if "error" in one:
                befell.setdefault(one["error"].strip().splitlines()[0][:160], {})[name] = None
    return [f"Not measured: {', '.join(names)} ({error})" for error, names in befell.items()]
