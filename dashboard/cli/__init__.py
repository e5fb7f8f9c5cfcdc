"""The `faultlens` command: each file of this folder is one, found by discovery.

Heavy imports wait until a command runs, so that `faultlens --help` answers at once.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
from typing import Any

import click

_GIVEN = "faultlens.given"


def _no_text(arguments: list[str]) -> str | None:
    """The first argument with bytes that are no text, which nothing can be compared with or stored under."""
    shown = (os.fsencode(argument).decode("utf-8", errors="backslashreplace") for argument in arguments)
    return next((text for text, given in zip(shown, arguments, strict=True) if text != given), None)


class Commands(click.Group):
    """The commands in the files beside this one; an error that a person may meet is one line, never a traceback."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Every command, by name."""
        return sorted(module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_"))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name."""
        if cmd_name not in self.list_commands(ctx):
            return None
        command: click.Command = importlib.import_module(f"dashboard.cli.{cmd_name}").COMMAND
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The arguments, which are remembered as they were given."""
        ctx.meta[_GIVEN] = list(args)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command; what the caller can put right ends with one line and its exit code."""
        try:
            return super().invoke(ctx)
        except click.exceptions.Exit:
            raise
        except BrokenPipeError:
            # The reader of a pipe had enough: nothing is wrong. Python must not complain when it closes stdout.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(0)
        except Exception as error:
            # Here and not above: the store brings DuckDB, which `--help` must not wait for.
            from ingest.store.errors import FaultlensError

            if isinstance(error, FaultlensError):
                said, code = str(error), error.exit_code
            elif no_text := _no_text(ctx.meta[_GIVEN]):
                said, code = f"{no_text} is not UTF-8: only a file to be read may have such a name", 2
            else:
                raise
            click.echo(f"faultlens: {said}", err=True)
            ctx.exit(code)


def _version(ctx: click.Context, _parameter: click.Parameter, wanted: bool) -> None:  # noqa: FBT001 - click's signature
    """The version that is installed; a checkout need not be."""
    if not wanted:
        return
    from importlib import metadata

    try:
        click.echo(f"faultlens {metadata.version('faultlens')}")
    except metadata.PackageNotFoundError:
        click.echo("faultlens, from a checkout that is not installed")
    ctx.exit()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Show the version and exit."
)
@click.option(
    "--store", metavar="URL", envvar="FAULTLENS_STORE", help="The store: a DuckDB file (default: faultlens.duckdb)."
)
@click.pass_context
def main(ctx: click.Context, store: str | None) -> None:
    """Where agent runs fail, where each failure began, and whether recovery and escalation work.

    Start with `faultlens demo`.
    """
    ctx.obj = store
