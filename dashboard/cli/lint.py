"""`faultlens lint`: whether a file is valid native format."""

from __future__ import annotations

import sys
from pathlib import Path

import click


@click.command("lint")
@click.argument("file")
@click.pass_context
def lint(ctx: click.Context, file: str) -> None:
    """Check a file of native records (- for standard input): every fault with its line. Exit 1 where there is one."""
    from ingest.lint import faults
    from ingest.store.errors import FaultlensError

    if file != "-" and not Path(file).is_file():
        raise FaultlensError(f"{file}: no such file")
    data = sys.stdin.buffer.read() if file == "-" else None
    found = 0
    for fault in faults(Path(file), data):
        found += 1
        click.echo(f"{file}:{fault.line}: {fault.reason}: {fault.message}")
    click.echo(f"{file}: {found} fault{'s' if found != 1 else ''}" if found else f"{file}: valid", err=True)
    ctx.exit(int(found > 0))


COMMAND = lint
