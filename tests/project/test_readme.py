"""The README names every command and every option: whoever adds one writes it down."""

from __future__ import annotations

import importlib
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    import click

ROOT = Path(__file__).resolve().parents[2]


@cache
def readme() -> str:
    path = ROOT / "README.md"
    return path.read_text() if path.exists() else ""


def parts_of(command: click.Command, path: str) -> Iterator[tuple[str, str]]:
    """(command, word) for the name of the command and each of its long options."""
    yield path, path
    for parameter in command.params:
        for option in [*parameter.opts, *parameter.secondary_opts]:
            if option.startswith("--") and option != "--help":
                yield path, option
    for name, child in children_of(command):
        yield from parts_of(child, f"{path} {name}")


def children_of(command: click.Command) -> Iterator[tuple[str, click.Command]]:
    """The commands of a group; ours finds them in files, so they are asked for and not looked up in a dictionary."""
    import click

    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            if child is not None and not child.hidden:
                yield name, child


def words() -> list[tuple[str, str]]:
    """Every command and option there is; empty until the command line exists."""
    try:
        main = importlib.import_module("dashboard.cli").main
    except ModuleNotFoundError:
        return []
    return sorted(set(parts_of(main, "faultlens")))


@pytest.mark.parametrize(("command", "word"), words())
def test_readme_names(command: str, word: str) -> None:
    assert re.search(re.escape(word) + r"(?![\w-])", readme()), f"README.md does not name {word} of `{command}`"


def test_readme_names_every_make_target() -> None:
    targets = re.findall(r"(?m)^([a-z]+):.*##", (ROOT / "Makefile").read_text())
    missing = [target for target in targets if target not in {"help", "install"} and f"make {target}" not in readme()]
    assert missing == [], "README.md does not say what these targets do"
