"""A run-dash log is read run by run, not in sets: what an event means follows from all events of its run."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest import passes
from ingest.adapter import Item, Parsed, Rejected
from ingest.adapters.run_dash import ADAPTER, read
from ingest.bulk import reading
from ingest.source import Source


def event(run: int, seq: int, kind: str = "tool_use") -> bytes:
    told = {"ts": "2026-11-30T09:00:00Z", "seq": seq, "run_id": f"apex-20261130-090000-{run:03x}", "kind": kind}
    return json.dumps({**told, "agent": "Scout", "meta": {"tool": "t" * 200}}).encode() + b"\n"


def items(folder: Path, data: bytes) -> Iterator[Item]:
    path = folder / "events.jsonl"
    path.write_bytes(data)
    yield from read(Source(path, "events.jsonl", "events.jsonl"))


def test_it_has_no_bulk_reader() -> None:
    assert ADAPTER.name not in reading.formats()


def test_runs_between_one_another_are_read_as_if_each_were_alone(tmp_path: Path) -> None:
    kinds = ["run_start", "agent_start", "tool_use", "agent_end", "tool_use", "run_end"]
    mixed = [event(run, seq, kind) for seq, kind in enumerate(kinds, start=1) for run in range(3)]
    found = [item for item in items(tmp_path, b"".join(mixed)) if isinstance(item, Parsed)]
    for run in range(3):
        alone = items(tmp_path, b"".join(event(run, seq, kind) for seq, kind in enumerate(kinds, start=1)))
        own = f"run-dash:apex-20261130-090000-{run:03x}"
        assert [item.records for item in found if item.records[0].run_id == own] == [
            item.records for item in alone if isinstance(item, Parsed)
        ]
    assert sorted(item.place.line or 0 for item in found) == list(range(1, 19))


def test_a_run_that_is_named_last_by_a_line_that_is_no_event_is_read(tmp_path: Path) -> None:
    named = b'{"run_id": "apex-20261130-090000-001", "seq": 9}\n'
    found = list(items(tmp_path, event(1, 1) + event(2, 1) + named + event(2, 2)))
    assert sorted(item.place.line or 0 for item in found if isinstance(item, Parsed)) == [1, 2, 4]
    assert [item.reason for item in found if isinstance(item, Rejected)] == ["missing_kind"]


@pytest.mark.parametrize("keep", [0.4, 0.9])
def test_of_a_damaged_archive_every_event_before_the_damage_is_read(tmp_path: Path, keep: float) -> None:
    packed = gzip.compress(b"".join(event(number // 20, number % 20) for number in range(4_000)))
    lines = [item.place.line or 0 for item in _until_damage(items(tmp_path, packed[: int(len(packed) * keep)]))]
    assert sorted(lines) == list(range(1, len(lines) + 1))
    assert len(lines) > 500


def _until_damage(some: Iterator[Item]) -> list[Item]:
    found: list[Item] = []
    with pytest.raises(EOFError):
        found.extend(some)
    return found


def test_beyond_what_is_kept_no_more_is_held_than_the_runs_that_are_not_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passes, "KEPT_TEXT", 100_000)
    path = tmp_path / "events.jsonl"
    path.write_bytes(b"".join(event(number // 20, number % 20) for number in range(6_000)))
    tracemalloc.start()
    count = sum(1 for _ in read(Source(path, "events.jsonl", "events.jsonl")))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 6_000
    assert peak < path.stat().st_size / 2
