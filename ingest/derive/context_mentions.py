"""Which documents a text names or quotes. Absence counts only where presence would have shown; nothing is guessed.

A document is named by an id that stands alone in the text, has three characters or more and is no mere number (a number
counts as a citation in brackets, such as [12]); it is quoted by its exact content of 20 characters or more, white space
aside.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ingest.records import ContextItem

SHORTEST_ID = 3
SHORTEST_CONTENT = 20
# What may stand in an id must not stand beside it: adr-7 is not in adr-71, old-adr-7, docs/adr-7 or adr-7.md.
_BEFORE, _AFTER = r"(?<![\w/.-])", r"(?![\w/-]|\.\w)"


@dataclass(frozen=True, slots=True)
class Document:
    """A context item and, where it was recorded, its content."""

    item: ContextItem
    content: str | None = None


@dataclass(frozen=True, slots=True)
class Mentions:
    """The documents found in a text, and whether the others would have been found, had they been there."""

    found: tuple[Document, ...]
    is_complete: bool


def is_named(text: str, item_id: str) -> bool:
    """The id stands in the text as a word of its own, or as a citation."""
    pattern = _pattern(item_id)
    return pattern is not None and pattern.search(text) is not None


@lru_cache(maxsize=4096)
def _pattern(item_id: str) -> re.Pattern[str] | None:
    if item_id.isdigit():
        return re.compile(rf"\[{item_id}\]")
    if len(item_id) < SHORTEST_ID:
        return None
    return re.compile(f"{_BEFORE}{re.escape(item_id)}{_AFTER}")


def plain(text: str | None) -> str:
    """The text with white space made one."""
    return " ".join((text or "").split())


def _is_distinctive(content: str) -> bool:
    return len(content) >= SHORTEST_CONTENT


def found_in(text: str, documents: Sequence[Document]) -> Mentions:
    """What of the documents stands in a prompt. Where nothing does, nothing can be said of any of them.

    A document that was not found counts as absent if its content is known, or if the text names others by id.
    """
    flat = plain(text)
    named = [document for document in documents if is_named(text, document.item.item_id)]
    quoted = [document for document in documents if _is_quoted(flat, document)]
    found = _in_order(documents, {*named, *quoted})
    rest = [document for document in documents if document not in found]
    would_show = bool(named) or all(_is_distinctive(plain(document.content)) for document in rest)
    return Mentions(found, bool(found) and would_show)


def cited_in(text: str, documents: Sequence[Document]) -> Mentions:
    """What of the documents an answer names or quotes. An answer that names none may have used any of them."""
    flat = plain(text)
    used = {document for document in documents if is_named(text, document.item.item_id) or _is_quoted(flat, document)}
    return Mentions(_in_order(documents, used), bool(used))


def _is_quoted(flat: str, document: Document) -> bool:
    content = plain(document.content)
    return _is_distinctive(content) and content in flat


def _in_order(documents: Iterable[Document], chosen: set[Document]) -> tuple[Document, ...]:
    return tuple(document for document in documents if document in chosen)
