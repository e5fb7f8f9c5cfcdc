"""What holds for every format of lines and blocks: damage never raises, growth adds only what is new."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path
from typing import Any

from ingest import registry
from ingest.adapter import Adapter, Item, Parsed, Rejected, Skipped, items_of
from ingest.source import Source
from tests.ingest.loaded import Loaded, content, loaded

__all__ = ["content", "loaded"]

SAMPLES = Path(__file__).resolve().parents[3] / "sample_traces"
RECORD_TABLES = (
    "spans", "events", "error_events", "recovery_events", "guardrail_events", "diagnoses", "context_ops", "waits",
    "handoffs", "reported_metrics",
)  # fmt: skip
EVERY = 97


def expected(folder: str) -> list[dict[str, str]]:
    with (SAMPLES / folder / "EXPECTED.tsv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def samples(folder: str) -> list[Path]:
    beside = {"EXPECTED.tsv", "PROVENANCE.md"}
    return sorted(path for path in (SAMPLES / folder).iterdir() if path.name not in beside)


def named_adapter(name: str) -> Adapter:
    return registry.named(name)


def folder(path: Path) -> Path:
    path.mkdir(parents=True)
    return path


def source_of(path: Path) -> Source:
    return Source(path, str(path), path.name)


def items(name: str, path: Path) -> list[Item]:
    """What the named adapter makes of a file, whatever recognition says."""
    return list(items_of(registry.named(name), source_of(path)))


def records(name: str, path: Path, kind: type[Any]) -> list[Any]:
    parsed = [item for item in items(name, path) if isinstance(item, Parsed)]
    return [record for item in parsed for record in item.records if isinstance(record, kind)]


def written(folder: Path, data: str | bytes, name: str = "file.jsonl") -> Path:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def rejected(found: list[Item]) -> list[str]:
    return [item.reason for item in found if isinstance(item, Rejected)]


def skipped(found: list[Item]) -> list[str]:
    return [item.reason for item in found if isinstance(item, Skipped) for _ in range(item.count)]


def counted(result: Loaded) -> dict[str, Any]:
    """The figures that the expectations name."""
    totals = result.report.totals
    tables = {table: result.one(f"SELECT count(*) AS n FROM {table}")["n"] for table in RECORD_TABLES}
    flags = [result.one(f"SELECT count(flags) AS n FROM {table}")["n"] for table in RECORD_TABLES]
    turns = result.one(
        "SELECT count(*) AS turns, coalesce(sum(input_tokens), 0) AS input_tokens,"
        " coalesce(sum(output_tokens), 0) AS output_tokens FROM spans WHERE kind = 'llm'"
    )
    run = result.rows("SELECT status, workload, name FROM runs ORDER BY length(native_id), run_id")[0]
    return {
        "runs": totals.runs, "records": totals.records, "stored": totals.stored, "duplicates": totals.duplicates,
        "rejected": totals.rejected, "skipped": totals.skipped, "flagged": sum(flags), **tables, **turns, **run,
    }  # fmt: skip


def assert_as_expected(folder: str, row: dict[str, str], tmp_path: Path) -> None:
    found = counted(loaded(tmp_path / "store.duckdb", SAMPLES / folder / row["file"]))
    wanted = {key: value for key, value in row.items() if key not in ("file", "note")}
    assert {key: str(found[key]) for key in wanted} == wanted


def assert_only_its_own_claims(folder: str, path: Path) -> None:
    assert [adapter.name for adapter in registry.claiming(source_of(path))] == [folder]


def assert_survives(name: str, path: Path, tmp_path: Path) -> None:
    """Cut at every 97th byte, marked, encoded or packed otherwise, with bytes that are no text: never an exception."""
    data = path.read_bytes()
    copies = {f"cut-{end}": data[:end] for end in range(1, len(data), EVERY)} | _otherwise(data)
    for case, damaged in copies.items():
        found = items(name, written(tmp_path, damaged, path.name))
        assert "adapter_fault" not in rejected(found), (path.name, case, found[-1])


def _otherwise(data: bytes) -> dict[str, bytes]:
    text = data.decode("utf-8")
    middle = len(data) // 2
    return {
        "empty": b"",
        "latin": data[:middle] + b"\xff\xe9" + data[middle:],
        "nul": data[:middle] + b"\x00" + data[middle:],
        "surrogate": data.replace(b"failed", rb"\ud83d"),
        "deep": text.replace("{", '{"a":' * 300, 1).encode(),
        "long": text.replace("1", "9" * 5_000, 1).encode(),
        "utf16-cut": text.encode("utf-16")[:-1],
    }


def assert_same_in_any_wrapping(name: str, path: Path, tmp_path: Path) -> None:
    """Marks, line ends, encodings and packing change nothing of what is read."""
    data = path.read_bytes()
    text = data.decode("utf-8")
    wanted = _told(name, path)
    copies = {
        "bom": b"\xef\xbb\xbf" + data,
        "crlf": data.replace(b"\n", b"\r\n"),
        "utf16": text.encode("utf-16"),
        "gzip": gzip.compress(data),
    }
    for case, copy in copies.items():
        assert _told(name, written(tmp_path, copy, path.name)) == wanted, case


def _told(name: str, path: Path) -> list[Any]:
    return [
        [record.model_dump(mode="json") for record in item.records] if isinstance(item, Parsed) else item.reason
        for item in items(name, path)
    ]


def assert_growth_adds_only_what_is_new(path: Path, tmp_path: Path, cuts: int = 2) -> None:
    """A file read while it was written ends as the file read once."""
    data = path.read_bytes()
    at_once = content(loaded(tmp_path / "once.duckdb", written(folder(tmp_path / "once"), data, path.name)).store)
    for part in range(1, cuts + 1):
        grown_in = folder(tmp_path / f"grown-{part}")
        store = grown_in / "store.duckdb"
        copy = written(grown_in, data[: len(data) * part // (cuts + 1)], path.name)
        loaded(store, copy)
        copy.write_bytes(data)
        loaded(store, copy)
        grown = content(store)
        assert {table: rows for table, rows in grown.items() if rows != at_once[table]} == {}, (path.name, part)
    assert {file.status for file in loaded(store, copy).report.files} == {"unchanged"}
