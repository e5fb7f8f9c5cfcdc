"""The dashboard's server as a process: it answers, it ends with its command, and a wrong call is one line."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import IO

import pytest

from tests.cli.command import ROOT, faultlens

ANNOUNCED = re.compile(r"dashboard: (http://localhost:\d+)")


@pytest.mark.parametrize("ended_by", [signal.SIGTERM, signal.SIGINT])
def test_what_ends_the_command_ends_the_server(tmp_path: Path, ended_by: signal.Signals) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "dashboard.cli", "serve", "--port", "0", "--store", "new.duckdb"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as served:  # fmt: skip
        assert served.stderr is not None
        url = _announced(served.stderr)
        assert _answers(url)
        served.send_signal(ended_by)
        out, err = served.communicate(timeout=30)
    assert (served.returncode, out) == (0, "")
    assert "Traceback" not in err
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(url, timeout=2)


def _announced(said: IO[str]) -> str:
    found = ANNOUNCED.match(said.readline())
    assert found
    return found[1]


def _answers(url: str) -> bool:
    for _ in range(600):
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=1) as answer:
                return bool(answer.status == 200)
        except OSError:
            time.sleep(0.1)
    return False


def test_a_taken_port_is_said(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = faultlens("serve", "--port", str(port), folder=tmp_path)
    assert "choose another with --port" in done.refusal
    assert f"127.0.0.1:{port}" in done.refusal


def test_a_store_that_cannot_be_used_is_said_before_the_server_starts(tmp_path: Path) -> None:
    (tmp_path / "broken.duckdb").write_bytes(b"no database" * 1000)
    done = faultlens("serve", "--port", "0", "--store", "broken.duckdb", folder=tmp_path)
    assert done.code == 3
    assert "broken.duckdb" in done.refusal
