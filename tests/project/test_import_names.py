"""`ingest`, `queries` and `dashboard` are common words: no other distribution may bring them into this environment."""

from __future__ import annotations

import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("ingest", "queries", "dashboard")


@pytest.mark.parametrize("room", ROOMS)
def test_no_other_distribution_provides_this_name(room: str) -> None:
    others = set(packages_distributions().get(room, [])) - {"faultlens"}
    assert others == set(), (
        f"{', '.join(others)} overwrites our {room}/: install faultlens into an environment of its own"
    )


@pytest.mark.parametrize("room", ROOMS)
def test_the_name_imports_from_this_checkout(room: str) -> None:
    module = __import__(room)
    assert module.__file__ is not None
    assert Path(module.__file__).resolve() == ROOT / room / "__init__.py"


def test_the_project_declares_its_import_names() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert sorted(project["import-names"]) == sorted(ROOMS)
