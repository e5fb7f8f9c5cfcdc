"""Samples with their expectations: one table of cases for every adapter of spans."""

from __future__ import annotations

import csv
from pathlib import Path

from ingest import registry
from ingest.source import Source
from tests.ingest.loaded import loaded

ROOT = Path(__file__).resolve().parents[3]
COUNTS = ("records", "stored", "duplicates", "rejected", "skipped")
FIGURES = ("workload", "status", "spans", "errors", "recoveries", "input_tokens", "output_tokens")


def folder(name: str) -> Path:
    return ROOT / "sample_traces" / name


def cases(name: str) -> list[dict[str, str]]:
    with (folder(name) / "EXPECTED.tsv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def files(name: str) -> list[Path]:
    own = {"EXPECTED.tsv", "PROVENANCE.md"}
    return sorted(path for path in folder(name).iterdir() if path.name not in own)


def assert_case(name: str, case: dict[str, str], store: Path) -> None:
    """The file alone in a store gives what its row says."""
    found = loaded(store, folder(name) / case["file"])
    assert found.file.format == name
    assert found.counts == tuple(int(case[key]) for key in COUNTS)
    run = found.one(f"SELECT * FROM runs WHERE native_id = '{case['run']}'")
    assert {key: "" if run[key] is None else str(run[key]) for key in FIGURES} == {key: case[key] for key in FIGURES}


def claims(path: Path) -> list[str]:
    """The adapters that would read the file: exactly one is right."""
    return [adapter.name for adapter in registry.claiming(Source(path, str(path), path.name))]
