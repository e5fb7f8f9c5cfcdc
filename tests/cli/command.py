"""The real command in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Done:
    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode()

    @property
    def refusal(self) -> str:
        """The one line that a refused call says; nothing else stands on either stream."""
        assert not self.out, self.out
        (line,) = self.err.splitlines()
        assert line.startswith("faultlens: ")
        return line


def faultlens(*arguments: str | Path, folder: Path, stdin: bytes = b"", **environment: str) -> Done:
    """What the command does in that folder."""
    done = subprocess.run(
        [sys.executable, "-m", "dashboard.cli", *map(str, arguments)],
        cwd=folder,
        input=stdin,
        capture_output=True,
        check=False,
        timeout=120,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "HOME": str(folder), **environment},
    )
    err = done.stderr.decode()
    assert "Traceback" not in err, err
    return Done(done.returncode, done.stdout, err)
