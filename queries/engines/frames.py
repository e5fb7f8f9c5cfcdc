"""A relation as Spark's frame, wherever each of its rows lies."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING

from queries.engines.carried import spark_type
from queries.engines.relation import Relation

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_SCHEME = re.compile(r"[a-z0-9]+://")
_PATTERN = re.compile(r"[\\*?\[\]{}]")
_POSITION = ("file_name", "row_index")


def frame_of(spark: SparkSession, relation: Relation) -> DataFrame:
    """Every row of the relation, once."""
    return reduce(lambda one, other: one.unionAll(other), _frames(spark, relation))


def _frames(spark: SparkSession, relation: Relation) -> Iterator[DataFrame]:
    gaps = set() if relation.deleted is None else set(relation.deleted["file_name"].to_pylist())
    whole = [file for file in relation.files if _name(file) not in gaps]
    shortened = [file for file in relation.files if _name(file) in gaps]
    if whole:
        yield _parquet(spark, relation, whole)
    if shortened:
        yield _without_deleted(spark, relation, shortened)
    if relation.beside or not relation.files:
        yield spark.createDataFrame(list(relation.beside), _schema(relation))


def _without_deleted(spark: SparkSession, relation: Relation, files: list[str]) -> DataFrame:
    placed = _parquet(spark, relation, files).select("*", *(f"_metadata.{part}" for part in _POSITION))
    deleted = spark.createDataFrame(relation.deleted, "file_name STRING, row_index BIGINT")
    return placed.join(deleted, list(_POSITION), "left_anti").select(*relation.columns)


def _parquet(spark: SparkSession, relation: Relation, files: list[str]) -> DataFrame:
    # Taken as files: the name of a folder becomes no column.
    reader = spark.read.schema(_schema(relation)).option("recursiveFileLookup", "true")
    return reader.parquet(*map(_address, files))


def _schema(relation: Relation) -> str:
    return ", ".join(f"`{name}` {spark_type(kind)}" for name, kind in relation.columns.items())


def _name(file: str) -> str:
    return file.rpartition("/")[2]


def _address(file: str) -> str:
    """The file as Hadoop names it: letter by letter, none of them part of a pattern, one client for every S3."""
    named = file if _SCHEME.match(file) else f"file://{Path(file).absolute()}"
    literal = _PATTERN.sub(r"\\\g<0>", named)
    return f"s3a{literal.removeprefix('s3')}" if literal.startswith("s3://") else literal
