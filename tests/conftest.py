"""The kind of store that the suites run on; see `tests/store_kind.py`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.store import AnyStore
from tests import store_kind
from tests.lake.cluster import MISSING, programs


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--store-kind",
        choices=("file", "lake"),
        default=os.environ.get(store_kind.VARIABLE, "file"),
        help="What the tests of a store run on.",
    )


def pytest_configure(config: pytest.Config) -> None:
    os.environ[store_kind.VARIABLE] = config.getoption("--store-kind")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--store-kind") != "lake":
        return
    if programs() is None and os.environ.get("CI") != "true":
        _skip(items, MISSING)
    _skip([item for item in items if item.get_closest_marker("file_store")], "it is true of files alone")


def _skip(items: list[pytest.Item], reason: str) -> None:
    for item in items:
        item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session", autouse=True)
def _every_path_names_a_lake() -> Iterator[None]:
    """On lakes, `open_store` opens the lake that stands for a path."""
    if not store_kind.is_lake():
        yield
        return
    from ingest.store import url
    from ingest.store.lake import LakeStore

    def opened(path: Path) -> AnyStore:
        _OPENED.append(LakeStore(store_kind.named(path)))
        return _OPENED[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(url, "Store", opened)
        yield


_OPENED: list[AnyStore] = []


@pytest.fixture(autouse=True)
def _no_lake_stays_attached() -> Iterator[None]:
    """Each holds connections to PostgreSQL, which has some hundreds of them. What is on lease stays."""
    yield
    while _OPENED:
        _OPENED.pop().close()
