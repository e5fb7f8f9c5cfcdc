"""The Spark session: on the cluster that Spark's own configuration names, else on the cores of this machine."""

from __future__ import annotations

import importlib.util
import logging
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from ingest.store import FaultlensError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# What an answer depends on. The cluster, its memory and its stores are Spark's own configuration (SPARK_CONF_DIR).
_SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.timestampType": "TIMESTAMP_LTZ",
    "spark.sql.ansi.enabled": "true",  # a number that does not fit is an error, as in DuckDB, and not NULL
    "spark.sql.caseSensitive": "false",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
_PARTS, _PARTS_UNLESS_TOLD = "spark.sql.shuffle.partitions", "200"
_INSTALL = "install faultlens[spark] and a Java runtime, 17 or newer (Debian: openjdk-17-jre-headless)"


class SparkMissing(FaultlensError):
    """There is no Spark here, or it does not start."""


def require_installed() -> None:
    """Everything is there that --engine spark needs beside faultlens itself."""
    missing = [name for name in ("pyspark", "sqlglot") if importlib.util.find_spec(name) is None]
    # With Spark Connect, Java runs on the server.
    if not _has_java() and not os.environ.get("SPARK_REMOTE"):
        missing.append("Java")
    if missing:
        raise SparkMissing(f"--engine spark needs {' and '.join(missing)}: {_INSTALL}")


def session() -> SparkSession:
    """The session of this process; the first call starts Java, which takes some seconds."""
    require_installed()
    from pyspark.errors import PySparkException  # noqa: PLC0415 - an extra
    from pyspark.sql import SparkSession  # noqa: PLC0415 - an extra

    builder = SparkSession.builder.appName("faultlens")
    for key, value in _SETTINGS.items():
        builder = builder.config(key, value)
    # What goes wrong comes as an exception, and is said once.
    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        logging.getLogger(name).disabled = True
    with _java_aside() as said:
        try:
            spark = builder.getOrCreate()
        except (PySparkException, OSError) as error:
            raise SparkMissing(f"Spark does not start: {_last_line(said) or error}: {_INSTALL}") from None
    _fit_to_this_machine(spark)
    return spark


def _fit_to_this_machine(spark: SparkSession) -> None:
    """One part for each core where the work stays here and nobody chose: two hundred would cost more than the work."""
    if spark.conf.get("spark.master", "").startswith("local") and spark.conf.get(_PARTS) == _PARTS_UNLESS_TOLD:
        spark.conf.set(_PARTS, str(os.cpu_count() or 1))


def _has_java() -> bool:
    home = os.environ.get("JAVA_HOME")
    return shutil.which("java") is not None or bool(home and (Path(home) / "bin" / "java").is_file())


@contextmanager
def _java_aside() -> Iterator[IO[bytes]]:
    """What Java tells on standard error goes into a file, then and later: it is no word to the reader of an answer."""
    with tempfile.TemporaryFile() as said:
        kept = os.dup(2)
        os.dup2(said.fileno(), 2)
        try:
            yield said
        finally:
            os.dup2(kept, 2)
            os.close(kept)


def _last_line(said: IO[bytes]) -> str:
    said.seek(0)
    lines = said.read().decode(errors="replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "")
