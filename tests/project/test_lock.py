"""requirements.lock installs with --require-hashes, from whatever index the reader uses."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
LOCK = (ROOT / "requirements.lock").read_text()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def locked() -> dict[str, str]:
    """Each requirement of the lock, by canonical name, with its continuation lines."""
    joined = LOCK.replace("\\\n", " ")
    lines = [line for line in joined.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    return {canonicalize_name(re.split(r"[=\s;\[]", line, maxsplit=1)[0]): line for line in lines}


def declared() -> list[Requirement]:
    """What pyproject.toml asks for, in the project, its groups and its build."""
    groups = [entry for group in PROJECT["dependency-groups"].values() for entry in group if isinstance(entry, str)]
    return [
        Requirement(text)
        for text in [*PROJECT["project"]["dependencies"], *groups, *PROJECT["build-system"]["requires"]]
    ]


def test_every_requirement_is_pinned_and_has_a_hash() -> None:
    bare = [name for name, line in locked().items() if "==" not in line or "--hash=sha256:" not in line]
    assert bare == []


def test_lock_holds_no_address_and_no_option() -> None:
    assert re.findall(r"\w+://\S*", LOCK) == []
    assert [line for line in LOCK.splitlines() if line.startswith("-")] == []
    assert re.findall(r"(?m)^\S+ @ ", LOCK) == []


@pytest.mark.parametrize("requirement", declared(), ids=str)
def test_lock_satisfies_what_the_project_declares(requirement: Requirement) -> None:
    line = locked().get(canonicalize_name(requirement.name))
    assert line is not None, f"{requirement.name} is declared but not locked: run `make lock`"
    version = re.search(r"==([^\s;]+)", line)
    assert version is not None
    assert requirement.specifier.contains(version.group(1)), f"{requirement} is locked at {version.group(1)}"


def test_the_suite_runs_with_the_locked_duckdb() -> None:
    assert f"duckdb=={distribution('duckdb').version} " in locked()["duckdb"]
