"""A process that publishes: `writer.py STORE MIGRATIONS NAME PUBLICATIONS run|hang`."""

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from ingest.store import memory_connection, migrations_in, publication

ROOT = Path(__file__).parents[3]

Writer = Callable[..., subprocess.Popen[str]]


def main(store: str, migrations: str, name: str, publications: str, mode: str) -> None:
    schema = migrations_in(Path(migrations))
    with memory_connection() as con:
        for n in range(int(publications)):
            with publication(store, con, migrations=schema) as draft:
                con.execute(f"INSERT INTO {draft.alias}.first_half VALUES (?, ?)", [name, n])
                if mode == "hang":
                    sys.stdout.write("inside\n")
                    sys.stdout.flush()
                    time.sleep(60)
                con.execute(f"INSERT INTO {draft.alias}.second_half VALUES (?, ?)", [name, n])


if __name__ == "__main__":
    main(*sys.argv[1:])
