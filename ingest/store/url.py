"""From the URL of a store to the store."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, Self

from ingest.store.attach import Store
from ingest.store.errors import FaultlensError
from ingest.store.lock import WAIT_S
from ingest.store.masking import masked

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    import duckdb

    from ingest.store.attach import Lease
    from ingest.store.publish import Publication

# Two letters at least, so that a drive of Windows is a path.
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):")


class AnyStore(Protocol):
    """What a store can do, whether it is a file or a lake."""

    @property
    def url(self) -> str:
        """Return what names this store on a command line."""

    def lease(self) -> Lease:
        """Return a lease on the newest generation."""

    def publication(
        self,
        con: duckdb.DuckDBPyConnection,
        *,
        wait_s: float = WAIT_S,
    ) -> AbstractContextManager[Publication]:
        """Publish a change of the records."""

    def people_publication(
        self,
        con: duckdb.DuckDBPyConnection,
        *,
        wait_s: float = WAIT_S,
    ) -> AbstractContextManager[Publication]:
        """Publish a change of what people wrote."""

    def close(self) -> None:
        """Nothing of this store stays attached, except what is still on lease."""

    def __enter__(self) -> Self:
        """Return the store itself."""

    def __exit__(self, *_: object) -> None:
        """Close the store."""


def open_store(url: str | Path) -> AnyStore:
    """Return the store that a URL names: `ducklake:postgres:…` a lake, a plain path a DuckDB file."""
    text = str(url)
    if text.startswith("ducklake:"):
        from ingest.store.lake import LakeStore  # noqa: PLC0415 - who has no lake loads nothing of it

        return LakeStore(text)
    if scheme := _SCHEME.match(text):
        raise _unknown_scheme(scheme[1], masked(text))
    if text in {"", ".", ":memory:"}:
        raise _no_file(text)
    return Store(Path(text).expanduser())


def shown(url: str | Path) -> str:
    """Return the URL as people may see it: without a password."""
    text = str(url)
    if text.startswith("ducklake:"):
        from ingest.store.lake_url import lake_address  # noqa: PLC0415

        return lake_address(text).shown
    return text


def _unknown_scheme(scheme: str, text: str) -> FaultlensError:
    return FaultlensError(
        f"store {text!r}: no store of kind '{scheme}:' is known: "
        "give the path of a DuckDB file (./ before a name that has a colon), or ducklake:postgres:…",
    )


def _no_file(text: str) -> FaultlensError:
    return FaultlensError(f"store {text!r} names no file: give the path of a DuckDB file with --store")
