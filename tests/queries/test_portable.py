"""Every query that says it is portable is translated to Spark's SQL here; what it answers there is `make soak`."""

from __future__ import annotations

import dataclasses
import inspect
import re
from pathlib import Path

import pytest
import sqlglot
from sqlglot import exp

from ingest.store import Lease
from queries.catalogue import queries
from queries.engines.carried import spark_type
from queries.engines.portable import NotPortable, counts_in, spark_sql, tables_read
from queries.engines.views import views
from queries.reader import Query, statement

PORTABLE = [query for query in queries().values() if query.is_portable]
# The queries that sum over everything: they must carry, whatever else does.
SUMS = {
    "recovery_chains", "recovery_calibration", "recovery_trend", "escalation_band", "context_stage",
    "context_stage_shares", "origin_matrix", "origin_figures", "signatures", "failed_share", "totals", "outcomes",
    "runs", "findings", "finding_counts", "failure_classes", "error_axes", "ingest_totals", "rejection_reasons",
    "coordination",
}  # fmt: skip


def left_out_of(query: Query) -> str | None:
    """The statement that counts what the query leaves out."""
    path = Path(inspect.getfile(query.function))
    files = (path.with_suffix(".left_out.sql"), path.with_name("left_out.sql"))
    return next((statement(file) for file in files if file.exists()), None)


def spark_tree(sql: str) -> exp.Query:
    tree = sqlglot.parse_one(spark_sql(sql), read="spark")
    assert isinstance(tree, exp.Query)
    return tree


def test_what_sums_over_everything_is_portable() -> None:
    assert {query.name for query in PORTABLE} >= SUMS


@pytest.mark.parametrize("query", PORTABLE, ids=lambda query: query.name)
class TestEveryPortableQuery:
    def test_carries_with_its_columns_and_parameters(self, query: Query) -> None:
        tree = spark_tree(query.sql)
        assert tree.named_selects == [field.name for field in dataclasses.fields(query.row)]
        assert {each.name for each in tree.find_all(exp.Placeholder)} == set(query.parameters)

    def test_what_it_leaves_out_carries_too(self, query: Query) -> None:
        sql = left_out_of(query)
        if sql is not None:
            assert spark_tree(sql).named_selects == ["reason", "rows"]

    def test_reads_tables_of_the_store_and_views_that_carry(self, query: Query, empty_lease: Lease) -> None:
        for name in tables_read(query.sql):
            if name in views():
                spark_sql(views()[name])
            else:
                assert empty_lease.rows(f"DESCRIBE {name}")


# ------------------------------------------------------------------------------------------------ what is refused

REFUSED = [
    ("a function sqlglot does not know", "SELECT printf('%d', a) FROM runs", "printf"),
    ("a decimal", "SELECT errors / 1.96 FROM runs", "1.96e0"),
    ("a decimal without a digit before it", "SELECT errors * .5 FROM runs", ".5e0"),
    ("boundaries between times", "SELECT date_diff('second', started_at, ended_at) FROM runs", "epoch_us"),
    ("a time bucket", "SELECT time_bucket(INTERVAL 1 DAY, started_at) FROM runs", "date_trunc"),
    ("a time from milliseconds", "SELECT epoch_ms(errors) FROM runs", "epoch_us"),
    ("a time from nanoseconds", "SELECT make_timestamp_ns(errors) FROM runs", "make_timestamp_ns"),
    ("the value of any row", "SELECT any_value(name) FROM runs", "min or max"),
    ("a quantile", "SELECT quantile_cont(errors, 0.5e0) FROM runs", "median"),
    ("a percentile", "SELECT percentile_cont(0.5e0) WITHIN GROUP (ORDER BY errors) FROM runs", "median"),
    ("the length of whatever it is", "SELECT len(flags) FROM runs", "array_length"),
    ("every column", "SELECT * FROM runs", "name the columns"),
    ("every column of a table", "SELECT runs.* FROM runs", "name the columns"),
    ("the nearest row", "SELECT 1 FROM runs ASOF JOIN waits ON runs.started_at >= waits.since", "ASOF"),
    ("rows without another", "SELECT 1 FROM runs ANTI JOIN waits USING (run_id)", "NOT EXISTS"),
    ("rows with another", "SELECT 1 FROM runs SEMI JOIN waits USING (run_id)", "EXISTS"),
    ("every field of a list", "SELECT unnest(flags, recursive := true) FROM runs", "name the fields"),
    ("the first match alone", "SELECT regexp_replace(name, 'a', 'b') FROM runs", "'g'"),
    ("a list out of JSON", "SELECT json_extract_string(attributes, '$.a[*]') FROM runs", "from_json"),
    ("a list in no order", "SELECT list(name) FROM runs", "list_sort"),
    ("a list in its rows' order", "SELECT list(name ORDER BY errors) FROM runs", "list_sort"),
    ("no statement", "SELECT FROM WHERE", "does not carry"),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "words"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_what_would_mean_another_thing_is_refused(sql: str, words: str) -> None:
    with pytest.raises(NotPortable, match=re.escape(words)):
        spark_sql(sql)


def test_every_reason_is_said_at_once() -> None:
    with pytest.raises(NotPortable, match=r"any_value.*date_diff"):
        spark_sql("SELECT any_value(name), date_diff('day', started_at, ended_at) FROM runs")


def test_a_form_in_a_comment_or_a_text_is_none() -> None:
    spark_sql("-- len(x) of what\nSELECT 'len 0.5' AS said FROM runs -- any_value(x)")


# ------------------------------------------------------------------------------------------------ what is carried

CARRIED = [
    ("NULL comes last", "SELECT a FROM t ORDER BY a", "SELECT `a` FROM `t` ORDER BY `a` NULLS LAST"),
    ("also downwards", "SELECT a FROM t ORDER BY a DESC", "SELECT `a` FROM `t` ORDER BY `a` DESC"),
    (
        "in a window",
        "SELECT lag(a) OVER (ORDER BY b) FROM t",
        "SELECT LAG(`a`) OVER (ORDER BY `b` NULLS LAST) FROM `t`",
    ),
    (
        "names that are words",
        'SELECT a AS rows, b AS "window" FROM t',
        "SELECT `a` AS `rows`, `b` AS `window` FROM `t`",
    ),
    ("parameters", "SELECT a FROM t WHERE b = $c LIMIT $d", "SELECT `a` FROM `t` WHERE `b` = :c LIMIT :d"),
    (
        "the value at the largest, where there is one",
        "SELECT arg_max(a, b) FROM t",
        "SELECT MAX_BY(`a`, `b`) FILTER(WHERE NOT `a` IS NULL) FROM `t`",
    ),
    (
        "the same among some rows",
        "SELECT arg_min(a, b) FILTER (c) FROM t",
        "SELECT MIN_BY(`a`, `b`) FILTER(WHERE `c` AND NOT `a` IS NULL) FROM `t`",
    ),
    ("a floor is a DOUBLE", "SELECT floor(a) FROM t", "SELECT CAST(FLOOR(`a`) AS DOUBLE) FROM `t`"),
    (
        "inside what is carried itself",
        "SELECT arg_max(ceil(a), b) FROM t",
        "SELECT MAX_BY(CAST(CEIL(`a`) AS DOUBLE), `b`) FILTER(WHERE NOT CAST(CEIL(`a`) AS DOUBLE) IS NULL) FROM `t`",
    ),
    ("microseconds", "SELECT epoch_us(a) FROM t", "SELECT UNIX_MICROS(`a`) FROM `t`"),
    ("a span of time", "SELECT a - to_seconds(b) FROM t", "SELECT `a` - MAKE_DT_INTERVAL(0, 0, 0, `b`) FROM `t`"),
    ("a span of days", "SELECT a - to_days(b) FROM t", "SELECT `a` - MAKE_DT_INTERVAL(`b`, 0, 0, 0) FROM `t`"),
    (
        "a structure in JSON",
        """SELECT from_json(a, '[{"b": "VARCHAR", "c": ["BIGINT"], "d": "TIMESTAMPTZ"}]') FROM t""",
        "SELECT FROM_JSON(`a`, 'ARRAY<STRUCT<`b`: STRING, `c`: ARRAY<BIGINT>, `d`: TIMESTAMP>>') FROM `t`",
    ),
    (
        "what is worked out once",
        "WITH a AS MATERIALIZED (SELECT 1 AS b) SELECT b FROM a",
        "WITH `a` AS (SELECT 1 AS `b`) SELECT `b` FROM `a`",
    ),
    ("whole division", "SELECT a // 1000 FROM t", "SELECT `a` DIV 1000 FROM `t`"),
    ("the first of a list", "SELECT a[1] FROM t", "SELECT `a`[0] FROM `t`"),
    ("how long a list is", "SELECT array_length(a) FROM t", "SELECT SIZE(`a`) FROM `t`"),
    (
        "a list in its own order",
        "SELECT coalesce(list_sort(list(DISTINCT a)), []) FROM t",
        "SELECT COALESCE(ARRAY_SORT(COLLECT_LIST(DISTINCT `a`)), ARRAY()) FROM `t`",
    ),
    ("a pattern", r"SELECT regexp_extract(a, '\s(b)', 1) FROM t", r"SELECT REGEXP_EXTRACT(`a`, '\\s(b)') FROM `t`"),
    ("a quotation mark", "SELECT a = 'it''s' FROM t", r"SELECT `a` = 'it\'s' FROM `t`"),
]


@pytest.mark.parametrize(("sql", "wanted"), [case[1:] for case in CARRIED], ids=[case[0] for case in CARRIED])
def test_what_sqlglot_leaves_to_be_said_is_said(sql: str, wanted: str) -> None:
    assert spark_sql(sql) == wanted


@pytest.mark.parametrize(
    ("duckdb", "spark"),
    [
        ("VARCHAR", "STRING"), ("JSON", "STRING"), ("BIGINT", "BIGINT"), ("INTEGER", "INT"), ("DOUBLE", "DOUBLE"),
        ("BOOLEAN", "BOOLEAN"), ("DATE", "DATE"), ("TIMESTAMP WITH TIME ZONE", "TIMESTAMP"),
        ("VARCHAR[]", "ARRAY<STRING>"), ("BIGINT[]", "ARRAY<BIGINT>"),
    ],
)  # fmt: skip
def test_a_column_has_the_same_type_there(duckdb: str, spark: str) -> None:
    assert spark_type(duckdb) == spark


def test_every_type_of_the_store_has_one(empty_lease: Lease) -> None:
    kinds = empty_lease.rows("SELECT DISTINCT data_type FROM duckdb_columns() WHERE NOT internal")
    assert all(spark_type(row["data_type"]) for row in kinds)


def test_tables_are_those_that_the_statement_does_not_name_itself() -> None:
    sql = "WITH runs AS (SELECT run_id FROM spans) SELECT run_id, (SELECT max(seq) FROM waits) FROM runs, findings AS f"
    assert tables_read(sql) == {"spans", "waits", "findings"}


def test_a_limit_is_known_for_what_it_is() -> None:
    assert counts_in("SELECT a FROM t WHERE b = $c LIMIT $limit OFFSET $offset") == {"limit", "offset"}


def test_views_are_as_the_newest_migration_left_them(empty_lease: Lease) -> None:
    made = empty_lease.rows("SELECT view_name FROM duckdb_views() WHERE NOT internal")
    assert set(views()) == {row["view_name"] for row in made}
