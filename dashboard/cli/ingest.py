"""`faultlens ingest`: files into the store."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dashboard.cli._options import store_option, store_url
from dashboard.wording import counted

if TYPE_CHECKING:
    from ingest.report import FileReport, IngestReport

SHOWN = 20


@click.command("ingest")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--format", "format_name", metavar="NAME", help="Read the files as this format instead of recognising it."
)
@click.option("--workload", metavar="NAME", help="The workload of every run in these files.")
@click.option("--max-rejects", type=click.IntRange(min=0), default=0, show_default=True, metavar="N",
              help="Exit 1 only when more records than this were rejected.")  # fmt: skip
@click.option("--mapping", metavar="FILE", help="Read JSONL or CSV as this TOML file maps its keys.")
@click.option(
    "--explain", "explained", is_flag=True, help="Load nothing; tell what each file looks like and what is read."
)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@store_option
@click.pass_context
def ingest(  # noqa: PLR0917 - click passes every option by name
    ctx: click.Context,
    paths: tuple[str, ...],
    format_name: str | None,
    workload: str | None,
    max_rejects: int,
    mapping: str | None,
    explained: bool,  # noqa: FBT001 - click passes flags by name
    as_json: bool,  # noqa: FBT001
    store: str | None,
) -> None:
    """Load files into the store. PATH: file, folder, glob, .gz/.zst, or - for standard input."""
    from dashboard.cli._progress import progress
    from ingest.load import ingest as load

    if explained:
        _explain(paths, mapping)
        return
    with progress(paths) as advance:
        report = load(
            paths,
            store_url(store),
            format=format_name,
            mapping=Path(mapping) if mapping else None,
            workload=workload,
            progress=advance,
            uses_pandas=False,
        )
    if as_json:
        click.echo(json.dumps(report.as_json(), indent=2))
    else:
        _tell(report)
    ctx.exit(report.exit_code(max_rejects))


def _explain(paths: tuple[str, ...], mapping: str | None) -> None:
    """What each file looks like, on standard output; nothing is stored."""
    from ingest.explain import explain
    from ingest.mapping import load as load_mapping
    from ingest.store.errors import FaultlensError
    from queries.export import without_controls

    chosen = load_mapping(Path(mapping)) if mapping else None
    for number, path in enumerate(paths):
        if not Path(path).is_file():
            raise FaultlensError(f"{path}: no such file; --explain takes files")
        if number:
            click.echo()
        for line in explain(Path(path), chosen).lines():
            click.echo(without_controls(line))


def _tell(report: IngestReport) -> None:
    """What happened, for a person: on standard error, because it is talk and not data."""
    for file in report.files[:SHOWN]:
        click.echo(_line(file), err=True)
    if len(report.files) > SHOWN:
        click.echo(f"… and {len(report.files) - SHOWN} more files", err=True)
    total = report.totals
    click.echo(
        f"{counted(total.runs, 'run')} in {counted(len(report.files), 'file')}: {total.records} records"
        f" = {total.stored} stored + {total.duplicates} duplicates + {total.rejected} rejected"
        f" + {total.skipped} skipped ({report.seconds:.1f} s, {report.store})",
        err=True,
    )
    if total.rejected:
        click.echo("rejected records are kept: faultlens query rejections", err=True)
    if sys.stdout.isatty() and total.stored:
        click.echo("open the dashboard: faultlens serve", err=True)


def _line(file: FileReport) -> str:
    if file.status in ("refused", "ignored"):
        return f"{file.status:<9} {file.path}: {file.reason}"
    counts = file.counts
    parts = [f"{counts.stored} stored"]
    parts += [f"{number} {name}" for name, number in (
        ("duplicates", counts.duplicates), ("rejected", counts.rejected), ("skipped", counts.skipped)
    ) if number]  # fmt: skip
    why = "; ".join(f"{reason}: {number}" for reason, number in file.skipped_because.items())
    return f"{file.status:<9} {file.path} ({file.format}): {', '.join(parts)}{f' ({why})' if why else ''}"


COMMAND = ingest
