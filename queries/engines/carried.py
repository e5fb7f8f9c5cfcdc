"""What sqlglot does not say rightly in Spark's SQL, said."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from sqlglot import exp


def carried(tree: exp.Expr) -> exp.Expr:
    """The statement, of which sqlglot's own translation means the same on Spark."""
    tree = tree.copy()
    # From the leaves up: what is put in the place of a node holds nodes that are done.
    for node in reversed(list(tree.walk())):
        if (carry := _carry(node)) and (said := carry(node)) is not node:
            node.replace(said)
    return tree


def spark_type(duckdb_type: str) -> str:
    """A type of DuckDB by the name that Spark has for it."""
    return exp.DataType.build(duckdb_type.replace("JSON", "VARCHAR"), dialect="duckdb").sql("spark")


def is_carried(function: str) -> bool:
    """Whether a function that sqlglot does not know is carried here."""
    return function.upper() in _FUNCTIONS


def _carry(node: exp.Expr) -> Callable[[Any], exp.Expr] | None:
    if isinstance(node, exp.Anonymous):
        return _FUNCTIONS.get(node.name.upper())
    return next((carry for kind, carry in _NODES if isinstance(node, kind)), None)


def _of_what_is_there(node: exp.ArgMax | exp.ArgMin) -> exp.Expr:
    """DuckDB passes over rows whose answer is NULL; Spark would give that NULL."""
    is_there = node.this.copy().is_(exp.null()).not_()
    if isinstance(node.parent, exp.Filter):
        where = node.parent.expression
        where.set("this", exp.and_(where.this, is_there))
        return node
    return exp.Filter(this=node.copy(), expression=exp.Where(this=is_there))


def _double(node: exp.Floor | exp.Ceil) -> exp.Expr:
    """A DOUBLE in DuckDB, a BIGINT in Spark."""
    return exp.cast(node.copy(), exp.DType.DOUBLE)


def _schema(node: exp.FromJson) -> exp.Expr:
    """The structure that DuckDB takes as JSON is a type to Spark."""
    structure = exp.Literal.string(_type_of(json.loads(node.expression.name)))
    return exp.Anonymous(this="FROM_JSON", expressions=[node.this.copy(), structure])


def _type_of(structure: Any) -> str:
    if isinstance(structure, list):
        return f"ARRAY<{_type_of(structure[0])}>"
    if isinstance(structure, dict):
        return f"STRUCT<{', '.join(f'`{name}`: {_type_of(kind)}' for name, kind in structure.items())}>"
    return spark_type(structure)


def _unasked(node: exp.CTE) -> exp.Expr:
    """Whether it is worked out once is for Spark to find out; it has no word for it."""
    node.set("materialized", None)
    return node


def _days(node: exp.ToDays) -> exp.Expr:
    return _interval(days=node.this)


def _seconds(node: exp.Anonymous) -> exp.Expr:
    return _interval(seconds=node.expressions[0])


def _interval(*, days: exp.Expr | None = None, seconds: exp.Expr | None = None) -> exp.Expr:
    zero = exp.Literal.number(0)
    parts = [(days or zero).copy(), zero.copy(), zero.copy(), (seconds or zero).copy()]
    return exp.Anonymous(this="MAKE_DT_INTERVAL", expressions=parts)


def _unix_micros(node: exp.Anonymous) -> exp.Expr:
    return exp.Anonymous(this="UNIX_MICROS", expressions=[part.copy() for part in node.expressions])


_FUNCTIONS: dict[str, Callable[[exp.Anonymous], exp.Expr]] = {"EPOCH_US": _unix_micros, "TO_SECONDS": _seconds}
_NODES: tuple[tuple[Any, Callable[[Any], exp.Expr]], ...] = (
    (exp.ArgMax | exp.ArgMin, _of_what_is_there),
    (exp.Floor | exp.Ceil, _double),
    (exp.FromJson, _schema),
    (exp.ToDays, _days),
    (exp.CTE, _unasked),
)
