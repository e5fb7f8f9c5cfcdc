"""Both locks install with --require-hashes, from whatever index the reader uses."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
# The groups that each lock holds; the shared store needs another DuckDB than everything else.
LOCKS = {"requirements.lock": ("dev", "build", "newest"), "requirements-lake.lock": ("dev", "build", "object-store")}
EXTRAS = {"requirements.lock": (), "requirements-lake.lock": ("lake",)}


@cache
def text(lock: str) -> str:
    return (ROOT / lock).read_text()


@cache
def locked(lock: str) -> dict[str, str]:
    """Each requirement of the lock, by canonical name, with its continuation lines."""
    joined = text(lock).replace("\\\n", " ")
    lines = [line for line in joined.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    return {canonicalize_name(re.split(r"[=\s;\[]", line, maxsplit=1)[0]): line for line in lines}


def declared() -> list[tuple[str, Requirement]]:
    """What pyproject.toml asks for, in the project, its groups, its extras and its build, and which lock has it."""
    project = PROJECT["project"]
    return [
        (lock, Requirement(entry))
        for lock, groups in LOCKS.items()
        for entry in [
            *project["dependencies"],
            *PROJECT["build-system"]["requires"],
            *(entry for group in groups for entry in PROJECT["dependency-groups"][group] if isinstance(entry, str)),
            *(entry for extra in EXTRAS[lock] for entry in project["optional-dependencies"][extra]),
        ]
    ]


def test_every_group_is_in_a_lock() -> None:
    assert set(PROJECT["dependency-groups"]) == {group for groups in LOCKS.values() for group in groups}


@pytest.mark.parametrize("lock", LOCKS)
def test_every_requirement_is_pinned_and_has_a_hash(lock: str) -> None:
    bare = [name for name, line in locked(lock).items() if "==" not in line or "--hash=sha256:" not in line]
    assert bare == []


@pytest.mark.parametrize("lock", LOCKS)
def test_lock_holds_no_address_and_no_option(lock: str) -> None:
    assert re.findall(r"\w+://\S*", text(lock)) == []
    assert [line for line in text(lock).splitlines() if line.startswith("-")] == []
    assert re.findall(r"(?m)^\S+ @ ", text(lock)) == []


@pytest.mark.parametrize(("lock", "requirement"), declared(), ids=str)
def test_lock_satisfies_what_the_project_declares(lock: str, requirement: Requirement) -> None:
    line = locked(lock).get(canonicalize_name(requirement.name))
    assert line is not None, f"{requirement.name} is declared but not in {lock}: run `make lock`"
    version = re.search(r"==([^\s;]+)", line)
    assert version is not None
    assert requirement.specifier.contains(version.group(1)), f"{requirement} is locked at {version.group(1)}"


def test_the_suite_runs_with_a_locked_duckdb() -> None:
    version = distribution("duckdb").version
    assert any(f"duckdb=={version} " in locked(lock)["duckdb"] for lock in LOCKS)


def test_the_shared_store_has_the_duckdb_that_its_extensions_are_built_for() -> None:
    found = locked("requirements-lake.lock")
    names = ("duckdb", "duckdb-extension-ducklake", "duckdb-extension-postgres-scanner", "duckdb-extension-httpfs")
    assert len({found[name].split("==")[1].split()[0] for name in names}) == 1
