"""`faultlens schema`: the JSON Schema of the native format."""

from __future__ import annotations

import json

import click


@click.command("schema")
def schema() -> None:
    """Print the JSON Schema of one line of the native format."""
    from ingest.native_schema import schema as native_schema

    click.echo(json.dumps(native_schema(), indent=2))


COMMAND = schema
