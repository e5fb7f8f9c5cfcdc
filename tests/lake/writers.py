"""A process that ingests into a store for a while: `writers.py URL FOLDER NAME SECONDS`; prints what it stored."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from ingest.load import ingest
from ingest.store import open_store
from tests.ingest.loaded import line


def main(url: str, folder: str, name: str, seconds: float) -> None:
    """New runs, runs that grow, a file that everybody has, and one file of many runs."""
    until = time.monotonic() + seconds
    own, shared = Path(folder) / f"{name}.jsonl", Path(folder) / "shared.jsonl"
    stored, number = 0, 0
    with open_store(url) as store:
        while time.monotonic() < until or number < 3:
            run = f"{name}-{number}"
            with own.open("ab") as file:
                file.write(line("run", run, status="failed", workload=name))
                file.write(line("error_event", run, error_code="E", n=number))
                file.write(line("error_event", f"{name}-grows", error_code="E_AGAIN", n=number))
            report = ingest([str(own), str(shared)], store)
            stored += report.totals.stored
            number += 1
    sys.stdout.write(json.dumps({"runs": number, "stored": stored}) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], float(sys.argv[4]))
