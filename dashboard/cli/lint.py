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

    path = Path(file)
    if file != "-" and path.is_dir():
        raise FaultlensError(f"{file} is a folder: name a file")
    if file != "-" and not path.exists():
        raise FaultlensError(f"{file}: no such file")
    data = _given_once(path)
    found = 0
    for fault in faults(path, data):
        found += 1
        click.echo(f"{file}:{fault.line}: {fault.reason}: {fault.message}")
    click.echo(f"{file}: {found} fault{'s' if found != 1 else ''}" if found else f"{file}: valid", err=True)
    ctx.exit(int(found > 0))


def _given_once(path: Path) -> bytes | None:
    """The bytes of what can be read only once: standard input, or a pipe such as that of a shell's <(…)."""
    if str(path) == "-":
        return sys.stdin.buffer.read()
    return None if path.is_file() else path.read_bytes()


COMMAND = lint
