"""`faultlens serve`: the dashboard."""

from __future__ import annotations

from contextlib import closing

import click

from dashboard.cli._options import store_option, store_url


@click.command("serve")
@click.option("--port", type=click.IntRange(0, 65535), default=8501, show_default=True, help="0 takes a free one.")
@click.option("--address", default="127.0.0.1", show_default=True, help="The address to listen on.")
@store_option
def serve(port: int, address: str, store: str | None) -> None:
    """Open the dashboard on the store; ingest may go on meanwhile."""
    from dashboard.cli._server import run
    from ingest.store.url import open_store

    url = store_url(store)
    # Said now, in one line, and not on every page: a store that cannot be used.
    with closing(open_store(url)) as opened:
        opened.lease().close()
    raise SystemExit(run(url, port=port, address=address))


COMMAND = serve
