"""What people wrote about a store, for the queries that read reviews: `python -m tests.soak.spark_reviews STORE`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from ingest.reviews import Review, write
from ingest.store import open_store

DIAGNOSED = "SELECT run_id, event_id FROM diagnoses WHERE event_id IS NOT NULL ORDER BY run_id, seq LIMIT 4"
FREQUENT = """
    SELECT signature, min(run_id) AS run_id FROM error_events
    WHERE signature IS NOT NULL GROUP BY signature ORDER BY count(*) DESC, signature LIMIT 4
"""
Rows = list[dict[str, Any]]


def review(store: str) -> None:
    """Diagnoses are overridden, disputed and settled; signatures merged, resolved and reopened."""
    with closing(open_store(store)) as opened:
        with opened.lease() as lease:
            events, signatures = lease.rows(DIAGNOSED), lease.rows(FREQUENT)
        # Each by itself: the later one is the one that stands.
        for each in (*of_events(events), *of_signatures(signatures)):
            write(opened, [each])


def of_events(events: Rows) -> Iterator[Review]:
    moved, disputed, settled, closed = (dict(event) for event in events)
    yield diagnosis(moved, "ann", originated_at="PLAN / acceptance criteria", trigger="a", root_cause="b")
    yield diagnosis(disputed, "ann", originated_at="PREPARE / step 2")
    yield diagnosis(disputed, "bob", observed_at="Phase VERIFY step 3", fix_at="origin")
    first, second = diagnosis(settled, "ann", root_cause="x"), diagnosis(settled, "bob", root_cause="y")
    yield first
    yield second
    yield diagnosis(settled, "cyd", root_cause="z", settles=[first.review_id, second.review_id])
    yield Review(closed["run_id"], "resolution", "ann", {"resolved": True}, event_id=closed["event_id"])


def of_signatures(signatures: Rows) -> Iterator[Review]:
    kept, merged, resolved, reopened = (dict(signature) for signature in signatures)
    yield decision(merged, "merge", into=kept["signature"])
    yield decision(resolved, "resolved")
    yield decision(reopened, "resolved")
    yield decision(reopened, "reopened")


def diagnosis(event: dict[str, Any], author: str, **body: Any) -> Review:
    return Review(event["run_id"], "diagnosis", author, {"verdict": "overridden", **body}, event_id=event["event_id"])


def decision(of: dict[str, Any], action: str, **body: Any) -> Review:
    return Review(of["run_id"], "signature", "ann", {"signature": of["signature"], "action": action, **body})


if __name__ == "__main__":
    review(sys.argv[1])
