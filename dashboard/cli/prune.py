"""`faultlens prune`: old runs out of the store."""

from __future__ import annotations

import click

from dashboard.cli._options import opened, store_option
from dashboard.cli._removal import tell


@click.command("prune")
@click.option("--older-than", required=True, metavar="AGE", help="The age, such as 90d, 12w or 36h.")
@click.option("--dry-run", is_flag=True, help="Say what would be removed and remove nothing.")
@store_option
def prune(older_than: str, dry_run: bool, store: str | None) -> None:  # noqa: FBT001 - click passes flags by name
    """Remove runs that ended longer ago than AGE; runs without a time are never removed."""
    from ingest import removal
    from ingest.store.configuration import duration

    try:
        age = duration(older_than)
    except ValueError as error:
        raise click.UsageError(f"--older-than: {error}") from None
    chosen = opened(store)
    found = removal.older_than(chosen, age)
    result = removal.preview(chosen, found) if dry_run else removal.remove(chosen, found, f"prune {older_than}")
    tell(result, dry_run=dry_run)


COMMAND = prune
