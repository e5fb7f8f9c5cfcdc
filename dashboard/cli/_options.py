"""What several commands share: the store option, and how data goes to a file or standard output."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from ingest.store.url import AnyStore


def _remembered(ctx: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    """`--store` may stand before the command or after it; the later one wins."""
    return value or ctx.find_root().obj


def store_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--store URL`, also from FAULTLENS_STORE and faultlens.toml."""
    return click.option(
        "--store",
        "store",
        metavar="URL",
        callback=_remembered,
        help="The store: a DuckDB file (default: FAULTLENS_STORE, `store` of faultlens.toml, faultlens.duckdb).",
    )(function)


def store_url(given: str | None) -> str:
    """The store that is meant: the option or the environment, else faultlens.toml, else faultlens.duckdb."""
    from ingest.store.configuration import configuration

    # Read in any case: a mistake in the file is said, not passed over because the store was named.
    configured = configuration().store
    return given or configured


def opened(given: str | None) -> AnyStore:
    """The store that is meant, opened."""
    from ingest.store.url import open_store

    return open_store(store_url(given))


def write(data: str | bytes, output: Path | None) -> None:
    """The data on standard output, or in the file."""
    if output is None:
        click.echo(data, nl=isinstance(data, str) and not data.endswith("\n"))
        return
    try:
        output.write_bytes(data.encode() if isinstance(data, str) else data)
    except OSError as error:
        from ingest.store.errors import FaultlensError

        raise FaultlensError(f"{output} cannot be written: {(error.strerror or str(error)).lower()}") from None


output_option = click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write to this file instead of standard output.",
)
