"""A process that ingests: `writer.py STORE NAME COUNT`, one small file at a time, each published."""

import sys
from pathlib import Path

from ingest.load import ingest
from tests.ingest.loaded import line


def main(store: str, name: str, count: int) -> None:
    folder = Path(store).parent
    for number in range(count):
        path = folder / f"{name}-{number}.jsonl"
        path.write_bytes(line("run", f"{name}-{number}", status="failed") + line("error_event", f"{name}-{number}"))
        report = ingest([str(path)], store)
        assert report.totals.stored == 2, report
    print("done", flush=True)  # noqa: T201 - the word its test waits for


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
