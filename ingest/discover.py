"""From the paths people give to the sources to read: files, folders, globs, standard input."""

from __future__ import annotations

import glob
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from ingest import registry
from ingest.source import Source, path_text

STDIN = "-"
NOT_FOUND = "not_found"
_NOT_ENTERED = frozenset({".git", ".hg", ".svn", ".venv", "node_modules", "__pycache__", ".mypy_cache", ".ruff_cache"})


@dataclass(frozen=True)
class Found:
    """A source, and whether somebody named it: a named file that nobody knows is refused, others are ignored."""

    source: Source
    named: bool


@dataclass(frozen=True)
class Unread:
    """A path with nothing that can be read, and why; nobody need have named it."""

    path: str
    reason: str = NOT_FOUND
    named: bool = True


def found_in(arguments: Iterable[str], scratch: Path, workload: str | None = None) -> Iterator[Found | Unread]:
    """Every source of the arguments once, in the order of the arguments and by name below a folder."""
    seen: set[Path] = set()
    for argument in arguments:
        for candidate in _expanded(argument, scratch, workload):
            if isinstance(candidate, Unread):
                yield candidate
            elif candidate.source.path not in seen:
                seen.add(candidate.source.path)
                yield candidate


def _expanded(argument: str, scratch: Path, workload: str | None) -> Iterator[Found | Unread]:
    if argument == STDIN:
        yield Found(Source(_copied(sys.stdin.buffer, scratch), "-", "stdin", workload=workload), named=True)
        return
    path = Path(argument).expanduser()
    if path.is_dir():
        yield from _below(path, workload)
    elif path.is_fifo() or path.is_char_device():
        # A pipe, such as that of a shell's <(…), gives its bytes once.
        with path.open("rb") as pipe:
            yield Found(
                Source(_copied(pipe, scratch), path_text(argument), path_text(path.name), workload=workload), named=True
            )
    elif path.exists():
        yield _bundled(path, path.parent, named=True, workload=workload)
    elif matches := _matches(path):
        for match in matches:
            yield from _expanded(match, scratch, workload)
    else:
        yield Unread(path_text(argument))


def _matches(pattern: Path) -> list[str]:
    """What the pattern stands for; a link to nothing matches itself and is nothing."""
    found = glob.glob(str(pattern), recursive=True)  # noqa: PTH207 - a pattern may be absolute
    return sorted(match for match in found if Path(match).exists())


def _copied(stream: BinaryIO, scratch: Path) -> Path:
    """A stream in a file of its own: it is read more than once, to recognise and to load."""
    with tempfile.NamedTemporaryFile(dir=scratch, prefix="stream-", delete=False) as copy:
        shutil.copyfileobj(stream, copy)
    return Path(copy.name)


def _below(folder: Path, workload: str | None) -> Iterator[Found | Unread]:
    for path, reason in _files(folder):
        if reason:
            yield Unread(path_text(path), reason, named=path == folder)
        else:
            yield _bundled(path, folder, named=False, workload=workload)


def _files(folder: Path) -> Iterator[tuple[Path, str | None]]:
    """What stands below the folder, each with the reason why it is not read, if there is one."""
    closed: list[OSError] = []
    for at, folders, names in os.walk(folder, onerror=closed.append):
        yield from ((Path(error.filename), f"folder cannot be read: {error.strerror}") for error in closed)
        closed.clear()
        folders[:] = sorted(name for name in folders if name not in _NOT_ENTERED)
        # A link may lead back to where it stands.
        linked = [name for name in folders if Path(at, name).is_symlink()]
        yield from ((Path(at, name), "link to a folder: name it to have it read") for name in linked)
        yield from ((path, _why_not(path)) for path in (Path(at, name) for name in sorted(names)))
    yield from ((Path(error.filename), f"folder cannot be read: {error.strerror}") for error in closed)


def _why_not(path: Path) -> str | None:
    """A pipe that nobody writes to would be waited for without end."""
    if path.is_file():
        return None
    return "link to nothing" if path.is_symlink() and not path.exists() else "no file: a pipe, socket or device"


def _bundled(path: Path, given: Path, *, named: bool, workload: str | None) -> Found:
    """The source that a path belongs to: its bundle's main file, or itself."""
    bundle = registry.bundle_of(path)
    below = os.path.relpath(bundle.main, given)
    # A companion may be named while its main file lies outside the given folder.
    below = bundle.main.name if below.startswith("..") else below
    shown = path_text(bundle.main)
    return Found(Source(bundle.main, shown, path_text(below), bundle.companions, workload), named=named)
