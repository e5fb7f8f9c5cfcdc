"""The files that a run was read from, by the digest of their bytes."""

from __future__ import annotations

from dataclasses import dataclass

from queries.reader import Answer, Engine, ask


@dataclass(frozen=True, slots=True)
class RunFileRow:
    """A file with records of the run; `file_id` is the sha256 of its bytes."""

    file_id: str
    path: str | None
    format: str | None
    adapter_version: int | None
    bytes: int | None
    records: int
    first_line: int | None
    last_line: int | None


def run_files(lease: Engine, *, run: str) -> Answer[RunFileRow]:
    """The files that a run was read from, by the digest of their bytes."""
    return ask(lease, __file__, RunFileRow, run=run)
