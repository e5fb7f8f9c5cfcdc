"""One lease for one render: every number on a page comes from the same generation of the store."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, TypeVar

import streamlit as st

from dashboard.answers import Answers, QueryTooSlow, Question
from dashboard.settings import cache_bytes, query_seconds
from ingest.store import AnyStore, FaultlensError, Lease, open_store, shown
from ingest.store.configuration import configuration
from ingest.store.time_limit import TookTooLong
from queries.reader import Answer

R = TypeVar("R")
T = TypeVar("T")

# Of this process, for all its sessions: Streamlit runs the pages again and again, but imports this once.
ANSWERS = Answers(cache_bytes())


@dataclass(frozen=True, slots=True)
class Reading:
    """The store that this render reads, its lease, and what faultlens.toml said when it began."""

    url: str
    lease: Lease
    settings: str = ""
    said_slow: set[Question] = field(default_factory=set)


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
        lease.seconds_a_query = query_seconds()
        ANSWERS.reads(url, lease.generation)
        token = _READING.set(Reading(url, lease, _settings()))
        try:
            yield _READING.get()
        finally:
            _READING.reset(token)


def reading() -> Reading:
    """What this render reads."""
    return _READING.get()


def ask(query: Callable[..., Answer[R]], **parameters: Any) -> Answer[R]:
    """The answer of a query function; asked once for each generation and set of parameters, for all sessions."""
    return once(query, **parameters)


def once(function: Callable[..., T], **parameters: Any) -> T:
    """What a function of the lease finds, kept as answers are; it must be nothing that anybody changes."""
    now = reading()
    name = f"{function.__module__}.{function.__name__}"
    question = Question(now.url, now.lease.generation, now.settings, name, tuple(sorted(parameters.items())))

    def asked() -> T:
        try:
            return function(now.lease, **parameters)
        except TookTooLong as limit:
            raise QueryTooSlow(question, limit.seconds) from None

    return ANSWERS.answer(question, asked)


def _settings() -> str:
    """What faultlens.toml says, because budgets, bands and times come from it; nothing where it cannot be read."""
    try:
        return configuration().model_dump_json()
    except FaultlensError:
        return ""
