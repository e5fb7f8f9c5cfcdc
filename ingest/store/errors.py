"""Every error that a person may meet, each one line: what, where, what to do."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from pathlib import Path


class FaultlensError(Exception):
    """The call or the configuration is wrong; the message says how to put it right."""

    exit_code: ClassVar[int] = 2

    def __init__(self, message: str) -> None:
        """Hold the message as one line, whatever a tool below put into it."""
        super().__init__(" ".join(message.split()))


class StoreUnusable(FaultlensError):
    """The store cannot be used."""

    exit_code: ClassVar[int] = 3


class StoreLocked(StoreUnusable):
    """Somebody else holds the store."""


class StoreCorrupt(StoreUnusable):
    """The file is damaged, or is no store."""


class StoreTooNew(StoreUnusable):
    """The store was written by a newer version than this one."""


class StoreMissing(StoreUnusable):
    """There is no file, or no folder to hold it."""


# How DuckDB says that a file it let go of is still in use by an open transaction or result.
HANDLE_CONFLICT = "Unique file handle conflict"

_ADVICE = {
    errno.EACCES: "ask for the right to write there, or name another store with --store",
    errno.EPERM: "ask for the right to write there, or name another store with --store",
    errno.EROFS: "the file system is read-only: name another store with --store",
    errno.ENOSPC: "free some space and try again",
    errno.EDQUOT: "free some space and try again",
    errno.EISDIR: "a store is a file: name one with --store",
}


def os_refusal(store: Path, cause: OSError) -> StoreUnusable:
    """Say what the operating system refused and what to do about it."""
    reason = cause.strerror or str(cause)
    advice = _ADVICE.get(cause.errno or 0, "the store is unchanged: put this right and try again")
    return StoreUnusable(f"store {store}: {reason.lower()}: {advice}")


def duckdb_refusal(store: Path, cause: Exception) -> StoreUnusable:
    """Name the reason for which DuckDB could not open or write the file."""
    text = str(cause)
    for signs, refusal in _REFUSALS:
        if any(sign in text for sign in signs):
            return refusal(store, text)
    return _corrupt(store, text)


def _locked(store: Path, text: str) -> StoreUnusable:
    holder = text.partition("held in ")[2].partition("See also")[0].strip(" .") or "another program"
    return StoreLocked(f"store {store} is open for writing in {holder}: close it there and try again")


def _unfinished(store: Path, _text: str) -> StoreUnusable:
    return StoreLocked(
        f"store {store}: this process left a transaction or a result of an earlier write open: "
        "commit or fetch it before the publication ends",
    )


def _missing(store: Path, _text: str) -> StoreUnusable:
    return StoreMissing(f"store {store} does not exist: ingest something first, or name another with --store")


def _forbidden(store: Path, _text: str) -> StoreUnusable:
    return os_refusal(store, PermissionError(errno.EACCES, "permission denied"))


def _unwritable(store: Path, text: str) -> StoreUnusable:
    reason = text.rpartition(": ")[2].lower()
    return StoreUnusable(f"store {store}: {reason}: the store is unchanged; free some space and try again")


def _folder(store: Path, _text: str) -> StoreUnusable:
    return os_refusal(store, IsADirectoryError(errno.EISDIR, "is a folder"))


def _too_new(store: Path, text: str) -> StoreUnusable:
    return StoreTooNew(f"store {store} was written by a newer DuckDB: upgrade faultlens ({text[:200]})")


def _corrupt(store: Path, text: str) -> StoreUnusable:
    return StoreCorrupt(
        f"store {store} is damaged or not a DuckDB file: restore it from a copy, "
        f"or move it away and ingest again ({text[:200]})",
    )


_REFUSALS = (
    (("Could not set lock",), _locked),
    ((HANDLE_CONFLICT,), _unfinished),
    (("database does not exist", "No such file"), _missing),
    (("Permission denied",), _forbidden),
    (("Could not write", "No space left"), _unwritable),
    (("Is a directory",), _folder),
    (("newer version", "with version number"), _too_new),
)
