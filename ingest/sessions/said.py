"""What is said in a session: the blocks an assistant writes, the quotations of them, and what a session is called."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any

from ingest.adapter import Item, Place, Skipped
from ingest.blocks.items import QUOTATION, Reader
from ingest.blocks.text import blocks_in
from ingest.vendor.values import storable

LONGEST_TEXT = 20_000
LONGEST_NAME = 80
BLOCKS_IN_A_ROW = 100_000
WITHHELD = ("encrypted_content", "base_instructions")
_WITHHELD = frozenset(WITHHELD)
_USUAL_DEPTH = 40
_INJECTED = re.compile(r"<(?P<tag>[a-z][\w-]*)>.*?</(?P=tag)>", re.DOTALL)
_NOT_WORDS = ("<", "caveat: the messages below", "# agents.md", "[request interrupted")


def blocks_said(
    text: str, place: Place, reader: Reader, *, said_by: Callable[[], str], occurred_at: datetime | None
) -> Iterator[Item]:
    """The blocks of an assistant's text; their ids follow from the message's, so that a message read twice is one."""
    for number, block in enumerate(blocks_in(text), start=1):
        # Blocks of one message have one time: their order in it follows from where they stand.
        order = (place.line or 0) * BLOCKS_IN_A_ROW + number
        yield reader.item(block, place, event_id=f"{said_by()}#block-{number}", order=order, occurred_at=occurred_at)


def quotations(text: str, place: Place) -> Iterator[Item]:
    """The blocks in what a user or a tool says: quoted, not meant."""
    if count := sum(1 for _ in blocks_in(text)):
        yield Skipped(place, QUOTATION, count)


def text_of(content: Any) -> str:
    """The text of a message: itself, or that of its parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = [part.get("text") if isinstance(part, dict) else part for part in content]
    return "\n".join(part for part in parts if isinstance(part, str))


def first_words(text: str) -> str | None:
    """The first words of what a user said; None for what a program put there."""
    told = " ".join(_INJECTED.sub(" ", text[:LONGEST_TEXT]).split())
    if not told or told.lower().startswith(_NOT_WORDS):
        return None
    return told if len(told) <= LONGEST_NAME else f"{told[: LONGEST_NAME - 1].rstrip()}…"


def project_folder(cwd: Any) -> str | None:
    """The last part of the working folder."""
    if not isinstance(cwd, str):
        return None
    return cwd.replace("\\", "/").rstrip("/").rpartition("/")[2] or None


def kept(value: dict[str, Any], *besides: str) -> dict[str, Any]:
    """What is worth keeping of a record: images and long texts cut, what must not be shown left out and named."""
    left_out = {*besides, *WITHHELD} if besides else _WITHHELD
    there = {key: item for key, item in value.items() if item is not None and key not in left_out}
    if _is_usual(value):
        return there
    lean = {key: _lean(item) for key, item in there.items()}
    withheld = sorted(_withheld(value))
    return storable({**lean, **({"withheld": withheld} if withheld else {})})


def _is_usual(value: dict[str, Any]) -> bool:
    """Nothing in the value is to be cut, left out, or too deep for the store: told in one walk."""
    level: list[Any] = [value]
    for _ in range(_USUAL_DEPTH):
        below: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                if "encrypted_content" in item or "base_instructions" in item or item.get("type") == "base64":
                    return False
                children: Iterable[Any] = item.values()
            else:
                children = item
            for child in children:
                if isinstance(child, str):
                    if len(child) > LONGEST_TEXT:
                        return False
                elif isinstance(child, (dict, list)):
                    below.append(child)
        if not below:
            return True
        level = below
    return False


def _lean(value: Any, depth: int = 0) -> Any:
    if isinstance(value, str):
        return value if len(value) <= LONGEST_TEXT else f"{value[:LONGEST_TEXT]}… ({len(value)} characters)"
    if depth > 50:
        return value
    if isinstance(value, list):
        return [_lean(item, depth + 1) for item in value]
    if isinstance(value, dict):
        if value.get("type") == "base64" and isinstance(value.get("data"), str):
            return {**value, "data": f"({len(value['data'])} characters)"}
        return {key: _lean(item, depth + 1) for key, item in value.items() if key not in WITHHELD}
    return value


def _withheld(value: Any, depth: int = 0) -> set[str]:
    if depth > 50:
        return set()
    if isinstance(value, list):
        return set().union(*(_withheld(item, depth + 1) for item in value)) if value else set()
    if isinstance(value, dict):
        own = {key for key in WITHHELD if value.get(key)}
        return own.union(*(_withheld(item, depth + 1) for item in value.values()))
    return set()
