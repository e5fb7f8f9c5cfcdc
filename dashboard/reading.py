"""One lease for one render: every number on a page comes from the same generation of the store."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeVar

import streamlit as st

from ingest.store import AnyStore, Lease, open_store, shown
from queries.reader import Answer

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Reading:
    """The store that this render reads, and its lease."""

    url: str
    lease: Lease


_READING: ContextVar[Reading] = ContextVar("reading")


def store_url() -> str:
    """The store that the dashboard shows."""
    return os.environ.get("FAULTLENS_STORE") or "faultlens.duckdb"


def store_argument() -> str:
    """What names the store on a command line: quoted for a shell, and without a password."""
    return shlex.quote(shown(store_url()))


@st.cache_resource(max_entries=8, show_spinner=False)
def store(url: str) -> AnyStore:
    """The store of a URL, opened once for all sessions of this server."""
    return open_store(url)


@contextmanager
def lease_for_this_render() -> Iterator[Reading]:
    """Everything asked inside reads one generation."""
    url = store_url()
    with store(url).lease() as lease:
        token = _READING.set(Reading(url, lease))
        try:
            yield _READING.get()
        finally:
            _READING.reset(token)


def reading() -> Reading:
    """What this render reads."""
    return _READING.get()


def ask(query: Callable[..., Answer[R]], **parameters: Any) -> Answer[R]:
    """The answer of a query function; asked once for each generation and set of parameters."""
    now = reading()
    name = f"{query.__module__}.{query.__name__}"
    answer: Answer[R] = _answer(
        now.url, now.lease.generation, name, tuple(sorted(parameters.items())), _query=query, _lease=now.lease
    )
    return answer


# Bounded, because the generation is part of the key: the answers of old generations have to go.
@st.cache_data(max_entries=400, show_spinner=False)
def _answer(
    url: str,  # noqa: ARG001 - part of the key
    generation: str,  # noqa: ARG001 - part of the key
    name: str,  # noqa: ARG001 - part of the key
    parameters: tuple[tuple[str, Any], ...],
    *,
    _query: Callable[..., Answer[Any]],
    _lease: Lease,
) -> Answer[Any]:
    return _query(_lease, **dict(parameters))
