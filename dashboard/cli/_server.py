"""Runs the dashboard's server in a process of its own and opens the browser when it answers."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
import urllib.request
import webbrowser
from contextlib import closing, suppress
from pathlib import Path

import click

from ingest.store.errors import FaultlensError

APP = Path(__file__).parent.parent / "app.py"
STARTS_WITHIN_S = 60


class PortTaken(FaultlensError):
    """Another program listens there."""


def run(store: str, *, port: int, address: str, folder: str | None = None) -> int:
    """The exit code of the server, which runs until it is interrupted; `folder` is where its faultlens.toml lies."""
    chosen = _usable_port(address, port)
    url = f"http://{'localhost' if address in ('127.0.0.1', '0.0.0.0') else address}:{chosen}"  # noqa: S104 - compared, not bound
    environment = {**os.environ, "FAULTLENS_STORE": _absolute(store)}
    command = [
        sys.executable, "-m", "streamlit", "run", str(APP),
        "--server.port", str(chosen), "--server.address", address,
    ]  # fmt: skip
    click.echo(f"dashboard: {url}  (store {store}; stop with Ctrl-C)", err=True)
    with subprocess.Popen(command, env=environment, cwd=folder, stdout=subprocess.DEVNULL) as server:
        threading.Thread(target=_open_browser, args=(url, server), daemon=True).start()
        try:
            return server.wait()
        except KeyboardInterrupt:
            server.terminate()
            server.wait()
            return 0


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


def _open_browser(url: str, server: subprocess.Popen[bytes]) -> None:
    """Only for a person at a terminal with a screen; a server elsewhere just prints its address."""
    if not sys.stderr.isatty() or (sys.platform == "linux" and not os.environ.get("DISPLAY")):
        return
    until = time.monotonic() + STARTS_WITHIN_S
    while time.monotonic() < until and server.poll() is None:
        with suppress(OSError), urllib.request.urlopen(f"{url}/_stcore/health", timeout=1):  # noqa: S310 - our own server
            webbrowser.open(url)
            return
        time.sleep(0.3)
