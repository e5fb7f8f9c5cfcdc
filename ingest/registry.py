"""Which adapter reads a source: exactly one, by content. Several or none is an error that names them."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from pathlib import Path

import ingest.adapters
from ingest import mapping
from ingest.adapter import Adapter, Bundle
from ingest.adapters import mapped
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


def by_mapping(file: Path) -> Adapter:
    """The adapter that reads every file as this mapping file says."""
    return mapped.with_mapping(mapping.load(file))


def recognise(source: Source) -> Adapter:
    """The one adapter that knows the content of the source."""
    claims = claiming(source)
    if len(claims) > 1:
        names = ", ".join(adapter.name for adapter in claims)
        raise AmbiguousFormat(f"{source.shown}: {names} all claim this file; name one with --format")
    if not claims:
        raise UnknownFormat(f"{source.shown}: no format is known with this content (faultlens formats lists them)")
    return claims[0]


def claiming(source: Source) -> list[Adapter]:
    """The adapters that know the content; fallbacks only where no other does."""
    claims = [adapter for adapter in adapters() if not adapter.fallback and _claims(adapter, source)]
    return claims or [adapter for adapter in adapters() if adapter.fallback and _claims(adapter, source)]


def _claims(adapter: Adapter, source: Source) -> bool:
    """The adapter knows the content; content that makes it fail is not its own."""
    head = source.head
    try:
        return adapter.recognise(head)
    except (FaultlensError, OSError):
        raise
    except Exception:  # noqa: BLE001 - one adapter's fault must not keep the others from reading the file
        return False


def bundle_of(path: Path) -> Bundle:
    """The file with its companions; the main file is another one when the given file is a companion."""
    for adapter in adapters():
        if bundle := adapter.bundle(path):
            return bundle
    return Bundle(path)
