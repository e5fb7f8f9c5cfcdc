"""The most memory that an ingest holds, against the size of the file: in a process of its own, children included."""

from __future__ import annotations

import math
from pathlib import Path

from tests.bench import ingest_speed, inputs
from tests.bench.measure import Measured, growth_exponent, in_child
from tests.bench.report import Section, at_most, number
from tests.bench.scale import Scale

LARGEST_MB = 1_000
# Records of a file of a gigabyte.
A_GIGABYTE = {"native": 2_500_000, "otlp": 1_250_000}


def sections(scale: Scale, folder: Path) -> list[Section]:
    """One table: formats by size; the largest file where the run has one."""
    sizes = [size for size in scale.sizes if size <= inputs.AT_ONCE]
    section = Section("Peak memory of an ingest", (*(f"{size:,} records" for size in sizes), "growth exponent"))
    for name, form in ingest_speed.FORMATS.items():
        found = {size: _loaded(name, size, folder).peak_mb for size in sizes}
        shown = (number(found[size], 0, " MB") for size in sizes)
        section.add(form.title, *shown, number(growth_exponent(found), 2), verdict=None)
    if scale.largest_gb:
        _largest(section, scale, folder)
    section.notes.append("Of the process and all it starts, at their largest together; an interpreter alone has 10 MB.")
    return [section]


def _loaded(name: str, records: int, folder: Path) -> Measured:
    """The ingest of a file of so many records into an empty store."""
    file, store = inputs.lines(name, records, folder), folder / "memory.duckdb"
    try:
        return in_child(ingest_speed.loaded, files=[str(file)], store=str(store))
    finally:
        store.unlink(missing_ok=True)


def _largest(section: Section, scale: Scale, folder: Path) -> None:
    """A file of gigabytes has a row of its own, with the target."""
    for name, form in ingest_speed.FORMATS.items():
        records = math.ceil(scale.largest_gb * A_GIGABYTE[name] / inputs.AT_ONCE) * inputs.AT_ONCE
        measured, size = _loaded(name, records, folder), inputs.lines(name, records, folder).stat().st_size
        section.add(
            f"{form.title}: {size / 1e9:.1f} GB, {records:,} records in {measured.clock_s:,.0f} s",
            number(measured.peak_mb, 0, " MB"),
            verdict=at_most(measured.peak_mb, LARGEST_MB, " MB"),
        )
