"""Every query keeps the same contract; a new one is under test because it is there."""

from __future__ import annotations

import dataclasses
import inspect
import re
import types
import typing
from datetime import date, datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ingest.store import Lease
from queries.catalogue import queries
from queries.reader import Query, statement

ALL = list(queries().values())
TYPES = {
    "VARCHAR": str,
    "BIGINT": int,
    "INTEGER": int,
    "HUGEINT": int,
    "DOUBLE": float,
    "BOOLEAN": bool,
    "TIMESTAMP WITH TIME ZONE": datetime,
    "DATE": date,
    "VARCHAR[]": tuple,
    "BIGINT[]": tuple,
}


def path_of(query: Query) -> Path:
    return Path(inspect.getfile(query.function)).with_suffix(".sql")


def sql_of(query: Query) -> str:
    return statement(path_of(query))


def options_of(wanted: Any) -> tuple[Any, ...]:
    """The types that a field may have."""
    return typing.get_args(wanted) if isinstance(wanted, types.UnionType) else (wanted,)


def defaults(query: Query) -> dict[str, Any]:
    """The parameters a query is asked with when nobody gives any; a needed one is a name nothing has."""
    return {
        name: "nobody has this name" if parameter.default is parameter.empty else parameter.default
        for name, parameter in query.parameters.items()
    }


@pytest.mark.parametrize("query", ALL, ids=lambda query: query.name)
class TestEveryQuery:
    def test_is_one_documented_select_with_an_order(self, query: Query) -> None:
        sql = sql_of(query)
        (only,) = duckdb.extract_statements(sql)
        assert only.type == duckdb.StatementType.SELECT
        assert sql.startswith("-- "), "the first line says what a row is"
        code = re.sub(r"--.*", "", sql).upper()
        assert "ORDER BY" in code
        assert not re.search(r"SELECT\s+(\w+\.)?\*", code)

    def test_declares_the_parameters_of_its_sql(self, query: Query) -> None:
        assert duckdb.extract_statements(sql_of(query))[0].named_parameters == set(query.parameters)

    def test_left_out_counts_use_its_parameters_only(self, query: Query) -> None:
        beside = path_of(query).with_suffix(".left_out.sql")
        if beside.exists():
            (only,) = duckdb.extract_statements(beside.read_text(encoding="utf-8"))
            assert only.named_parameters <= set(query.parameters)

    def test_gives_the_columns_of_its_row(self, query: Query, empty_lease: Lease) -> None:
        described = empty_lease.rows(f"DESCRIBE {sql_of(query)}", defaults(query))
        fields = typing.get_type_hints(query.row)
        assert [column["column_name"] for column in described] == [f.name for f in dataclasses.fields(query.row)]
        for column in described:
            wanted = fields[column["column_name"]]
            options = [typing.get_origin(option) or option for option in options_of(wanted)]
            of_sql = TYPES[re.sub(r"^DECIMAL.*", "DOUBLE", column["column_type"])]
            assert of_sql in options, f"{column['column_name']}: {column['column_type']}, {wanted}"

    def test_answers_on_an_empty_store(self, query: Query, empty_lease: Lease) -> None:
        answer = query.function(empty_lease, **defaults(query))
        assert answer.name == query.name
        assert answer.generation == empty_lease.generation

    def test_answers_on_a_full_store_with_rows_of_its_type(self, query: Query, full_lease: Lease) -> None:
        asked = defaults(query)
        if "run" in asked:
            asked["run"] = "demo:run-0001"
        for row in query.function(full_lease, **asked):
            for name, wanted in typing.get_type_hints(query.row).items():
                allowed = tuple(typing.get_origin(option) or option for option in options_of(wanted))
                assert isinstance(getattr(row, name), allowed), f"{name} is {getattr(row, name)!r}, not {wanted}"
            # All sessions of a server are handed the same rows: nobody can change one.
            hash(row)

    def test_says_what_it_answers(self, query: Query) -> None:
        assert query.summary.endswith(".")
        assert inspect.getdoc(query.row)
