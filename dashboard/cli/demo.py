"""`faultlens demo`: the samples in a throw-away store, and the dashboard on it."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import click

ROOM = Path(__file__).parent.parent
CONFIGURATION = "faultlens.toml"


@click.command("demo")
@click.option("--port", type=click.IntRange(0, 65535), default=8501, show_default=True, help="0 takes a free one.")
@click.option("--address", default="127.0.0.1", show_default=True, help="The address to listen on.")
def demo(port: int, address: str) -> None:
    """Load the samples into a throw-away store and open the dashboard: the first thing to run."""
    from dashboard.cli._server import run
    from ingest.load import ingest

    with tempfile.TemporaryDirectory(prefix="faultlens-demo-") as folder:
        store = str(Path(folder) / "demo.duckdb")
        click.echo("loading the samples …", err=True)
        report = ingest([str(samples())], store)
        total = report.totals
        click.echo(f"{total.runs} runs, {total.records} records, {total.rejected} rejected", err=True)
        shutil.copyfile(samples() / CONFIGURATION, Path(folder) / CONFIGURATION)
        raise SystemExit(run(store, port=port, address=address, folder=folder))


def samples() -> Path:
    """The sample traces: of the checkout, else those packed into the wheel."""
    checkout = ROOM.parent / "sample_traces"
    return checkout if checkout.is_dir() else ROOM / "_samples"


COMMAND = demo
