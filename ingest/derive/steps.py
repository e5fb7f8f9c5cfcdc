"""Runs the numbered steps over staged records: what is computed once, when records are loaded.

A step is a SQL file in `steps/`, or a module of this package with `STEP` (its number and name) and `derive(con, rows)`,
for what cannot be said in SQL. Both are found by discovery and run in one order. The head of a file says when there is
something to do (`-- when:`, see `conditions`; in a module `WHEN`), and which tables may have rows afterwards
(`-- fills:`, `FILLS`). A part of a statement between `-- arm:` and `-- end` stands only where its condition holds.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files

import duckdb

import ingest.derive
from ingest.derive.conditions import Condition, conditions_in, met, with_arms
from ingest.derive.version import version

_FILLS = re.compile(r"^-- fills: (.+)$", re.MULTILINE)

Rows = Collection[str]
Derive = Callable[[duckdb.DuckDBPyConnection, Rows], object]


@dataclass(frozen=True)
class Step:
    """A step, when it has something to do, and the tables that may have rows once it is done."""

    derive: Derive
    when: tuple[Condition, ...] = ()
    fills: tuple[str, ...] = ()

    def __call__(self, con: duckdb.DuckDBPyConnection, rows: Rows | None = None) -> None:
        """It is derived; `rows` are the tables that have some, None where nobody looked."""
        self.derive(con, _everything(con) if rows is None else rows)


@cache
def steps() -> tuple[tuple[str, Step], ...]:
    """The steps by name, in order."""
    return tuple(sorted([*_in_sql(), *_in_python()], key=lambda step: step[0]))


def run(con: duckdb.DuckDBPyConnection, rows: Rows) -> None:
    """Every derived column and table of the staged runs is filled; `rows` are the record tables that have some."""
    with_rows = set(rows)
    holding = met(con, (condition for _, step in steps() for condition in step.when), rows)
    for _, step in steps():
        if not step.when or any(_holds(condition, holding, with_rows) for condition in step.when):
            step(con, with_rows)
            with_rows.update(step.fills)
    con.execute("UPDATE runs SET derived_by = ?", [version()]).fetchall()


def _holds(condition: Condition, holding: Collection[Condition], rows: Rows) -> bool:
    """It held at the beginning, or a step before has filled the table."""
    return condition in holding or (condition.aggregate is None and condition.table in rows)


def _everything(con: duckdb.DuckDBPyConnection) -> set[str]:
    return {name for (name,) in con.execute("SELECT DISTINCT table_name FROM duckdb_tables()").fetchall()}


def _in_sql() -> list[tuple[str, Step]]:
    folder = files("ingest.derive") / "steps"
    texts = [(entry.name, entry.read_text(encoding="utf-8")) for entry in folder.iterdir() if _is_sql(entry.name)]
    return [(name, Step(partial(_execute, text), conditions_in(text), _fills(text))) for name, text in texts]


def _is_sql(name: str) -> bool:
    return name.endswith(".sql")


def _fills(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for line in _FILLS.findall(text) for name in line.split(","))


def _execute(text: str, con: duckdb.DuckDBPyConnection, rows: Rows) -> None:
    con.execute(with_arms(con, text, rows)).fetchall()


def _in_python() -> list[tuple[str, Step]]:
    names = sorted(module.name for module in pkgutil.iter_modules(ingest.derive.__path__) if module.name != "steps")
    modules = [importlib.import_module(f"ingest.derive.{name}") for name in names]
    return [
        (module.STEP, Step(module.derive, getattr(module, "WHEN", ()), getattr(module, "FILLS", ())))
        for module in modules
        if hasattr(module, "STEP")
    ]
