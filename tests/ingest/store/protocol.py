"""What the tests of every kind of store do with one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

    from ingest.store import AnyStore, Publication

COUNTS = """
    SELECT (SELECT count(*) FROM first_half) AS first,
           (SELECT count(*) FROM second_half) AS second,
           (SELECT count(*) FROM reviews) AS reviews
"""


def add(draft: Publication, *, name: str = "test", n: int = 0) -> None:
    cursor = draft.cursor()
    cursor.execute("INSERT INTO first_half VALUES (?, ?)", [name, n])
    cursor.execute("INSERT INTO second_half VALUES (?, ?)", [name, n])


def publish(store: AnyStore, con: duckdb.DuckDBPyConnection, n: int = 0) -> None:
    with store.publication(con) as draft:
        add(draft, n=n)


def review(store: AnyStore, con: duckdb.DuckDBPyConnection) -> None:
    with store.people_publication(con) as draft:
        draft.cursor().execute("INSERT INTO reviews (review_id, body, created_at) VALUES ('1', '{}', now())")


def counts(store: AnyStore) -> tuple[int, int]:
    with store.lease() as lease:
        (row,) = lease.rows(COUNTS)
    return row["first"], row["second"]
