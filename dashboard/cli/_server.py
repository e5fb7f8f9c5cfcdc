"""Runs the dashboard's server and opens the browser when it answers."""

from __future__ import annotations

import os
import socket
import sys
import threading
import time
import urllib.request
import webbrowser
from contextlib import chdir, closing, nullcontext, redirect_stdout, suppress
from pathlib import Path

import click

from ingest.store.errors import FaultlensError

APP = Path(__file__).parent.parent / "app.py"
STARTS_WITHIN_S = 60


class PortTaken(FaultlensError):
    """Another program listens there."""


def run(store: str, *, port: int, address: str, folder: str | None = None) -> int:
    """The exit code of the server, which runs until it is interrupted; `folder` is where its faultlens.toml lies."""
    _settings_can_be_read()
    chosen = _usable_port(address, port)
    url = f"http://{_host(address)}:{chosen}"
    os.environ["FAULTLENS_STORE"] = _absolute(store)
    click.echo(f"dashboard: {url}  (store {_shown(store)}; stop with Ctrl-C)", err=True)
    threading.Thread(target=_welcome, args=(url,), daemon=True).start()
    with chdir(folder) if folder else nullcontext():
        _serve(chosen, address)
    return 0


def _settings_can_be_read() -> None:
    """A setting that is no number is said now, in one line, and not on every page."""
    from dashboard.settings import cache_bytes, query_seconds

    cache_bytes()
    query_seconds()


def _shown(store: str) -> str:
    """The store without a password; DuckDB is loaded only now."""
    from ingest.store.url import shown

    return shown(store)


def _host(address: str) -> str:
    """How a browser on this machine calls the address."""
    if address in {"127.0.0.1", "::1", "0.0.0.0", "::"}:  # noqa: S104 - compared, not bound
        return "localhost"
    return f"[{address}]" if ":" in address else address


def _serve(port: int, address: str) -> None:
    """Streamlit runs in this process, so that whatever ends the command ends the server."""
    from streamlit.web.cli import main

    arguments = ["run", str(APP), "--server.port", str(port), "--server.address", address]
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere, redirect_stdout(nowhere):
        main(arguments, standalone_mode=False)


def _absolute(store: str) -> str:
    return store if ":" in store[2:] else str(Path(store).expanduser().absolute())


def _usable_port(address: str, port: int) -> int:
    """The port itself, or a free one for 0; a taken one is said before Streamlit starts."""
    with closing(socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise PortTaken(f"cannot listen on {address}:{port}: {reason}; choose another with --port") from None
        return int(probe.getsockname()[1])


def _welcome(url: str) -> None:
    """When the server answers, the browser opens, and the pages are imported before the first of them is asked for."""
    until = time.monotonic() + STARTS_WITHIN_S
    while time.monotonic() < until:
        with suppress(OSError), urllib.request.urlopen(f"{url}/_stcore/health", timeout=1):  # noqa: S310 - our own server
            break
        time.sleep(0.1)
    else:
        return
    if _somebody_looks():
        webbrowser.open(url)
    from dashboard.page import pages

    pages()


def _somebody_looks() -> bool:
    """Only a person at a terminal with a screen; a server elsewhere just prints its address."""
    return sys.stderr.isatty() and (sys.platform != "linux" or bool(os.environ.get("DISPLAY")))
