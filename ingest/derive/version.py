"""Which derivation judged a run: a digest of everything that what is derived depends on, records apart."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from ingest.store.configuration import configuration

_DIGITS = 12
# What the steps read with, which lies elsewhere.
_ALSO = ("context.py", "messages.py", "span.py", "values.py")


def version() -> str:
    """The digest of the derivation's code and of the configured retry budgets, which its rules judge by."""
    retry = configuration().retry
    return hashlib.sha256(f"{_code()} {retry.per_failure} {retry.per_run}".encode()).hexdigest()[:_DIGITS]


@cache
def _code() -> str:
    digest = hashlib.sha256()
    for name, text in sorted((entry.name, entry.read_bytes()) for entry in _sources()):
        digest.update(f"{name} {len(text)} ".encode() + text)
    return digest.hexdigest()


def _sources() -> Iterator[Traversable]:
    derive = files("ingest.derive")
    for folder in (derive, derive / "steps", derive / "rules"):
        yield from (entry for entry in folder.iterdir() if entry.name.endswith((".sql", ".py")))
    yield from (files("ingest") / "otel" / name for name in _ALSO)
