"""`faultlens copy`: a store into another one, verified."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from dashboard.cli._options import opened, store_option

if TYPE_CHECKING:
    from ingest.store.copying import TableCopy


@click.command("copy")
@click.option("--to", "target", required=True, metavar="URL", help="The store to fill: a DuckDB file, or ducklake:….")
@click.option("--replace", is_flag=True, help="Replace what the target holds; without it, the target must be empty.")
@store_option
def copy(target: str, replace: bool, store: str | None) -> None:  # noqa: FBT001 - click passes flags by name
    """Copy records, what is derived from them, and what people wrote into another store, and compare both."""
    import sys
    from contextlib import closing

    from ingest.store.copying import copy as copied_into
    from ingest.store.url import open_store

    with closing(opened(store)) as source, closing(open_store(target)) as into:
        tables = copied_into(source, into, replace=replace, progress=_told if sys.stderr.isatty() else None)
        _show(tables)
        differing = [table.table for table in tables if not table.is_equal]
        if differing:
            click.echo(f"{into.url} differs in {', '.join(differing)}: copy again with --replace", err=True)
            raise SystemExit(1)
        rows = sum(table.rows for table in tables)
        click.echo(f"{rows:,} rows in {len(tables)} tables of {into.url} are those of {source.url}", err=True)


def _told(table: str) -> None:
    click.echo(f"copied {table}", err=True)


def _show(tables: list[TableCopy]) -> None:
    """A line for each table."""
    width = max(len(table.table) for table in tables)
    click.echo(f"{'table':<{width}}  {'rows':>12}  {'in the target':>13}  compared")
    for table in tables:
        verdict = "equal" if table.is_equal else f"differs in {', '.join(table.differing) or 'the number of rows'}"
        click.echo(f"{table.table:<{width}}  {table.rows:>12,}  {table.rows_in_target:>13,}  {verdict}")


COMMAND = copy
