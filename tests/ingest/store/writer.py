"""A process that publishes: `writer.py STORE MIGRATIONS NAME PUBLICATIONS run|hang`."""

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from ingest.store import Hub, Migrations, Store, memory_connection, migrations_in
from ingest.store.lake import LakeStore

ROOT = Path(__file__).parents[3]

Writer = Callable[..., subprocess.Popen[str]]


def opened(url: str, schema: Migrations | None, hub: Hub | None = None) -> Store | LakeStore:
    """The store of either kind with these tables; None for the real ones."""
    return (LakeStore if url.startswith("ducklake:") else Store)(url, hub=hub, migrations=schema)


def main(store: str, migrations: str, name: str, publications: str, mode: str) -> None:
    with memory_connection() as con, opened(store, migrations_in(Path(migrations))) as written:
        for n in range(int(publications)):
            with written.publication(con) as draft:
                cursor = draft.cursor()
                cursor.execute("INSERT INTO first_half VALUES (?, ?)", [name, n])
                if mode == "hang":
                    sys.stdout.write("inside\n")
                    sys.stdout.flush()
                    time.sleep(60)
                cursor.execute("INSERT INTO second_half VALUES (?, ?)", [name, n])


if __name__ == "__main__":
    main(*sys.argv[1:])
