"""The views of the store, by the text that the migrations made them with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import duckdb

from ingest.store.migrate import main_migrations, people_migrations

_VIEW = re.compile(r"(?:\s|--.*\n)*CREATE\s+(?:OR\s+REPLACE\s+)?VIEW\s+(\w+)\s+AS\s", re.IGNORECASE)
_DROPPED = re.compile(r"(?:\s|--.*\n)*DROP\s+VIEW\s+(?:IF\s+EXISTS\s+)?(\w+)", re.IGNORECASE)


@cache
def views() -> dict[str, str]:
    """The SELECT of each view, as the newest migration left it."""
    found: dict[str, str] = {}
    for statement in _statements():
        if made := _VIEW.match(statement):
            found[made[1]] = statement[made.end() :]
        elif dropped := _DROPPED.match(statement):
            found.pop(dropped[1], None)
    return found


def _statements() -> Iterator[str]:
    for migration in (*main_migrations(), *people_migrations()):
        for statement in duckdb.extract_statements(migration.sql):
            yield statement.query.rstrip("; \n")
