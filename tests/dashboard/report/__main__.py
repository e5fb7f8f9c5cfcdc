"""Makes the golden reports anew: `python -m tests.dashboard.report`. Read the difference before it is kept."""

from __future__ import annotations

import os
import tempfile
from contextlib import closing
from pathlib import Path
from unittest import mock

from dashboard.report.postmortem import report
from ingest.load import ingest
from ingest.store import open_store
from tests.dashboard.report.test_report import GOLDEN, OTHERS, ROOT, STORIES


def main() -> None:
    os.chdir(ROOT)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "store.duckdb"
        ingest([*STORIES.values(), *OTHERS], path)
        with closing(open_store(path)) as store, store.lease() as lease:
            for run in STORIES:
                for form in ("md", "html"):
                    (GOLDEN / f"{run}.{form}").write_text(report(lease, run, form), encoding="utf-8")


if __name__ == "__main__":
    with mock.patch("dashboard.report.facts._version", return_value="0.0.0"):
        main()
