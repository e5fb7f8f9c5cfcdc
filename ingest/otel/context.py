"""The context sets of a span: declared ones, and what retrieval and reranking conventions say.

`required` and `current` have no convention and are only ever declared. `composed` and `consumed` are found by
comparing item contents with the messages of a later span, which needs more than one span: no step of this module.
A set stands at the span that records it; `step_id` is that span's id.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from ingest.otel.declared import declared_sets
from ingest.otel.meaning import agent_of, phase_of
from ingest.otel.messages import listed
from ingest.otel.span import OtelSpan
from ingest.otel.values import as_text, flattened, structured
from ingest.records import ContextItem, ContextSet

_RETRIEVED = ("gen_ai.retrieval.documents", "retrieval.documents")
_RERANKED_FROM = "reranker.input_documents"
_IDS = ("document.id", "id", "document_id", "document.metadata.id")
_REVISIONS = ("document.revision", "revision", "version", "document.metadata.revision", "document.metadata.version")
_KEPT = 4_096
_CONTENTS = ("document.content", "content", "text", "page_content")


def context_sets(span: OtelSpan, run_id: str, flags: set[str]) -> Iterator[ContextSet]:
    """Every set that the span records, the declared one where both are there."""
    declared = declared_sets(span, flags)
    for name, members in declared.items():
        yield _set(span, run_id, name, members)
    if not span.shape.documents:
        return
    if "retrieved" not in declared:
        yield from _conventional(span, run_id, "retrieved", _RETRIEVED, flags)
    if "eligible" not in declared:
        yield from _conventional(span, run_id, "eligible", (_RERANKED_FROM,), flags)


def _conventional(
    span: OtelSpan, run_id: str, set_name: str, names: tuple[str, ...], flags: set[str]
) -> Iterator[ContextSet]:
    """The documents of the first of these attributes that is recorded."""
    for name in names:
        documents = listed(span.attributes, name)
        if documents is None:
            if span.attributes.get(name) not in (None, ""):
                flags.add("unreadable_documents")
            continue
        items = tuple(dict.fromkeys(document_item(document, flags) for document in documents))
        if set_name == "retrieved":
            yield _set(span, run_id, set_name, items)
        else:
            rule = f"reranker_input: what {name} holds was a candidate that policy and authority let through"
            yield _set(span, run_id, set_name, items, basis="derived", rule=rule)
        return


def document_item(document: Mapping[str, Any], flags: set[str]) -> ContextItem:
    """The document by its id; one without an id by a digest of its content."""
    flat = _flat(document)
    item_id = next((as_text(flat[name]) for name in _IDS if flat.get(name) not in (None, "")), None)
    revision = next((as_text(flat[name]) for name in _REVISIONS if flat.get(name) not in (None, "")), None)
    if item_id is None:
        flags.add("item_id_from_content")
        content = next((flat[name] for name in _CONTENTS if flat.get(name)), flat)
        item_id = "sha256:" + hashlib.sha256((as_text(content) or "").encode()).hexdigest()[:16]
    return item_of(item_id, revision)


@lru_cache(_KEPT)
def item_of(item_id: str, revision: str | None) -> ContextItem:
    """The item, made once: its check takes longer than to look it up, and many steps have the same."""
    return ContextItem(item_id=item_id, revision=revision)


def _flat(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document with its metadata opened, which many instrumentations write as a text."""
    flat = flattened(document)
    if not any(key.endswith("metadata") or isinstance(value, dict) for key, value in flat.items()):
        return flat
    return flattened({key: structured(value) if key.endswith("metadata") else value for key, value in flat.items()})


def _set(span: OtelSpan, run_id: str, name: str, members: tuple[ContextItem, ...], **derived: Any) -> ContextSet:
    return ContextSet.model_validate(
        {
            "run_id": run_id,
            "event_id": f"{span.span_id}/context/{name}",
            "step_id": span.span_id,
            "set_name": name,
            "members": members,
            "agent": agent_of(span),
            "phase": phase_of(span),
            "occurred_at": span.end or span.start,
            **derived,
        }
    )
