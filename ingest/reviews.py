"""What people write about failures. Every review is kept: a newer one names the one it supersedes.

Reviews lie in the people's store, so that no ingest can overwrite them; the recorded values stay beside them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import duckdb

from ingest.derive.prevention import FLAG, LAYERS, is_null_prevention, layer_of
from ingest.store.catalog import memory_connection
from ingest.store.errors import FaultlensError
from ingest.store.masking import masked
from ingest.store.url import AnyStore
from ingest.vocabulary import CONTEXT_FAILURE_CLASS, DIAGNOSIS_STATUS, FIX_AT

__all__ = [
    "CONTEXT_CLASSES", "FIX_POINTS", "KINDS", "LAYERS", "LONGEST", "PROSE", "Fault", "Review", "ReviewRefused",
    "faults_of", "notes_on", "stored", "write",
]  # fmt: skip

# What the report of a run cannot know: each is a text in a person's words, about the run or about one moment of it.
PROSE = ("note", "summary", "impact", "gate", "went_well", "went_badly", "lucky", "question")
KINDS = ("diagnosis", "comment", "resolution", *PROSE, "action", "signature")
SIGNATURE_ACTIONS = ("resolved", "reopened", "merge", "split")
FIX_POINTS = FIX_AT.values
CONTEXT_CLASSES = CONTEXT_FAILURE_CLASS.values
TEXTS = ("observed_at", "originated_at", "trigger", "root_cause", "prevention")
LONGEST = 5_000
_CLOSED = {
    "fix_at": FIX_AT.matched,
    "status": DIAGNOSIS_STATUS.matched,
    "context_failure_class": CONTEXT_FAILURE_CLASS.matched,
    "prevention_layer": layer_of,
}
_BODY_OF = {
    "diagnosis": {*TEXTS, *_CLOSED, "verdict", "durable", "comment", "settles", FLAG},
    "comment": {"comment"},
    "resolution": {"resolved", "comment"},
    "action": {"comment", "prevention_layer", "owner", "due", "durable", "verified"},
    # About a signature as a whole; the run is one in which it was seen.
    "signature": {"signature", "action", "into", "comment"},
} | {kind: {"comment"} for kind in PROSE}


class ReviewRefused(FaultlensError):
    """The review says something that cannot be kept as a review."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a field refuses the review."""

    name: str
    message: str


@dataclass(frozen=True, slots=True)
class Review:
    """One thing that a person wrote; `event_id` is None where it is about the run as a whole."""

    run_id: str
    kind: str
    author: str
    body: Mapping[str, Any]
    event_id: str | None = None
    supersedes: str | None = None
    review_id: str = field(default_factory=lambda: uuid4().hex)
    created_at: datetime = field(default_factory=lambda: datetime.now(UTC))


def faults_of(review: Review) -> list[Fault]:
    """Every reason to refuse the review."""
    found = [Fault(name, f"{name} is missing") for name in ("run_id", "author") if not _text(getattr(review, name))]
    if review.kind not in KINDS:
        return [*found, Fault("kind", f"'{review.kind}' is no kind of review; known are: {', '.join(KINDS)}")]
    unknown = sorted(set(review.body) - _BODY_OF[review.kind])
    found += [Fault(name, f"a {review.kind} review has no '{name}'") for name in unknown]
    found += [
        Fault(name, f"{name} is longer than {LONGEST:,} characters")
        for name, value in review.body.items()
        if isinstance(value, str) and len(value) > LONGEST
    ]
    return found + _FAULTS[review.kind](review.body)


def _faults_of_diagnosis(body: Mapping[str, Any]) -> list[Fault]:
    found = [
        Fault(name, f"'{body[name]}' is no {name.replace('_', ' ')} that is known")
        for name, matched in _CLOSED.items()
        if _text(body.get(name)) and matched(str(body[name])) is None
    ]
    if body.get("verdict") not in {"confirmed", "overridden"}:
        found.append(Fault("verdict", "say whether the recorded diagnosis is confirmed or overridden"))
    trigger, cause = _text(body.get("trigger")), _text(body.get("root_cause"))
    if trigger and trigger.casefold() == cause.casefold():
        found.append(
            Fault("root_cause", "the trigger is not the root cause: what set it off, and what let it become a failure?")
        )
    return found


def _faults_of_comment(body: Mapping[str, Any]) -> list[Fault]:
    return [] if _text(body.get("comment")) else [Fault("comment", "an empty comment says nothing")]


def _faults_of_action(body: Mapping[str, Any]) -> list[Fault]:
    layer = _text(body.get("prevention_layer"))
    found = [] if _text(body.get("comment")) else [Fault("comment", "say what is to be done")]
    if layer and layer_of(layer) is None:
        found.append(Fault("prevention_layer", f"'{layer}' is no prevention layer that is known"))
    return found


def _faults_of_resolution(body: Mapping[str, Any]) -> list[Fault]:
    return [] if isinstance(body.get("resolved"), bool) else [Fault("resolved", "say whether it is resolved")]


def _faults_of_signature(body: Mapping[str, Any]) -> list[Fault]:
    signature, action, into = (_text(body.get(name)) for name in ("signature", "action", "into"))
    found = [] if signature else [Fault("signature", "say which signature it is about")]
    if action not in SIGNATURE_ACTIONS:
        found.append(Fault("action", f"the action is one of {', '.join(SIGNATURE_ACTIONS)}"))
    if action == "merge" and (not into or into == signature):
        found.append(Fault("into", "say which other signature it is merged into"))
    return found


_FAULTS = {
    "diagnosis": _faults_of_diagnosis,
    "comment": _faults_of_comment,
    "resolution": _faults_of_resolution,
    "action": _faults_of_action,
    "signature": _faults_of_signature,
} | dict.fromkeys(PROSE, _faults_of_comment)


def notes_on(body: Mapping[str, Any]) -> list[str]:
    """What a reviewer should be told at entry, although the review is kept."""
    found = []
    if is_null_prevention(body.get("prevention"), body.get("prevention_layer")):
        found.append(
            "This prevention prevents nothing: name the layer that will stop it, not more care or another line of "
            "prompt."
        )
    if _text(body.get("fix_at")) == "observation":
        found.append(
            "A fix where the failure was observed is provisional: it stays on the open list until the origin is fixed."
        )
    return found


def write(store: AnyStore, reviews: Iterable[Review]) -> list[Review]:
    """The reviews are stored, each as it is now in the store; one that is there already is left as it was."""
    checked = [_checked(review) for review in reviews]
    if not checked:
        return []
    with memory_connection() as con, store.people_publication(con) as draft:
        cursor = draft.cursor()
        known, newest = _what_is_there(cursor)
        written = []
        for review in checked:
            if review.review_id not in known:
                # One order for all writers, whatever their clocks say: later in the store is later in time.
                at = max(review.created_at, newest + timedelta(microseconds=1)) if newest else review.created_at
                newest = at
                written.append(_stamped(review, at))
                _insert(cursor, written[-1])
        if not written:
            draft.discard()
    return written


def stored(store: AnyStore, run_id: str, event_id: str | None = None) -> list[Review]:
    """The reviews of a run or of one event of it, the oldest first."""
    with store.lease() as lease:
        rows = lease.rows(
            "SELECT run_id, kind, author, body, event_id, supersedes, review_id, created_at FROM reviews"
            " WHERE run_id = $run AND ($event IS NULL OR event_id = $event) ORDER BY created_at, review_id",
            {"run": run_id, "event": event_id},
        )
    return [Review(**{**row, "body": json.loads(row["body"])}) for row in rows]


def _checked(review: Review) -> Review:
    faults = faults_of(review)
    if faults:
        raise ReviewRefused("the review is not stored: " + "; ".join(fault.message for fault in faults))
    body = {name: _said(name, value) for name, value in review.body.items() if name != FLAG and value not in (None, "")}
    if is_null_prevention(body.get("prevention"), body.get("prevention_layer")):
        body[FLAG] = True
    return _with(review, body=body, author=review.author.strip())


def _said(name: str, value: Any) -> Any:
    matched = _CLOSED.get(name)
    if matched:
        return matched(str(value))
    return masked(value.strip()) if isinstance(value, str) else value


def _what_is_there(cursor: duckdb.DuckDBPyConnection) -> tuple[set[str], datetime | None]:
    rows = cursor.execute("SELECT review_id, created_at FROM reviews").fetchall()
    return {row[0] for row in rows}, max((row[1] for row in rows), default=None)


def _insert(cursor: duckdb.DuckDBPyConnection, review: Review) -> None:
    cursor.execute(
        "INSERT INTO reviews (review_id, run_id, event_id, kind, body, author, created_at, supersedes)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [
            review.review_id, review.run_id, review.event_id, review.kind, json.dumps(review.body, ensure_ascii=False),
            review.author, review.created_at, review.supersedes,
        ],
    ).fetchall()  # fmt: skip


def _stamped(review: Review, at: datetime) -> Review:
    return _with(review, created_at=at)


def _with(review: Review, **changes: Any) -> Review:
    values = {name: getattr(review, name) for name in Review.__dataclass_fields__}
    return Review(**{**values, **changes})


def _text(value: Any) -> str:
    return " ".join(str(value).split()) if value is not None else ""
