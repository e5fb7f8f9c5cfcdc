"""`faultlens formats`: what ingest recognises, from the adapters themselves."""

from __future__ import annotations

import json

import click


@click.command("formats")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
@click.option("--markdown", is_flag=True, help="Print as the table of the README.")
def formats(as_json: bool, markdown: bool) -> None:  # noqa: FBT001 - click passes flags by name
    """Every format that ingest recognises, how it is recognised, what it yields."""
    from ingest.registry import adapters

    if as_json:
        keys = ("name", "title", "recognised_by", "record_is", "yields")
        click.echo(json.dumps([{key: getattr(adapter, key) for key in keys} for adapter in adapters()], indent=2))
        return
    if markdown:
        click.echo("| format | what people have | recognised by | a record is a |\n|---|---|---|---|")
        for adapter in adapters():
            cells = (f"`{adapter.name}`", adapter.title, adapter.recognised_by, adapter.record_is)
            click.echo(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
        return
    for adapter in adapters():
        click.echo(f"{adapter.name:<16} {adapter.title}")
        click.echo(f"{'':<16} recognised by: {adapter.recognised_by}")
        click.echo(f"{'':<16} a record is a {adapter.record_is}; yields {', '.join(adapter.yields)}")


COMMAND = formats
