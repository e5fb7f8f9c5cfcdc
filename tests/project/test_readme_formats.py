"""The table of formats in the README is the one that the adapters themselves print."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_readme_has_the_table_that_the_adapters_print() -> None:
    command = [sys.executable, "-m", "dashboard.cli", "formats", "--markdown"]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    written = re.search(r"<!-- formats -->\n(.*?)<!-- /formats -->", (ROOT / "README.md").read_text(), re.DOTALL)
    assert written, "README.md has no place for the formats"
    assert written[1].strip() == printed.strip(), "run: faultlens formats --markdown, and put it into README.md"
