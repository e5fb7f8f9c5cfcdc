"""Runs the numbered SQL of `steps/` over staged records: what is computed once, when records are loaded."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import duckdb


@cache
def statements() -> tuple[str, ...]:
    """The steps in order."""
    folder = files("ingest.derive") / "steps"
    found = sorted((entry for entry in folder.iterdir() if entry.name.endswith(".sql")), key=lambda entry: entry.name)
    return tuple(entry.read_text(encoding="utf-8") for entry in found)


def run(con: duckdb.DuckDBPyConnection) -> None:
    """Every derived column and table of the staged runs is filled."""
    for statement in statements():
        con.execute(statement).fetchall()
