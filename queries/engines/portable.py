"""A portable statement: DuckDB's SQL that says the same on Spark, once sqlglot has translated it.

A query is portable when a line of its head comment is `-- portable`. What sqlglot leaves to be said is in `carried`,
what would mean another thing there is refused by `refused`: a query answers the same on either engine, or not at all.
"""

from __future__ import annotations

from functools import cache

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import traverse_scope

from ingest.store import FaultlensError
from queries.engines.carried import carried
from queries.engines.refused import refused


class NotPortable(FaultlensError):
    """A statement says what does not carry to Spark, or not with the same answer."""


@cache
def spark_sql(sql: str) -> str:
    """The statement as Spark takes it, its $parameters as :parameters."""
    tree = parsed(sql)
    if reasons := refused(sql, tree):
        raise NotPortable(f"this statement does not carry to Spark: {'; '.join(reasons)}")
    # Quoted throughout: what is a plain name to one engine is a keyword to the other.
    return carried(tree).sql("spark", identify=True, comments=False)


@cache
def parsed(sql: str) -> exp.Expr:
    """The tree of one statement in DuckDB's SQL; nobody changes it."""
    try:
        return sqlglot.parse_one(sql, read="duckdb")
    except SqlglotError as error:
        raise NotPortable(f"this statement does not carry to Spark: {error}") from None


def tables_read(sql: str) -> frozenset[str]:
    """The tables and views that a statement reads; what it names itself is none of them."""
    sources = (source for scope in traverse_scope(parsed(sql)) for source in scope.sources.values())
    return frozenset(source.name for source in sources if isinstance(source, exp.Table))


def names_in(sql: str) -> frozenset[str]:
    """Every name that stands in a statement: no column that it reads is missing."""
    return frozenset(name.name for name in parsed(sql).find_all(exp.Identifier))


def counts_in(sql: str) -> frozenset[str]:
    """The parameters that say how many rows, or from which one on."""
    bounds = parsed(sql).find_all(exp.Limit, exp.Offset)
    return frozenset(parameter.name for bound in bounds for parameter in bound.find_all(exp.Placeholder))
