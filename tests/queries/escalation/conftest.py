"""A lease on a store that a test has filled: a new store each time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path

import pytest

from ingest.store import Lease, open_store
from tests.queries.attempts import Store

Leased = Callable[[Store], Lease]


@pytest.fixture
def leased(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Leased]:
    # Bands come from faultlens.toml of the working folder: there is none here unless the test writes it.
    monkeypatch.chdir(tmp_path)
    numbers = count(1)
    with ExitStack() as leases:
        yield lambda store: leases.enter_context(open_store(store.write(tmp_path / f"{next(numbers)}.duckdb")).lease())
