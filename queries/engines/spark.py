"""Spark over the Parquet of a store: the same statements, the same rows."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ingest.store import FaultlensError, Lease
from queries.engines.frames import frame_of
from queries.engines.lake import lake_relation
from queries.engines.portable import counts_in, names_in, spark_sql, tables_read
from queries.engines.relation import columns_of, exported, place_of
from queries.engines.session import session
from queries.engines.views import views

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# A LIMIT takes no larger number there, and no answer has more rows.
_MOST = 2**31 - 1


class SparkRefused(FaultlensError):
    """Spark cannot run a statement, or not with these parameters."""


class SparkEngine:
    """Answers what a lease is asked, over the same generation; the lease stays open meanwhile."""

    def __init__(self, lease: Lease, spark: SparkSession, folder: Path) -> None:
        """Nothing of the store is known to Spark yet; what must be copied goes into the folder."""
        self.generation = lease.generation
        self._lease = lease
        self._spark = spark
        self._folder = folder
        self._copies = count(1)
        self._known: dict[str, frozenset[str]] = {}

    def rows(self, sql: str, params: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """Every row of one portable query, by column name."""
        text, bounds = spark_sql(sql), counts_in(sql)
        given = {name: min(value, _MOST) if name in bounds else value for name, value in (params or {}).items()}
        with _said_in_one_line():
            self._make_known(sql)
            rows: list[dict[str, Any]] = self._spark.sql(text, args=given).toArrow().to_pylist()
        return rows

    def forget(self) -> None:
        """Spark knows no table of the store any more."""
        for name in self._known:
            self._spark.catalog.dropTempView(name)
        self._known.clear()

    def _make_known(self, sql: str) -> None:
        """Spark knows every table and view that the statement reads, with the columns that it names."""
        wanted = names_in(sql)
        for name in sorted(tables_read(sql)):
            if (view := views().get(name)) is not None:
                self._make_known(view)
                self._know(name, self._spark.sql(spark_sql(view)), frozenset())
            elif not wanted <= self._known.get(name, frozenset()):
                wanted_of_it = wanted | self._known.get(name, frozenset())
                self._know(name, self._table(name, wanted_of_it), wanted_of_it)

    def _know(self, name: str, frame: DataFrame, columns: frozenset[str]) -> None:
        frame.createOrReplaceTempView(name)
        self._known[name] = columns

    def _table(self, name: str, wanted: frozenset[str]) -> DataFrame:
        place = place_of(self._lease, name)
        columns = columns_of(self._lease, place, wanted)
        if place.kind == "ducklake":
            return frame_of(self._spark, lake_relation(self._lease, place, columns))
        copy = self._folder / f"{name}-{next(self._copies)}.parquet"
        return frame_of(self._spark, exported(self._lease, place, columns, copy))


@contextmanager
def spark_engine(lease: Lease) -> Iterator[SparkEngine]:
    """Spark, asked in the place of a lease."""
    spark = session()
    with tempfile.TemporaryDirectory(prefix="faultlens-spark-") as folder:
        engine = SparkEngine(lease, spark, Path(folder))
        try:
            yield engine
        finally:
            engine.forget()


@contextmanager
def _said_in_one_line() -> Iterator[None]:
    """What Spark refuses is one line; the warning that it does not know the newest pandas is none, for none is used."""
    from pyspark.errors import PySparkException  # noqa: PLC0415 - an extra

    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
            yield
    except PySparkException as error:
        raise SparkRefused(f"Spark: {str(error).partition(chr(10))[0]}") from None
