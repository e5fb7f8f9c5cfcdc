"""Every named query there is, found by discovery: a .py in a topic folder with its .sql beside it."""

from __future__ import annotations

import importlib
import typing
from functools import cache
from pathlib import Path

from ingest.store.errors import FaultlensError
from queries.reader import Query

ROOM = Path(__file__).parent


class UnknownQuery(FaultlensError):
    """There is no query of that name."""


@cache
def queries() -> dict[str, Query]:
    """The queries by name."""
    files = sorted(path for path in ROOM.glob("*/*.py") if path.with_suffix(".sql").exists())
    found = [_declared(path) for path in files]
    return {query.name: query for query in sorted(found, key=lambda query: query.name)}


def _declared(path: Path) -> Query:
    """The query of a module: the function that bears the file's name, its row the answer's type argument."""
    module = importlib.import_module(f"queries.{path.parent.name}.{path.stem}")
    function = getattr(module, path.stem)
    answer = typing.get_type_hints(function)["return"]
    return Query(path.stem, typing.get_args(answer)[0], function)


def named(name: str) -> Query:
    """The query of that name."""
    if name not in queries():
        raise UnknownQuery(f"there is no query '{name}'; known are: {', '.join(queries())}")
    return queries()[name]
