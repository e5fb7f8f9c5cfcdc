"""A process that reviews: `reviewer.py STORE NAME COUNT`, one review after another, each published."""

import sys

from ingest.reviews import Review, write
from ingest.store import open_store


def main(store: str, name: str, count: int) -> None:
    opened = open_store(store)
    for number in range(count):
        body = {"verdict": "overridden", "originated_at": f"PLAN / {name} {number}"}
        write(opened, [Review("faultlens:r", "diagnosis", name, body, event_id="e")])
    print("done", flush=True)  # noqa: T201 - the word its test waits for


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
