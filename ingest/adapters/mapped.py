"""Any JSON lines or CSV file that no other format knows, by a mapping file or by names that speak for themselves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ingest import mapping
from ingest.adapter import Adapter, Bundle, Item, Rejected, Skipped, Unreadable
from ingest.mapping import BadMapping, MappingFile
from ingest.source import Head, Source
from ingest.vendor import csv_rows
from ingest.vendor.json_values import Unit, glimpses, is_single, units
from ingest.vendor.mapped_records import NoRun, Row, row_records
from ingest.vendor.parsed import parsed
from ingest.vendor.span_runs import SpanRuns


def recognise(head: Head) -> bool:
    """A mapping file beside it is for this file, or the keys of its rows name a run and what happened in it."""
    path = head.source.path
    beside = mapping.beside(path)
    if beside is not None and _is_wanted(beside, path.name):
        return bool(csv_rows.header(head)) or any(glimpses(head))
    return _is_obvious(head)


def _is_wanted(beside: Path, name: str) -> bool:
    """The mapping file names this file; a broken one is believed to, so that its fault is told."""
    try:
        return mapping.load(beside).takes_file(name)
    except BadMapping:
        return name.endswith((".jsonl", ".ndjson", ".csv", ".tsv"))


def _is_obvious(head: Head) -> bool:
    columns = csv_rows.header(head)
    rows: list[dict[str, Any]] = [dict.fromkeys(columns, "")] if columns else list(glimpses(head))
    # A row without its run is refused when it is read; a file of which most are without is another's.
    if 2 * sum(_names_its_run(row) for row in rows) <= len(rows) or any("record" in row for row in rows):
        return False
    fields = mapping.obvious(key for row in rows for key in row).fields.set_ones()
    wanted = {"step", "time"} if columns or is_single(head) else set(fields) - {"run"}
    return bool(wanted) and wanted <= fields.keys()


def _names_its_run(row: dict[str, Any]) -> bool:
    """A scalar under a run's name."""
    values = [row[name] for name in mapping.OBVIOUS["run"] if name in row]
    return bool(values) and isinstance(values[0], str | int)


def read(source: Source) -> Iterator[Item]:
    """Every row by the mapping beside the file, else by its own names."""
    yield from _rows(source, _mapping_of(source))


def _mapping_of(source: Source) -> MappingFile | None:
    beside = mapping.beside(source.path)
    if beside is None or not _is_wanted(beside, source.path.name):
        return None
    try:
        return mapping.load(beside)
    except BadMapping as error:
        raise Unreadable("bad_mapping", str(error)) from None


def _rows(source: Source, chosen: MappingFile | None) -> Iterator[Item]:
    runs = SpanRuns()
    found = csv_rows.rows(source) if csv_rows.header(source.head) else units(source)
    for unit in found:
        if not isinstance(unit, Unit):
            yield unit
        elif not isinstance(unit.value, dict):
            yield Rejected(unit.place, "not_an_object", "a row is an object", unit.raw)
        else:
            yield _row(unit, unit.value, chosen or mapping.obvious(unit.value), source.below, runs)


def _row(unit: Unit, value: dict[str, Any], chosen: MappingFile, below: str, runs: SpanRuns) -> Item:
    if not chosen.takes_row(value):
        return Skipped(unit.place, "not_matched")
    if chosen.origin == "built_in" and chosen.fields.run is None:
        return Rejected(unit.place, "missing_run_id", "the row does not name its run", unit.raw)
    try:
        row = Row(value, chosen, below, unit.place.line)
    except NoRun as fault:
        return Rejected(unit.place, "missing_run_id", str(fault), unit.raw)
    return parsed(unit.place, unit.raw, row_records, row, runs, unit.flags)


def _bundle(path: Path) -> Bundle | None:
    """The mapping file belongs to the file it is for: when the mapping changes, the file is read again."""
    beside = mapping.beside(path)
    if beside is None or path.name == mapping.FILE_NAME or not _is_wanted(beside, path.name):
        return None
    return Bundle(path, (beside,))


def with_mapping(chosen: MappingFile) -> Adapter:
    """The adapter that reads every file by this mapping, for a mapping file that was named."""
    return Adapter(
        name=ADAPTER.name,
        version=ADAPTER.version,
        title=ADAPTER.title,
        recognised_by="the mapping file that was given",
        yields=ADAPTER.yields,
        recognise=lambda head: chosen.takes_file(head.name),
        read=lambda source: _rows(source, chosen),
        fallback=True,
        record_is="row",
    )


ADAPTER = Adapter(
    name="mapped",
    version=1,
    title="Any other JSON lines or CSV file, by a mapping",
    recognised_by=f"`{mapping.FILE_NAME}` beside it, or rows with a run's id and a step, time or text",
    yields=("runs", "spans", "events", "errors"),
    recognise=recognise,
    read=read,
    bundle=_bundle,
    fallback=True,
    record_is="row",
)
