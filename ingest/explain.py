"""What a file looks like: which adapter claims it, why the others do not, its keys, what was read and what not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ingest import mapping, registry
from ingest.adapter import Adapter, Parsed, Rejected, Skipped, Unreadable, items_of
from ingest.mapping import MappingFile
from ingest.source import Head, Source, is_text
from ingest.vendor import csv_rows
from ingest.vendor.json_values import Unit, glimpses, is_single
from ingest.vendor.values import words

_EXAMPLE = 60
_KEYS = 40


@dataclass(frozen=True, slots=True)
class Claim:
    """Whether an adapter takes the file, and what it would know one by."""

    adapter: str
    claimed: bool
    recognised_by: str
    fallback: bool


@dataclass(frozen=True, slots=True)
class Key:
    """A key of the file's first objects, in how many of them it stands, an example, and the field it is read as."""

    path: str
    seen: int
    example: str
    field: str | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """What is known of a file without storing anything of it."""

    path: str
    layout: str
    adapter: str | None
    claims: tuple[Claim, ...]
    keys: tuple[Key, ...] = ()
    records: dict[str, int] = field(default_factory=dict)
    left_out: dict[str, int] = field(default_factory=dict)
    fault: str | None = None
    suggested_mapping: str | None = None

    @property
    def mapped(self) -> tuple[Key, ...]:
        """The keys that the mapping reads into a field."""
        return tuple(key for key in self.keys if key.field)

    @property
    def unmapped(self) -> tuple[Key, ...]:
        """The keys that are kept as attributes only."""
        return tuple(key for key in self.keys if not key.field)

    def lines(self) -> Iterator[str]:
        """The explanation as text, a fact a line."""
        yield f"{self.path}: {self.layout}; " + (
            f"read as {self.adapter}" if self.adapter else "no format is known with it"
        )
        if self.fault:
            yield f"  fault: {self.fault}"
        yield from (f"  {kind}: {count}" for kind, count in self.records.items())
        yield from (f"  left out, {reason}: {count}" for reason, count in self.left_out.items())
        # Why the others do not claim it matters where none does.
        yield from (_claim_line(claim) for claim in self.claims if claim.claimed or not self.adapter)
        yield from (_key_line(key) for key in self.keys)
        if self.suggested_mapping:
            yield f"a mapping to start from, as {mapping.FILE_NAME}:"
            yield from self.suggested_mapping.splitlines()


def _claim_line(claim: Claim) -> str:
    verdict = "claims it by" if claim.claimed else "does not; it looks for"
    return f"  {claim.adapter} {verdict} {claim.recognised_by}"


def _key_line(key: Key) -> str:
    read_as = f" → {key.field}" if key.field else ""
    return f"  key {key.path} ({key.seen}×, such as {key.example}){read_as}"


def explain(path: Path, chosen: MappingFile | None = None) -> Explanation:
    """What the file looks like, and what reading it would give; `chosen` is a mapping that was named."""
    bundle = registry.bundle_of(path)
    source = Source(bundle.main, str(path), bundle.main.name, bundle.companions)
    head = source.head
    claiming = registry.claiming(source)
    adapter = claiming[0] if len(claiming) == 1 else None
    mapped, fault = _mapping_for(head, chosen)
    rows = _rows(head)
    records, left_out, unreadable = _read(adapter, source) if adapter else ({}, {}, None)
    several = " and ".join(claim.name for claim in claiming)
    return Explanation(
        path=str(path),
        layout=_layout(head),
        adapter=adapter.name if adapter else None,
        claims=tuple(_claims(claiming)),
        keys=tuple(_keys(rows, mapped)),
        records=records,
        left_out=left_out,
        fault=fault or unreadable or (f"{several} all claim it" if len(claiming) > 1 else None),
        suggested_mapping=_suggestion(adapter, rows, source.path),
    )


def _mapping_for(head: Head, chosen: MappingFile | None) -> tuple[MappingFile | None, str | None]:
    if chosen is not None:
        return chosen, None
    beside = mapping.beside(head.source.path)
    if beside is None:
        return None, None
    try:
        found = mapping.load(beside)
    except mapping.BadMapping as error:
        return None, str(error)
    return (found, None) if found.takes_file(head.name) else (None, f"{beside.name} is not for a file of this name")


def _layout(head: Head) -> str:
    if not head.sample:
        return "empty"
    if not is_text(head.sample):
        return "no text"
    if csv_rows.header(head):
        return "text with a header of columns"
    if not any(glimpses(head)):
        return "text that is no JSON"
    return "one JSON object" if is_single(head) else "JSON objects, line by line or in a list"


def _claims(claiming: list[Adapter]) -> Iterator[Claim]:
    for adapter in registry.adapters():
        yield Claim(adapter.name, adapter in claiming, adapter.recognised_by, adapter.fallback)


def _rows(head: Head) -> list[dict[str, Any]]:
    if csv_rows.header(head):
        found = (unit.value for unit in csv_rows.rows(head.source) if isinstance(unit, Unit))
        return [row for row, _ in zip(found, range(50), strict=False)]
    return list(glimpses(head))


def _keys(rows: list[dict[str, Any]], chosen: MappingFile | None) -> Iterator[Key]:
    """Every key of the rows, nested ones with dots, and the field it is read as."""
    seen: Counter[str] = Counter()
    examples: dict[str, Any] = {}
    for row in rows:
        for path, value in _paths(row):
            seen[path] += 1
            examples.setdefault(path, value)
    fields = (chosen or mapping.obvious(seen)).fields.set_ones()
    named = {key: name for name, key in fields.items()}
    for path, count in seen.most_common(_KEYS):
        yield Key(path, count, (words(examples[path]) or "empty")[:_EXAMPLE], named.get(path))


def _paths(row: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in row.items():
        path = f"{prefix}{key}"
        if isinstance(value, dict) and value and path.count(".") < 3:
            yield from _paths(value, f"{path}.")
        else:
            yield path, value


def _read(adapter: Adapter, source: Source) -> tuple[dict[str, int], dict[str, int], str | None]:
    """How many records of each kind reading gives, and what it leaves out and why."""
    records: Counter[str] = Counter()
    left_out: Counter[str] = Counter()
    try:
        for item in items_of(adapter, source):
            if isinstance(item, Parsed):
                records.update(_kinds(item.records))
            elif isinstance(item, Rejected):
                left_out[f"rejected: {item.reason}"] += 1
            elif isinstance(item, Skipped):
                left_out[f"skipped: {item.reason}"] += item.count
    except Unreadable as refusal:
        return dict(records), dict(left_out), f"{refusal.reason}: {refusal}"
    return dict(records), dict(left_out), None


def _kinds(records: Iterable[Any]) -> Iterator[str]:
    yield from (record.TABLE for record in records)


def _suggestion(adapter: Adapter | None, rows: list[dict[str, Any]], path: Path) -> str | None:
    """A mapping of the obvious keys, for a file that no format of its own knows."""
    if not rows or (adapter is not None and not adapter.fallback):
        return None
    keys = (key for row in rows for key, _ in _paths(row))
    return mapping.as_toml(mapping.obvious(keys), f"*{path.suffix}")
