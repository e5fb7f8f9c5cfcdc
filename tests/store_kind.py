"""Which kind of store the suites run on: files, or lakes of a PostgreSQL that is started for them.

`pytest --store-kind lake` runs every test of a store on a lake: a path that a test gives is then the name of a lake of
its own. What is true of files alone is marked `file_store`.
"""

from __future__ import annotations

import atexit
import os
import shutil
from contextlib import ExitStack
from functools import cache
from hashlib import blake2s
from pathlib import Path

from tests.lake.cluster import Cluster, running

VARIABLE = "FAULTLENS_STORE_KIND"
_TEMPLATE = "lake_template"


def is_lake() -> bool:
    return os.environ.get(VARIABLE) == "lake"


def named(path: Path | str) -> str:
    """What names the store of this path on a command line."""
    text = str(path)
    return text if not is_lake() or text.startswith("ducklake:") else _lake(Path(text).absolute())


@cache
def cluster() -> Cluster:
    """The server of this process's lakes."""
    stack = ExitStack()
    atexit.register(stack.close)
    return stack.enter_context(running())


@cache
def _lake(path: Path) -> str:
    """The lake that stands for this path, with its files beside it; a copy of a template, which costs less."""
    database = _database(path)
    files = path.with_name(f"{path.name}.lake")
    server = cluster()
    server.create(database, _template())
    shutil.copytree(_template_files(), files)
    server.sql(f"UPDATE ducklake_metadata SET value = '{files}/' WHERE key = 'data_path'", database)
    return server.url(database)


@cache
def bare(path: Path) -> str:
    """What names the store of this path when there is nothing in it yet: on a lake no table either."""
    if not is_lake():
        return str(path)
    return cluster().lake(_database(path.absolute()), path.with_name(f"{path.name}.lake"))


def _database(path: Path) -> str:
    return f"lake_{blake2s(str(path).encode(), digest_size=8).hexdigest()}"


@cache
def _template() -> str:
    from ingest.store import memory_connection
    from ingest.store.lake import LakeStore

    url = cluster().lake(_TEMPLATE, _template_files())
    with LakeStore(url) as store, memory_connection() as con, store.publication(con) as draft:
        draft.discard()
    # Nobody may be connected to a template, and a pool lets go of its connections when it likes.
    cluster().sql(
        f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{_TEMPLATE}'",
    )
    return _TEMPLATE


def _template_files() -> Path:
    return cluster().folder / "template.lake"
