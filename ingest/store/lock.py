"""The lock that lets one writer at a time near a store."""

from __future__ import annotations

import json
import os
import socket
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from ingest.store.catalog import refusals
from ingest.store.errors import StoreLocked, StoreMissing
from ingest.store.paths import lock_path

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WAIT_S = 60.0
_POLL_S = 0.01


@contextmanager
def writer_lock(store: Path, wait_s: float = WAIT_S) -> Iterator[None]:
    """Nobody else writes this store while the block runs, neither a process nor a thread."""
    lock = _acquired(store, wait_s)
    try:
        with refusals(store):
            lock_path(store).write_text(_own_mark(), encoding="utf-8")
        yield
    finally:
        with suppress(OSError):
            os.truncate(lock_path(store), 0)
        lock.release()


def holder(store: Path) -> str:
    """Return who writes this store now, in words."""
    try:
        mark = json.loads(lock_path(store).read_text(encoding="utf-8"))
        return f"process {mark['pid']} on {mark['host']} since {mark['since']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "another writer"


def _acquired(store: Path, wait_s: float) -> FileLock:
    if not store.parent.is_dir():
        raise _no_folder(store)
    # Without flock there is no exclusion to rely on, so a marker file in its place is refused.
    lock = FileLock(lock_path(store), timeout=max(wait_s, 0.0), fallback_to_soft=False)
    with refusals(store):
        try:
            lock.acquire(poll_interval=_POLL_S)
        except Timeout as timeout:
            raise _held(store, wait_s) from timeout
    return lock


def _own_mark() -> str:
    since = datetime.now(UTC).isoformat(timespec="seconds")
    return json.dumps({"pid": os.getpid(), "host": socket.gethostname(), "since": since})


def _held(store: Path, wait_s: float) -> StoreLocked:
    return StoreLocked(
        f"store {store} is being written by {holder(store)}, waited {wait_s:g} s: "
        "try again when that is done, or stop it",
    )


def _no_folder(store: Path) -> StoreMissing:
    return StoreMissing(f"folder {store.parent} does not exist: create it, or name another store with --store")
