"""Runs the numbered steps over staged records: what is computed once, when records are loaded.

A step is a SQL file in `steps/`, or a module of this package with `STEP` (its number and name) and `derive(con)`, for
what cannot be said in SQL. Both are found by discovery and run in one order.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from functools import cache, partial
from importlib.resources import files

import duckdb

import ingest.derive

Step = Callable[[duckdb.DuckDBPyConnection], object]


@cache
def steps() -> tuple[tuple[str, Step], ...]:
    """The steps by name, in order."""
    return tuple(sorted([*_in_sql(), *_in_python()], key=lambda step: step[0]))


def run(con: duckdb.DuckDBPyConnection) -> None:
    """Every derived column and table of the staged runs is filled."""
    for _name, step in steps():
        step(con)


def _in_sql() -> list[tuple[str, Step]]:
    folder = files("ingest.derive") / "steps"
    entries = [entry for entry in folder.iterdir() if entry.name.endswith(".sql")]
    return [(entry.name, partial(_execute, entry.read_text(encoding="utf-8"))) for entry in entries]


def _execute(statement: str, con: duckdb.DuckDBPyConnection) -> None:
    con.execute(statement).fetchall()


def _in_python() -> list[tuple[str, Step]]:
    names = sorted(module.name for module in pkgutil.iter_modules(ingest.derive.__path__) if module.name != "steps")
    modules = [importlib.import_module(f"ingest.derive.{name}") for name in names]
    return [(module.STEP, module.derive) for module in modules if hasattr(module, "STEP")]
