"""What little things cost whatever the store holds: one more record, the same record again, a change published."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from ingest.load import ingest
from ingest.registry import adapters
from ingest.store import memory_connection, publication
from tests.bench import inputs
from tests.bench.measure import growth_exponent, in_child, median_ms
from tests.bench.report import Section, number
from tests.bench.scale import Scale

TIMES = 5


def costs(store: str, folder: str) -> dict[str, float]:
    """Milliseconds of each little thing on this store, the median of five; nothing is imported meanwhile."""
    adapters()
    things = _things(Path(store), Path(folder))
    return {name: median_ms(work, TIMES) for name, work in things}


def _things(store: Path, folder: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    more, same = folder / "one.jsonl", folder / "same.jsonl"
    _write(same)
    ingest([str(same)], store)

    def one_more() -> None:
        _write(more)
        ingest([str(more)], store)

    yield "one more record, of a new run", one_more
    yield "the same record again", lambda: ingest([str(same)], store)
    yield "a change published, nothing parsed", lambda: _publish(store)


def _write(file: Path) -> None:
    file.write_text(f'{{"record": "run", "run_id": "one-{time.time_ns()}"}}\n', encoding="utf-8")


def _publish(store: Path) -> None:
    with memory_connection() as con, publication(store, con) as draft:
        con.execute(f"DELETE FROM {draft.alias}.rejections WHERE false").fetchall()


def sections(scale: Scale, folder: Path) -> list[Section]:
    """One table: little things by the size of the store."""
    found = {size: _measured(size, folder) for size in scale.sizes}
    section = Section("Fixed costs", (*(f"into {size:,} spans" for size in found), "growth exponent"))
    for name in next(iter(found.values())):
        by_size = {size: costs_there[name] for size, costs_there in found.items()}
        section.add(name, *(number(ms, 0, " ms") for ms in by_size.values()), number(growth_exponent(by_size), 2))
    return [section]


def _measured(size: int, folder: Path) -> dict[str, float]:
    work = folder / f"small_{size}"
    work.mkdir()
    try:
        store = shutil.copyfile(inputs.store(size, folder), work / "store.duckdb")
        found: dict[str, float] = in_child(costs, store=str(store), folder=str(work)).value
        return found
    finally:
        shutil.rmtree(work)
