"""Says what a removal removed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ingest.removal import Removal

SHOWN = 20


def tell(removal: Removal, *, dry_run: bool) -> None:
    """The runs on standard output, a line each; the rows by table on standard error."""
    for run in removal.runs:
        click.echo(run)
    verb = "would be removed" if dry_run else "removed"
    rows = ", ".join(f"{count} {table}" for table, count in removal.rows.items() if count)
    click.echo(f"{len(removal.runs)} runs {verb}{f': {rows}' if rows else ''}", err=True)
    if removal.reviews_kept:
        click.echo(f"{removal.reviews_kept} reviews of people about them are kept", err=True)
