"""A server of the bench's own, in a process that is ended with it, and how long it took to answer."""

from __future__ import annotations

import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.bench.measure import ROOT
from tests.bench.others.free_port import free_port

STARTS_WITHIN_S = 120
ASKED_EVERY_S = 0.005


@dataclass(frozen=True, slots=True)
class Served:
    """Where it answers, and the seconds until its health was well and until the first page came."""

    url: str
    healthy_s: float
    first_byte_s: float


@contextmanager
def serve(store: Path) -> Iterator[Served]:
    """`faultlens serve` on this store."""
    with _server(["-m", "dashboard.cli", "serve", "--store", str(store), "--port"]) as served:
        yield served


@contextmanager
def streamlit(script: Path) -> Iterator[Served]:
    """Streamlit alone with this script, as it is without us."""
    with _server(["-m", "streamlit", "run", str(script), "--server.headless", "true", "--server.port"]) as served:
        yield served


@contextmanager
def _server(arguments: list[str]) -> Iterator[Served]:
    port, began = free_port(), time.perf_counter()
    url = f"http://127.0.0.1:{port}"
    with subprocess.Popen(
        [sys.executable, *arguments, str(port)], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            healthy_s = _answered(f"{url}/_stcore/health", process) - began
            yield Served(url, healthy_s, _answered(url, process) - began)
        finally:
            process.terminate()


def _answered(url: str, process: subprocess.Popen[bytes]) -> float:
    """When the address answered for the first time."""
    until = time.monotonic() + STARTS_WITHIN_S
    while time.monotonic() < until and process.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                answer.read(1)
                return time.perf_counter()
        except OSError:
            time.sleep(ASKED_EVERY_S)
    raise RuntimeError(f"no answer from {' '.join(map(str, process.args))}")  # type: ignore[arg-type]
