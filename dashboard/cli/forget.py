"""`faultlens forget`: named runs out of the store."""

from __future__ import annotations

import click

from dashboard.cli._options import opened, store_option
from dashboard.cli._removal import tell


@click.command("forget")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option("--dry-run", is_flag=True, help="Say what would be removed and remove nothing.")
@store_option
def forget(runs: tuple[str, ...], dry_run: bool, store: str | None) -> None:  # noqa: FBT001 - click passes flags by name
    """Remove runs (run_id or native_id) with all their records; they stay out when their file is met again."""
    from ingest import removal

    chosen = opened(store)
    found = removal.run_ids(chosen, runs)
    tell(removal.preview(chosen, found) if dry_run else removal.remove(chosen, found, "forget"), dry_run=dry_run)


COMMAND = forget
