"""`faultlens watch`: growing files into the store while the dashboard is open."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from dashboard.cli._options import store_option, store_url

if TYPE_CHECKING:
    from ingest.report import IngestReport


@click.command("watch")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--every", "pause_s", type=click.FloatRange(min=0.2), default=2.0, show_default=True, metavar="SECONDS",
              help="How often to look.")  # fmt: skip
@click.option("--workload", metavar="NAME", help="The workload of every run in these files.")
@store_option
def watch(paths: tuple[str, ...], pause_s: float, workload: str | None, store: str | None) -> None:
    """Keep ingesting files that appear or grow, until interrupted; each look publishes what is new."""
    from ingest.watch import looks

    url = store_url(store)
    click.echo(f"watching {', '.join(paths)} into {url} (stop with Ctrl-C)", err=True)
    try:
        for report in looks(paths, url, workload=workload, uses_pandas=False):
            if report and report.totals.records:
                _tell(report)
            time.sleep(pause_s)
    except KeyboardInterrupt:
        click.echo("stopped", err=True)


def _tell(report: IngestReport) -> None:
    total = report.totals
    if total.stored or total.rejected:
        click.echo(
            f"{time.strftime('%H:%M:%S')}  {total.stored} stored, {total.rejected} rejected in "
            f"{sum(file.status == 'loaded' for file in report.files)} files ({report.seconds:.1f} s)",
            err=True,
        )


COMMAND = watch
