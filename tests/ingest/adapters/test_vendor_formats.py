"""What holds for every tracing product's format alike; what each one means stands in its own file."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest import registry
from ingest.adapter import Unreadable, items_of
from ingest.source import Damaged
from ingest.store.errors import FaultlensError
from tests.ingest.adapters.expected import (
    FORMATS,
    SAMPLES,
    Case,
    cases,
    claiming,
    damaged,
    found,
    load,
    sample_files,
    source_of,
)
from tests.ingest.loaded import content, loaded

CASES = [case for folder in FORMATS for case in cases(folder)]
FILES = [(folder, path) for folder in FORMATS for path in sample_files(folder)]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_sample_loads_as_expected(case: Case, tmp_path: Path) -> None:
    assert found(load(tmp_path, case.path)) == (case.counts, case.outcomes)


@pytest.mark.parametrize(("folder", "path"), FILES, ids=lambda value: getattr(value, "name", value))
def test_exactly_its_own_adapter_claims_a_sample(folder: str, path: Path) -> None:
    assert [adapter.name for adapter in claiming(path)] == [folder]


def test_every_sample_has_an_expectation() -> None:
    named = {(case.folder, case.file) for case in CASES}
    for folder, path in FILES:
        assert (folder, str(path.relative_to(SAMPLES / folder))) in named


@pytest.mark.parametrize("folder", sorted(path.name for path in SAMPLES.iterdir() if path.name not in FORMATS))
def test_no_sample_of_another_format_is_claimed(folder: str) -> None:
    for path in sample_files(folder):
        assert not {adapter.name for adapter in claiming(path)} & set(FORMATS), path


@pytest.mark.parametrize("folder", FORMATS)
def test_loading_twice_changes_nothing(folder: str, tmp_path: Path) -> None:
    first = loaded(tmp_path / "store.duckdb", *sample_files(folder))
    before = content(first.store)
    again = loaded(first.store, *sample_files(folder))
    assert {file.status for file in again.report.files} == {"unchanged"}
    assert content(first.store) == before


@pytest.mark.parametrize("folder", FORMATS)
def test_the_order_of_files_makes_no_difference(folder: str, tmp_path: Path) -> None:
    files = sample_files(folder)
    forward = loaded(tmp_path / "forward.duckdb", *files)
    backward = loaded(tmp_path / "backward.duckdb", *reversed(files))
    assert content(forward.store) == content(backward.store)


@pytest.mark.parametrize(("folder", "path"), FILES, ids=lambda value: getattr(value, "name", value))
def test_damage_gives_rejections_or_refusals_never_exceptions(folder: str, path: Path, tmp_path: Path) -> None:
    for copy in damaged(path, tmp_path):
        source = source_of(copy)
        try:
            reasons = [getattr(item, "reason", None) for item in items_of(registry.recognise(source), source)]
        except (FaultlensError, Unreadable, Damaged):
            continue
        assert "adapter_fault" not in reasons, copy.name


@pytest.mark.parametrize("folder", FORMATS)
def test_damaged_files_are_accounted_for_when_loaded(folder: str, tmp_path: Path) -> None:
    copies = [copy for path in sample_files(folder)[:2] for copy in damaged(path, tmp_path)]
    loaded(tmp_path / "store.duckdb", *copies)
