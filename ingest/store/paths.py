"""The names of the files that lie beside a store."""

from __future__ import annotations

from pathlib import Path


def people_path(store: Path | str) -> Path:
    """Return where the people's store of this store lies."""
    path = Path(store)
    return path.with_name(f"{path.name.removesuffix('.duckdb')}.people.duckdb")


def lock_path(store: Path) -> Path:
    """Return the file whose lock every writer of this store takes."""
    return beside(store, ".lock")


def next_path(store: Path) -> Path:
    """Return the file in which a writer prepares the next generation."""
    return beside(store, ".next")


def rewritten_path(store: Path) -> Path:
    """Return the file into which the next generation is copied when deleted bytes must go."""
    return beside(store, ".next.rewritten")


def wal_path(store: Path) -> Path:
    """Return the write-ahead log that DuckDB keeps beside this file."""
    return beside(store, ".wal")


def unfinished_files(store: Path) -> tuple[Path, ...]:
    """Return every file that a killed writer of this store may leave behind."""
    drafts = (next_path(store), rewritten_path(store))
    return (*drafts, *map(wal_path, drafts))


def beside(store: Path, suffix: str) -> Path:
    """Return the store's path with a suffix behind its whole name."""
    return store.with_name(store.name + suffix)
