"""`faultlens query`: any named query, as table, JSON, CSV or Parquet."""

from __future__ import annotations

import inspect
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dashboard.cli._options import opened, output_option, store_option, write

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from ingest.store.attach import Lease
    from queries.reader import Answer, Engine, Query

FORMATS = ("table", "json", "csv", "parquet")
ENGINES = ("duckdb", "spark")


@click.command("query")
@click.argument("name", required=False)
@click.option("--param", "parameters", multiple=True, metavar="key=value", help="A parameter of the query; repeatable.")
@click.option("--format", "format_name", type=click.Choice(FORMATS), default="table", show_default=True)
@click.option(
    "--engine",
    "engine_name",
    type=click.Choice(ENGINES),
    default="duckdb",
    show_default=True,
    help="What runs the SQL. Spark takes the queries that are listed as portable, and needs faultlens[spark] and Java.",
)
@output_option
@store_option
def query(
    name: str | None,
    parameters: tuple[str, ...],
    *,
    format_name: str,
    engine_name: str,
    output: Path | None,
    store: str | None,
) -> None:
    """Run a named query; without NAME, list them all with their parameters."""
    from queries import catalogue

    if name is None:
        for known in catalogue.queries().values():
            click.echo(f"{known.name:<24} {known.summary}\n{'':<24} {_signature(known)}")
        return
    chosen = catalogue.named(name)
    given = dict(_pair(text) for text in parameters)
    if engine_name == "spark":
        _require_spark(chosen)
    with opened(store).lease() as lease, _engine(engine_name, lease) as engine:
        answer = _asked(chosen, engine, given)
        if not answer.rows and "run" in given:
            _known_run(lease, given["run"])
    write(_formatted(answer, chosen, format_name), output)
    for reason, count in answer.left_out.items():
        click.echo(f"left out: {count} {reason}", err=True)


def _require_spark(chosen: Query) -> None:
    """The query is one that Spark answers alike, and Spark is here: both are said before a store is opened."""
    from ingest.store.errors import FaultlensError
    from queries import catalogue
    from queries.engines.session import require_installed

    if not chosen.is_portable:
        portable = ", ".join(known.name for known in catalogue.queries().values() if known.is_portable)
        raise FaultlensError(f"query {chosen.name} runs on duckdb only; --engine spark takes: {portable}")
    require_installed()


def _engine(name: str, lease: Lease) -> AbstractContextManager[Engine]:
    if name == "duckdb":
        return nullcontext(lease)
    from queries.engines.spark import spark_engine

    return spark_engine(lease)


def _asked(chosen: Query, lease: Engine, given: dict[str, str]) -> Answer[object]:
    """The answer; a value that the statement cannot use (a limit under 0) is the caller's mistake."""
    import duckdb

    from ingest.store.errors import FaultlensError

    try:
        return chosen.ask(lease, given)
    except (duckdb.BinderException, duckdb.ConversionException, duckdb.OutOfRangeException) as error:
        if not given:
            raise
        said = str(error).partition("LINE ")[0]
        values = ", ".join(f"{name}={text}" for name, text in given.items())
        raise FaultlensError(f"query {chosen.name} cannot use {values}: {said}") from None


def _known_run(lease: Lease, run: str) -> None:
    """Nothing is said of a run that is there; of one that is not, nothing could be said."""
    from ingest.store.errors import FaultlensError
    from queries.runs.run_facts import run_facts

    if not run_facts(lease, run=run).rows:
        raise FaultlensError(f"there is no run '{run}' in this store; faultlens query runs lists them")


def _pair(text: str) -> tuple[str, str]:
    key, mark, value = text.partition("=")
    if not mark or not key:
        raise click.UsageError(f"--param {text!r}: write key=value")
    return key.strip().replace("-", "_"), value


def _signature(known: Query) -> str:
    shown = (
        name if parameter.default is inspect.Parameter.empty else f"[{name}]"
        for name, parameter in known.parameters.items()
    )
    return " ".join([*shown, "(portable)"] if known.is_portable else shown)


def _formatted(answer: Answer[object], chosen: Query, format_name: str) -> str | bytes:
    from queries import export

    if format_name == "json":
        return export.as_json(answer, chosen.row)
    if format_name == "csv":
        return export.as_csv(answer, chosen.row)
    if format_name == "parquet":
        return export.as_parquet(answer, chosen.row)
    return export.as_table(answer, chosen.row)


COMMAND = query
