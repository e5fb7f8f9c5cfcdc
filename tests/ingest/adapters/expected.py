"""What the tests of the tracing products' adapters share: samples, their expectations, and damaged copies of them."""

from __future__ import annotations

import csv
import gzip
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ingest import registry
from ingest.adapter import Adapter, Item, Parsed, Rejected, items_of
from ingest.records import Record
from ingest.source import Source
from tests.ingest.loaded import Loaded, loaded

SAMPLES = Path(__file__).resolve().parents[3] / "sample_traces"
FORMATS = (
    "langfuse", "langsmith", "mlflow", "inspect", "swe_agent", "openai_agents", "message_list", "atif", "mapped",
)  # fmt: skip
COUNTS = ("runs", "spans", "errors", "recoveries", "guardrails", "rejected", "skipped")


@dataclass(frozen=True)
class Case:
    """A line of an EXPECTED.tsv."""

    folder: str
    file: str
    counts: dict[str, int]
    outcomes: str

    @property
    def path(self) -> Path:
        return SAMPLES / self.folder / self.file

    def __str__(self) -> str:
        return f"{self.folder}/{self.file}"


def cases(folder: str) -> list[Case]:
    with (SAMPLES / folder / "EXPECTED.tsv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return [Case(folder, row["file"], {key: int(row[key]) for key in COUNTS}, row["outcomes"]) for row in rows]


def sample_files(folder: str) -> list[Path]:
    """The samples themselves, without what lies beside them."""
    beside = {"EXPECTED.tsv", "PROVENANCE.md", "faultlens.mapping.toml"}
    return sorted(path for path in (SAMPLES / folder).rglob("*") if path.is_file() and path.name not in beside)


def found(result: Loaded) -> tuple[dict[str, int], str]:
    """The counts that an expectation names, and the outcomes in alphabetical order."""
    totals = result.report.totals
    tables = {"runs": "runs", "spans": "spans", "errors": "error_events", "recoveries": "recovery_events"}
    counts = {name: int(result.one(f"SELECT count(*) AS n FROM {table}")["n"]) for name, table in tables.items()}
    guardrails = int(result.one("SELECT count(*) AS n FROM guardrail_events")["n"])
    more = {"guardrails": guardrails, "rejected": totals.rejected, "skipped": totals.skipped}
    return {**counts, **more}, ",".join(result.values("SELECT status FROM runs ORDER BY status"))


def source_of(path: Path) -> Source:
    return Source(path, str(path), path.name)


def items(path: Path) -> list[Item]:
    """What the one adapter that claims the file makes of it."""
    source = source_of(path)
    return list(items_of(registry.recognise(source), source))


def records(path: Path, kind: type[Record]) -> list[Any]:
    parsed = [item for item in items(path) if isinstance(item, Parsed)]
    return [record for item in parsed for record in item.records if isinstance(record, kind)]


def rejected(path: Path) -> list[str]:
    return [item.reason for item in items(path) if isinstance(item, Rejected)]


def load(folder: Path, path: Path) -> Loaded:
    return loaded(folder / "store.duckdb", path)


def claiming(path: Path) -> list[Adapter]:
    return registry.claiming(source_of(path))


def damaged(path: Path, folder: Path) -> Iterator[Path]:
    """Copies of a file as they come: cut, packed, in another encoding, with bytes or numbers nobody expects."""
    data = path.read_bytes()
    is_zip = data.startswith(b"PK")
    texts = {} if is_zip else _texts(data)
    cuts = {f"cut-{part}": data[: len(data) * part // 10] for part in (1, 5, 9)}
    copies = {
        **cuts,
        "cut-one": data[:-1],
        "gzip": gzip.compress(data, mtime=0),
        "gzip-cut": gzip.compress(data, mtime=0)[:-9],
        **texts,
    }
    for name, content in copies.items():
        copy = folder / f"{name}-{path.name}"
        copy.write_bytes(content)
        beside = path.parent / "faultlens.mapping.toml"
        if beside.exists():
            shutil.copy(beside, folder)
        yield copy


def _texts(data: bytes) -> dict[str, bytes]:
    text = data.decode("utf-8")
    middle = len(data) // 2
    deep = '{"a":' * 300 + "1" + "}" * 300
    return {
        "bom": b"\xef\xbb\xbf" + data,
        "utf16": text.encode("utf-16"),
        "latin": data[:middle] + b"\xff\xfe\xe9" + data[middle:],
        "nul": data[:middle] + b"\x00" + data[middle:],
        "deep": text.replace("null", deep, 1).encode(),
        "digits": text.replace("null", "9" * 5_000, 1).encode(),
        "twice": data + data,
    }
