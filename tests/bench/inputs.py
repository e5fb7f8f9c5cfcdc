"""What the parts of a run measure on: files and stores, seeded, each made once a run and left for the next part."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.bench import big_store, copies, data, otlp_data

# Files of up to so many records are made record by record; larger ones are copies of such a file.
AT_ONCE = 1_000_000
_MAKE: dict[str, tuple[Callable[[Path, int], int], copies.Mark]] = {
    "native": (
        lambda path, records: data.write(path, events=records, runs=max(1, records // 50)),
        copies.native,
    ),
    "otlp": (
        lambda path, records: otlp_data.write(path, spans=records),
        copies.otlp,
    ),
}


def lines(form: str, records: int, folder: Path) -> Path:
    """A file of the format with so many records."""
    path = folder / f"{form}-{records}.jsonl"
    if path.exists():
        return path
    make, mark = _MAKE[form]
    if records <= AT_ONCE:
        make(path, records)
    else:
        copies.write(path, lines(form, AT_ONCE, folder), records // AT_ONCE, mark)
    return path


def store(spans: int, folder: Path) -> Path:
    """A store of so many spans; whoever changes it copies it first."""
    path = folder / f"store-{spans}.duckdb"
    return path if path.exists() else big_store.build(path, spans=spans)
