"""A contract that names a module nobody has would hold for ever: each name must mean something."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LINTER = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
CONTRACTS = {contract["id"]: contract for contract in LINTER["contracts"]}

BREACHES = [
    ("rooms", "ingest/late.py", "import queries"),
    ("rooms", "queries/late.py", "import dashboard"),
    ("queries-store-only", "queries/late.py", "import ingest.late"),
    ("store-is-a-leaf", "ingest/store/late.py", "import ingest.late"),
    ("adapters-independent", "ingest/adapters/one.py", "import ingest.adapters.two"),
    ("adapters-plain", "ingest/adapters/one.py", "import duckdb"),
    ("adapters-plain", "ingest/adapters/one.py", "import pandas"),
    ("adapters-plain", "ingest/adapters/one.py", "import ingest.store"),
    ("screen-libraries", "ingest/late.py", "import streamlit"),
    ("screen-libraries", "queries/late.py", "import plotly"),
    ("views-independent", "dashboard/views/one.py", "import dashboard.views.two"),
    ("charts-pure", "dashboard/charts/late.py", "import streamlit"),
    ("charts-pure", "dashboard/report/late.py", "import streamlit"),
    ("who-writes", "dashboard/views/one.py", "import ingest.late"),
    ("engines", "queries/late.py", "import sqlglot"),
]
ALLOWED = [
    ("queries-store-only", "queries/late.py", "import ingest.store"),
    ("adapters-plain", "ingest/bijux/runtime_store.py", "import duckdb"),
    ("who-writes", "dashboard/cli.py", "import ingest.late"),
    ("who-writes", "dashboard/views/ingest.py", "import ingest.late"),
    ("who-writes", "dashboard/views/one.py", "import ingest.store"),
    ("rooms", "dashboard/late.py", "import queries"),
]
PACKAGES = (
    "ingest",
    "ingest/store",
    "ingest/adapters",
    "ingest/bijux",
    "queries",
    "dashboard",
    "dashboard/views",
    "dashboard/charts",
    "dashboard/report",
)


@pytest.fixture
def empty_house(tmp_path: Path) -> Path:
    """The rooms without furniture, under the contracts of this project."""
    for package in PACKAGES:
        (tmp_path / package).mkdir(parents=True, exist_ok=True)
        (tmp_path / package / "__init__.py").touch()
    for module in ("ingest/late.py", "ingest/bijux/runtime_store.py", "dashboard/views/two.py"):
        (tmp_path / module).touch()
    # The one adapter whose source is a DuckDB file reaches it through this module.
    (tmp_path / "ingest/adapters/two.py").write_text("import ingest.bijux.runtime_store\n")
    (tmp_path / "ingest/store/__init__.py").write_text("import duckdb\n")
    (tmp_path / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text())
    return tmp_path


def checked(house: Path, contract: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--no-logo", "--no-cache", "--contract", contract],
        cwd=house,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(("contract", "file", "line"), BREACHES)
def test_a_breach_is_found_and_its_guidance_shown(empty_house: Path, contract: str, file: str, line: str) -> None:
    (empty_house / file).write_text(f"{line}\n")
    done = checked(empty_house, contract)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "BROKEN" in done.stdout
    assert CONTRACTS[contract]["broken_contract_guidance"].split()[0] in done.stdout


@pytest.mark.parametrize(("contract", "file", "line"), ALLOWED)
def test_an_allowed_import_is_kept(empty_house: Path, contract: str, file: str, line: str) -> None:
    (empty_house / file).write_text(f"{line}\n")
    done = checked(empty_house, contract)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_contract_has_guidance_and_a_breach_in_this_table() -> None:
    assert {contract for contract, _, _ in BREACHES} == set(CONTRACTS)
    assert [name for name, contract in CONTRACTS.items() if not contract["broken_contract_guidance"].strip()] == []


def test_the_contracts_hold() -> None:
    done = subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--no-logo", "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
