"""`faultlens lint`: whether a file is valid native format."""

from __future__ import annotations

from pathlib import Path

import click


_FILE = click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)


@click.command("lint")
@click.argument("file", type=_FILE)
@click.pass_context
def lint(ctx: click.Context, file: Path) -> None:
    """Check a file of native records: every fault with its line. Exit 1 where there is one."""
    from ingest.lint import faults

    data = click.get_binary_stream("stdin").read() if str(file) == "-" else None
    found = 0
    for fault in faults(file, data):
        found += 1
        click.echo(f"{file}:{fault.line}: {fault.reason}: {fault.message}")
    click.echo(f"{file}: {found} fault{'s' if found != 1 else ''}" if found else f"{file}: valid", err=True)
    ctx.exit(int(found > 0))


COMMAND = lint
