"""`faultlens rebuild`: what was derived at load, derived again from the records in the store."""

from __future__ import annotations

import click

from dashboard.cli._options import opened, store_option


@click.command("rebuild")
@click.option("--force", is_flag=True, help="Derive every run again, also those that this version derived.")
@store_option
def rebuild(force: bool, store: str | None) -> None:  # noqa: FBT001 - click passes flags by name
    """Derive runs again from their records, where another version of faultlens, or other retry budgets, judged them."""
    from ingest.rebuild import rebuild as derive_again

    found = derive_again(opened(store), force=force)
    if not found.runs:
        click.echo(f"nothing to do: every run was derived by this version ({found.version})", err=True)
        return
    for table, runs in found.changed.items():
        click.echo(f"{table}: {runs} {'run' if runs == 1 else 'runs'} changed")
    said = "nothing changed" if not found.changed else "see above for what changed"
    click.echo(f"{found.runs} runs derived by version {found.version}; {said}", err=True)


COMMAND = rebuild
