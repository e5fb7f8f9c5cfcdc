"""When a step or a rule has something to do: cheap questions about the staged tables, all asked in one statement.

A condition is written `TABLE`, `TABLE WHERE predicate` (it holds where one row fulfils it) or `TABLE HAVING aggregate`.
Most ingests have no hand-off and no wait; what would find nothing is not even planned.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

import duckdb

_CONDITION = r"(\w+)(?: (WHERE|HAVING) (.+))?"
_HEAD = re.compile(rf"^-- when: {_CONDITION}$", re.MULTILINE)
_ARM = re.compile(rf"^ *-- arm: {_CONDITION}\n((?:.*\n)*?) *-- end\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Condition:
    """A table, and what must be true of its rows; without more it is enough that there is a row."""

    table: str
    aggregate: str | None = None


def conditions_in(text: str) -> tuple[Condition, ...]:
    """The conditions that the head of a file declares, a `-- when:` line each: one of them is enough."""
    return tuple(Condition(table, _aggregate(how, what)) for table, how, what in _HEAD.findall(text))


def _aggregate(how: str | None, what: str | None) -> str | None:
    return f"bool_or({what})" if how == "WHERE" else what or None


def with_arms(con: duckdb.DuckDBPyConnection, text: str, tables_with_rows: Collection[str]) -> str:
    """The statements without those parts, between `-- arm: CONDITION` and `-- end`, whose condition does not hold."""
    asked = [Condition(table, _aggregate(how, what)) for table, how, what, _ in _ARM.findall(text)]
    holding = met(con, asked, tables_with_rows)
    return _ARM.sub(lambda arm: arm[4] if Condition(arm[1], _aggregate(arm[2], arm[3])) in holding else "", text)


def filled(con: duckdb.DuckDBPyConnection, tables: Iterable[str], catalog: str = "memory.main") -> frozenset[str]:
    """Those of the tables of a catalog that have rows."""
    arms = [f"(SELECT '{table}' FROM {catalog}.{table} LIMIT 1)" for table in tables]
    return frozenset(row[0] for row in con.execute(" UNION ALL ".join(arms)).fetchall()) if arms else frozenset()


def met(
    con: duckdb.DuckDBPyConnection, asked: Iterable[Condition], tables_with_rows: Collection[str]
) -> frozenset[Condition]:
    """The conditions that hold."""
    possible = dict.fromkeys(condition for condition in asked if condition.table in tables_with_rows)
    holding = {condition for condition in possible if condition.aggregate is None}
    return frozenset(holding | _aggregated(con, [condition for condition in possible if condition.aggregate]))


def _aggregated(con: duckdb.DuckDBPyConnection, asked: list[Condition]) -> set[Condition]:
    """Each table is read once, whatever number of conditions there is on it."""
    by_table: dict[str, list[Condition]] = {}
    for condition in asked:
        by_table.setdefault(condition.table, []).append(condition)
    arms = [
        f"SELECT '{table}', [{', '.join(str(one.aggregate) for one in of_table)}] FROM {table}"
        for table, of_table in by_table.items()
    ]
    rows = con.execute(" UNION ALL ".join(arms)).fetchall() if arms else []
    return {one for table, holds in rows for one, is_met in zip(by_table[table], holds, strict=True) if is_met}
