"""How long Arize Phoenix takes until the spans of a file can be queried: `python phoenix_spans.py FILE FOLDER`.

Runs in Phoenix's own environment. The path is OTLP protobuf over HTTP to a local server with SQLite: its REST call for
spans and gRPC end in the same inserter, which writes span after span, and cost more before they get there. The requests
are made before the clock starts, and the queue is opened wide, so that nothing is refused and sent again.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from free_port import free_port
from otlp_requests import requests, span_count

SPANS_A_REQUEST = 1_000
STARTS_WITHIN_S = 180
LOADS_WITHIN_S = 3_600
LOOKED_AT_EVERY_S = 0.05


def main(file: Path, folder: Path) -> None:
    """The measurement is printed as JSON."""
    asked = list(requests(file, SPANS_A_REQUEST))
    spans, bodies = sum(map(span_count, asked)), [request.SerializeToString() for request in asked]
    with _server(folder) as (url, pid):
        used, began = _cpu_s(pid), time.perf_counter()
        for body in bodies:
            _post(f"{url}/v1/traces", body)
        _wait_until_stored(folder / "phoenix.db", spans)
        told = {"spans": spans, "clock_s": time.perf_counter() - began, "cpu_s": _cpu_s(pid) - used}
    print(json.dumps(told))


@contextmanager
def _server(folder: Path) -> Iterator[tuple[str, int]]:
    """A server on an empty database, with its process; it calls nobody."""
    port = free_port()
    environment = {
        **os.environ,
        "PHOENIX_WORKING_DIR": str(folder),
        "PHOENIX_SQL_DATABASE_URL": f"sqlite:///{folder / 'phoenix.db'}",
        "PHOENIX_HOST": "127.0.0.1",
        "PHOENIX_PORT": str(port),
        "PHOENIX_GRPC_PORT": str(free_port()),
        "PHOENIX_MAX_SPANS_QUEUE_SIZE": "100000000",
        "PHOENIX_TELEMETRY_ENABLED": "false",
        "PHOENIX_ALLOW_EXTERNAL_RESOURCES": "false",
    }
    command = [sys.executable, "-m", "phoenix.server.main", "serve"]
    with (folder / "server.log").open("w") as log, subprocess.Popen(
        command, env=environment, stdout=log, stderr=log
    ) as process:  # fmt: skip
        try:
            url = f"http://127.0.0.1:{port}"
            _wait_until_up(f"{url}/healthz", process)
            yield url, process.pid
        finally:
            process.terminate()


def _wait_until_up(url: str, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + STARTS_WITHIN_S
    while time.monotonic() < until and process.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=2):
                return
        except OSError:
            time.sleep(0.2)
    raise SystemExit("the server of Phoenix did not start")


def _post(url: str, body: bytes) -> None:
    request = urllib.request.Request(url, data=body, headers={"content-type": "application/x-protobuf"})
    with urllib.request.urlopen(request, timeout=300) as answer:
        answer.read()


def _wait_until_stored(database: Path, spans: int) -> None:
    until = time.monotonic() + LOADS_WITHIN_S
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as con:
        while con.execute("SELECT count(*) FROM spans").fetchone()[0] < spans:
            if time.monotonic() > until:
                raise SystemExit("Phoenix did not store every span in time")
            time.sleep(LOOKED_AT_EVERY_S)


def _cpu_s(pid: int) -> float:
    """Processor seconds of the server so far; 0 where /proc is not."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / float(os.sysconf("SC_CLK_TCK"))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
