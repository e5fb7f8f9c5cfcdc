"""Which adapter reads a source: exactly one, by content. Several or none is an error that names them."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from pathlib import Path

import ingest.adapters
from ingest.adapter import Adapter, Bundle
from ingest.source import Source
from ingest.store.errors import FaultlensError


class UnknownFormat(FaultlensError):
    """No adapter knows the content, or its named format does not exist."""


class AmbiguousFormat(FaultlensError):
    """More than one adapter claims the content: a fault of ours that must be seen."""


@cache
def adapters() -> tuple[Adapter, ...]:
    """Every adapter in `ingest/adapters/`, by name."""
    names = sorted(module.name for module in pkgutil.iter_modules(ingest.adapters.__path__))
    modules = [importlib.import_module(f"ingest.adapters.{name}") for name in names]
    return tuple(module.ADAPTER for module in modules if hasattr(module, "ADAPTER"))


def named(name: str) -> Adapter:
    """The adapter of that name."""
    for adapter in adapters():
        if adapter.name == name:
            return adapter
    known = ", ".join(adapter.name for adapter in adapters())
    raise UnknownFormat(f"there is no format '{name}'; known are: {known}")


def recognise(source: Source) -> Adapter:
    """The one adapter that knows the content of the source."""
    claims = [adapter for adapter in adapters() if adapter.recognise(source.head)]
    if len(claims) > 1:
        names = ", ".join(adapter.name for adapter in claims)
        raise AmbiguousFormat(f"{source.shown}: {names} all claim this file; name one with --format")
    if not claims:
        raise UnknownFormat(f"{source.shown}: no format is known with this content (faultlens formats lists them)")
    return claims[0]


def bundle_of(path: Path) -> Bundle:
    """The file with its companions; the main file is another one when the given file is a companion."""
    for adapter in adapters():
        if bundle := adapter.bundle(path):
            return bundle
    return Bundle(path)
