"""Ingest against DuckDB's plain typed read of the same file, clean and with bad lines, and the same file again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ingest.load import ingest
from ingest.registry import adapters
from tests.bench import damage, inputs, plain_read, transcripts
from tests.bench.measure import Measured, in_child, interleaved, middle, peak, ratio
from tests.bench.report import ABSENT, Section, Verdict, at_least, at_most, number, share
from tests.bench.scale import Scale

PLAIN, INGEST, AGAIN = "DuckDB, plain read", "faultlens ingest", "the same again"
TEN, PERCENT = "ten bad lines", "1 % bad lines"
TIMES_THE_CLEAN_FILE = {AGAIN: 0.05, TEN: 1.2, PERCENT: 2.5}
COLUMNS = ("seconds", "processor s", "records/s", "MB/s", "of plain read", "× clean", "peak MB")


@dataclass(frozen=True, slots=True)
class _Speed:
    """A kind of ingest in figures, and against the plain read and the clean file of the same rounds."""

    records_per_s: float
    mb_per_s: float
    of_plain: float
    of_clean: float

    @classmethod
    def of(cls, found: dict[str, list[Measured]], kind: str, records: int, megabytes: float) -> _Speed:
        clock_s = middle(found[kind]).clock_s
        of_plain, of_clean = ratio(found[PLAIN], found[kind]), ratio(found[kind], found[INGEST])
        return cls(records / clock_s, megabytes / clock_s, of_plain, of_clean)


Target = Callable[[_Speed], Verdict]


@dataclass(frozen=True, slots=True)
class Format:
    """A format that comes in gigabytes: how it is plainly read, and what its ingest should reach."""

    title: str
    plain: Callable[..., None]
    target: Target


FORMATS = {
    "native": Format(
        "native lines", plain_read.native, lambda speed: at_least(speed.records_per_s, 300_000, " records/s")
    ),
    "otlp": Format("OTLP JSON lines", plain_read.otlp, lambda speed: at_least(100 * speed.of_plain, 60, " % of plain")),
}


def loaded(files: list[str], store: str) -> dict[str, Any]:
    """The files are in the store; the totals of the report."""
    adapters()
    return ingest(files, store).as_json()["totals"]  # type: ignore[no-any-return]


def sections(scale: Scale, folder: Path) -> list[Section]:
    """One table for each format."""
    return [*(_of_format(form, name, scale, folder) for name, form in FORMATS.items()), _transcripts(scale, folder)]


@dataclass(slots=True)
class _Files:
    """The clean file of a format and its spoilt copies."""

    clean: Path
    records: int
    ten: Path
    one_percent: Path
    spoilt: dict[str, int]


def _files(name: str, scale: Scale, folder: Path) -> _Files:
    clean = inputs.lines(name, scale.events, folder)
    lines = damage.line_count(clean)
    ten, percent = clean.with_suffix(".ten.jsonl"), clean.with_suffix(".percent.jsonl")
    spoilt = {
        TEN: damage.spoil(clean, ten, lines=lines, bad=10),
        PERCENT: damage.spoil(clean, percent, lines=lines, bad=lines // 100),
    }
    return _Files(clean, scale.events, ten, percent, spoilt)


def _of_format(form: Format, name: str, scale: Scale, folder: Path) -> Section:
    files = _files(name, scale, folder)
    store = folder / f"{name}.duckdb"
    found = interleaved(
        {
            PLAIN: lambda: _plain(form, files.clean, folder),
            INGEST: lambda: _ingested(files.clean, store, anew=True),
            AGAIN: lambda: _ingested(files.clean, store),
            TEN: lambda: _ingested(files.ten, store, anew=True),
            PERCENT: lambda: _ingested(files.one_percent, store, anew=True),
        },
        scale.rounds,
    )
    title = f"Ingest of {form.title}: {files.records:,} records, {_mb(files.clean):,.0f} MB"
    section = _table(title, found, records=files.records, megabytes=_mb(files.clean), scale=scale, target=form.target)
    section.notes += [*_miscounted(found, files.spoilt), f"The store with 1 % bad lines has {_mb(store):,.0f} MB."]
    _remove(files.ten, files.one_percent, store)
    return section


def _table(
    title: str, found: dict[str, list[Measured]], *, records: int, megabytes: float, scale: Scale, target: Target
) -> Section:
    section = Section(title, COLUMNS)
    for kind, measured in found.items():
        one, speed = middle(measured), _Speed.of(found, kind, records, megabytes)
        section.add(
            kind, number(one.clock_s, 2), number(one.cpu_s, 2), number(speed.records_per_s),
            number(speed.mb_per_s, 1), share(speed.of_plain), ABSENT if kind == PLAIN else number(speed.of_clean, 2),
            number(peak(measured)), verdict=_verdict(kind, speed, target) if scale.judges else None,
        )  # fmt: skip
    return section


def _verdict(kind: str, speed: _Speed, target: Target) -> Verdict | None:
    if kind == INGEST:
        return target(speed)
    return at_most(speed.of_clean, TIMES_THE_CLEAN_FILE[kind], " × clean") if kind in TIMES_THE_CLEAN_FILE else None


def _miscounted(found: dict[str, list[Measured]], spoilt: dict[str, int]) -> list[str]:
    """A figure for lines that were not refused would be worth nothing."""
    rejected = {kind: found[kind][0].value["rejected"] for kind in spoilt}
    return [f"{kind}: {rejected[kind]:,} refused of {bad:,}" for kind, bad in spoilt.items() if rejected[kind] != bad]


def _transcripts(scale: Scale, folder: Path) -> Section:
    """Transcripts of Claude Code and Codex, which take the record path; a plain read can only keep lines as text."""
    sessions, store = folder / "transcripts", folder / "transcripts.duckdb"
    size = transcripts.write(sessions, megabytes=scale.transcripts_mb) / 1e6
    lines = str(sessions / "*" / "*.jsonl")
    found = interleaved(
        {
            PLAIN: lambda: in_child(plain_read.objects, file=lines, folder=str(folder)),
            INGEST: lambda: _ingested(sessions, store, anew=True),
            AGAIN: lambda: _ingested(sessions, store),
        },
        scale.rounds,
    )
    records = found[INGEST][0].value["records"]
    title = f"Ingest of session transcripts, on the record path: {records:,} rows, {size:,.0f} MB"
    return _table(
        title, found, records=records, megabytes=size, scale=scale,
        target=lambda speed: at_least(speed.mb_per_s, 30, " MB/s"),
    )  # fmt: skip


def _ingested(file: Path, store: Path, *, anew: bool = False) -> Measured:
    if anew:
        _remove(store)
    return in_child(loaded, files=[str(file)], store=str(store))


def _plain(form: Format, file: Path, folder: Path) -> Measured:
    measured = in_child(form.plain, file=str(file), folder=str(folder))
    for left in folder.glob("plain-*/plain.duckdb"):
        left.unlink()
    return measured


def _mb(path: Path) -> float:
    return path.stat().st_size / 1e6 if path.exists() else 0.0


def _remove(*paths: Path) -> None:
    for path in paths:
        path.unlink(missing_ok=True)
