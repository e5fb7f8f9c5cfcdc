"""Runs the .sql that lies beside a module and gives its rows as the module's own type.

A metric is one SQL file with one SELECT; the module beside it is its typed signature. An answer carries
what "Why this number?" needs: the SQL, its parameters, the generation read, and what was left out and why.
"""

from __future__ import annotations

import dataclasses
import inspect
import itertools
import json
import re
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import duckdb

from ingest.store.errors import FaultlensError

if TYPE_CHECKING:
    import pandas as pd

R = TypeVar("R")


class BadParameter(FaultlensError):
    """A query was asked with a parameter it does not have, or a value it cannot take."""


class Engine(Protocol):
    """What answers SQL over one generation of a store: a lease, or another engine that was put in its place."""

    generation: str

    def rows(self, sql: str, params: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """Every row of one query, by column name."""


@dataclass(frozen=True)
class Answer(Generic[R]):
    """The rows of one query over one generation of the store."""

    rows: tuple[R, ...]
    name: str
    sql: str
    parameters: Mapping[str, Any]
    generation: Any
    left_out: Mapping[str, int] = field(default_factory=dict)

    def __iter__(self) -> Iterator[R]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def first(self) -> R | None:
        """The first row, or None where there is none."""
        return self.rows[0] if self.rows else None

    def frame(self) -> pd.DataFrame:
        """The rows as a frame, for tables and charts; columns stand even when there is no row."""
        import pandas as pd  # noqa: PLC0415 - a command that prints rows does not wait for pandas

        if not self.rows:
            return pd.DataFrame()
        columns = [column.name for column in dataclasses.fields(typing.cast("Any", self.rows[0]))]
        return pd.DataFrame([[getattr(row, column) for column in columns] for row in self.rows], columns=columns)


PORTABLE = "-- portable"
_INCLUDED = re.compile(r"^-- include (\S+)\n", re.MULTILINE)


@cache
def statement(path: Path) -> str:
    """The text of a SQL file. A line `-- include PATH`, from its folder, is a file that several metrics start from."""
    text = path.read_text(encoding="utf-8")
    return _INCLUDED.sub(lambda line: statement(path.parent / line[1]), text)


def ask(lease: Engine, module_file: str, row: type[R], **parameters: Any) -> Answer[R]:
    """The answer of the SQL file beside `module_file`, with its left-out counts where it has a file for them."""
    path = Path(module_file).with_suffix(".sql")
    sql = statement(path)
    fields = [column.name for column in dataclasses.fields(typing.cast("Any", row))]
    rows = tuple(row(*(_read(record[name]) for name in fields)) for record in lease.rows(sql, parameters))
    return Answer(rows, path.stem, sql, parameters, lease.generation, _left_out(lease, path, parameters))


def _read(value: Any) -> Any:
    """Lists as tuples, so that a row can be hashed and nobody changes it."""
    return tuple(value) if isinstance(value, list) else value


def _left_out(lease: Engine, path: Path, parameters: Mapping[str, Any]) -> dict[str, int]:
    """What the query's own file counts, else the one of its topic where the query has all of that file's parameters."""
    files = [file for file in (path.with_suffix(".left_out.sql"), path.with_name("left_out.sql")) if file.exists()]
    sql = next((text for text in map(statement, files) if declared(text) <= parameters.keys()), None)
    if sql is None:
        return {}
    counted = lease.rows(sql, {name: parameters[name] for name in declared(sql)})
    return {record["reason"]: record["rows"] for record in counted if record["rows"]}


@cache
def declared(sql: str) -> frozenset[str]:
    """The names of the $parameters of a statement; DuckDB refuses to be given any other."""
    return frozenset(duckdb.extract_statements(sql)[0].named_parameters)


@dataclass(frozen=True)
class Query:
    """A named query: what a module in `queries/` offers to the command line and the pages."""

    name: str
    row: type[Any]
    function: Callable[..., Answer[Any]]

    @property
    def summary(self) -> str:
        """The first line of the function's docstring."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]

    @property
    def sql(self) -> str:
        """The text of its file."""
        return statement(Path(inspect.getfile(self.function)).with_suffix(".sql"))

    @property
    def is_portable(self) -> bool:
        """Whether a line of the file's head says `-- portable`: the same SQL answers the same on Spark."""
        head = itertools.takewhile(lambda line: line.startswith("--"), self.sql.splitlines())
        return PORTABLE in head

    @property
    def parameters(self) -> dict[str, inspect.Parameter]:
        """The keyword-only parameters, by name."""
        found = inspect.signature(self.function, eval_str=True).parameters.values()
        return {parameter.name: parameter for parameter in found if parameter.kind is parameter.KEYWORD_ONLY}

    def ask(self, lease: Engine, given: Mapping[str, str]) -> Answer[Any]:
        """The answer to parameters given as text."""
        for name in given:
            if name not in self.parameters:
                known = ", ".join(self.parameters) or "none"
                raise BadParameter(f"query {self.name} has no parameter '{name}'; it takes: {known}")
        for name, parameter in self.parameters.items():
            if parameter.default is parameter.empty and name not in given:
                raise BadParameter(f"query {self.name} needs --param {name}=…")
        values = {name: _as_type(self.name, self.parameters[name], text) for name, text in given.items()}
        return self.function(lease, **values)


def _as_type(query: str, parameter: inspect.Parameter, text: str) -> Any:
    wanted = parameter.annotation
    if isinstance(wanted, types.UnionType):
        wanted = next(option for option in typing.get_args(wanted) if option is not type(None))
    if typing.get_origin(wanted) is typing.Literal:
        return _one_of(query, parameter.name, text, typing.get_args(wanted))
    try:
        return _CONVERSIONS.get(wanted, str)(text)
    except ValueError as error:
        raise BadParameter(f"query {query}, parameter {parameter.name}: '{text}' cannot be read ({error})") from None


def _one_of(query: str, parameter: str, text: str, words: tuple[str, ...]) -> str:
    if text not in words:
        raise BadParameter(f"query {query}, parameter {parameter}: '{text}' is none of {', '.join(words)}")
    return text


def time_from(text: str) -> datetime:
    """An ISO time in UTC; without a zone it is UTC, a date alone is its first instant."""
    value = datetime.fromisoformat(text.strip())
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def _truth(text: str) -> bool:
    if text.lower() in {"true", "yes", "1"}:
        return True
    if text.lower() in {"false", "no", "0"}:
        return False
    raise ValueError("say true or false")


_CONVERSIONS: dict[Any, Callable[[str], Any]] = {
    datetime: time_from,
    int: int,
    float: float,
    bool: _truth,
    dict: json.loads,
    str: str,
}
