"""Steps with context sets written as native lines and read back through a real ingest."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ingest.load import ingest
from ingest.store import open_store
from queries.catalogue import named

Item = tuple[str, str | None]


def write(path: Path, records: Iterable[Mapping[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def context(step: str, sets: Mapping[str, Sequence[Item]], run: str = "r") -> dict[str, Any]:
    members = {name: [{"id": item, "revision": revision} for item, revision in items] for name, items in sets.items()}
    return {"record": "context", "run_id": run, "step_id": step, **members}


def parsed(text: str) -> dict[str, list[Item]]:
    """Sets as the tables of cases write them: `required a b | retrieved a@3 | eligible` (the last one empty)."""
    found: dict[str, list[Item]] = {}
    for part in filter(None, (part.split() for part in text.split("|"))):
        items = [item.partition("@") for item in part[1:]]
        found[part[0]] = [(item, revision or None) for item, _, revision in items]
    return found


def store_of(folder: Path, records: Iterable[Mapping[str, Any]], name: str = "store") -> Path:
    store = folder / f"{name}.duckdb"
    ingest([str(write(folder / f"{name}.jsonl", records))], store)
    return store


def asked(store: Path, query: str, **parameters: Any) -> list[Any]:
    with open_store(store).lease() as lease:
        return list(named(query).function(lease, **parameters).rows)
