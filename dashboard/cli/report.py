"""`faultlens report`: the postmortem of a run, or of every selected run as a folder."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dashboard.cli._options import opened, store_option, write

if TYPE_CHECKING:
    from ingest.store.attach import Lease
    from queries.runs.runs import RunRow

MOST_RUNS = 10_000


@click.command("report")
@click.argument("run", required=False)
@click.option("--format", "form", type=click.Choice(["md", "html", "json"]), help="md, or as FILE is named.")
@click.option("-o", "--output", type=click.Path(path_type=Path),
              help="Write to this file, with --all to this folder. What people wrote there stays.")  # fmt: skip
@click.option("--all", "every", is_flag=True, help="Every run: an index and one page a run, in the folder.")
@click.option("--workload", help="With --all: runs of this workload only.")
@click.option("--status", help="With --all: runs that ended so only, such as failed.")
@click.option("--since", type=click.DateTime(), help="With --all: runs that started then or later (UTC).")
@click.option("--until", type=click.DateTime(), help="With --all: runs that started before (UTC).")
@store_option
def report(  # noqa: PLR0917 - click passes options by name
    run: str | None,
    form: str | None,
    output: Path | None,
    every: bool,  # noqa: FBT001 - click passes flags by name
    workload: str | None,
    status: str | None,
    since: datetime | None,
    until: datetime | None,
    store: str | None,
) -> None:
    """Write the postmortem of RUN (run_id or native_id): facts from the records, and a place for people's words."""
    selected = {"workload": workload, "status": status, "since": _utc(since), "until": _utc(until)}
    if every == (run is not None):
        raise click.UsageError("name one RUN, or say --all")
    if not every and any(selected.values()):
        raise click.UsageError("--workload, --status, --since and --until select runs for --all")
    with opened(store).lease() as lease:
        if run is not None:
            _one(lease, run, form, output)
        else:
            _folder(lease, form or "html", output, selected)


def _utc(time: datetime | None) -> datetime | None:
    from datetime import UTC

    return time.replace(tzinfo=UTC) if time else None


def _one(lease: Lease, run: str, form: str | None, output: Path | None) -> None:
    from dashboard.report.postmortem import FORMATS, report

    named = output.suffix.lstrip(".").lower() if output else ""
    chosen = form or (named if named in FORMATS else "md")
    text = report(lease, run, chosen, _earlier(output))
    if output is not None and output.is_dir():
        raise click.UsageError(f"{output} is a folder; name a file, or say --all")
    write(text, output)


def _earlier(output: Path | None) -> str:
    """The report in Markdown that is there already: where people write."""
    if output is None:
        return ""
    with contextlib.suppress(OSError, UnicodeDecodeError):
        return output.with_suffix(".md").read_text(encoding="utf-8")
    return ""


def _folder(lease: Lease, form: str, output: Path | None, selected: Mapping[str, str | datetime | None]) -> None:
    from dashboard.report.bundle import index, page_name
    from dashboard.report.postmortem import report
    from ingest.store.errors import FaultlensError
    from queries.runs.runs import runs

    if output is None:
        raise click.UsageError("--all needs a folder: -o FOLDER")
    rows = runs(lease, limit=MOST_RUNS, **selected).rows  # type: ignore[arg-type]
    if not rows:
        raise FaultlensError("no run is selected, so there is nothing to report; faultlens query runs lists them")
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FaultlensError(f"{output} cannot be made: {(error.strerror or str(error)).lower()}") from None
    for row in rows:
        page = output / page_name(row.run_id, form)
        write(report(lease, row.run_id, form, _earlier(page)), page)
    if form != "json":
        write(index(rows, form), output / f"index.{form}")
    _say(rows, output)


def _say(rows: tuple[RunRow, ...], output: Path) -> None:
    more = f"; {rows[0].matching - len(rows):,} more are not in it" if rows[0].matching > len(rows) else ""
    click.echo(f"{len(rows):,} reports in {output}{more}", err=True)


COMMAND = report
