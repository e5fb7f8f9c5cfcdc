"""Templates: blocks whose fields still hold placeholders. They are documentation, not events."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ingest.blocks.block import STATE, field_name

_FIELD = re.compile(r"^\s*(?:[-*+]\s+)*[\"'*]*(?P<key>[A-Za-z_][\w ./()-]{0,60}?)[\"'*]*\s*:\**\s+(?P<value>\S.*)$")
_COMMENT = re.compile(r"\s+#\s.*$")
_ALTERNATIVES = re.compile(r"[\[<{]?[^|\s][^|]{0,60}(?:\|[^|]{1,60})+[\]>}]?")
_BLANKS = re.compile(
    r"0\.[XxNn]+|[XxNn]+\s*%|[XxNn]|[XxNn]+/[XxYyMm]+|\[?[XxNn]/[XxYyMm]\]?|<[^<>]+>|\{[^{}:]*\}|\.\.\.|…|\[\.\.\.\]|TBD"
)
_BRACKETED = re.compile(r"\[(?P<inner>[^\[\]]*)\]")
# What may stand in brackets and still be a value: a level, a step, a word of a closed list.
_A_VALUE = re.compile(r"L\d|[A-Z_]{2,}|\d+/\d+|\d+(?:\.\d+)?%?")
# With a placeholder in one of these, nothing has happened.
_DECIDING = frozenset(
    {
        "level", "step", "result", "outcome", "status", "chain", "confidence", "decision", "attempts", "success_rate",
        "avg_confidence", "escalation_rate",
    }
)  # fmt: skip
_LISTS = frozenset({"artifacts", "data_classes", "visited", "steps", "chain", "risks", "evidence"})


def is_template(kind: str, fields: Iterator[tuple[str, str]]) -> bool:
    """A deciding field holds a placeholder, or every field does."""
    found = list(fields)
    if any(_decides(kind, key) and _is_placeholder(key, value) for key, value in found):
        return True
    told = [(key, value) for key, value in found if value != "[]"]
    return bool(told) and all(_is_placeholder(key, value) for key, value in told)


def _decides(kind: str, key: str) -> bool:
    # The chain of a state is the agents in their order, and may stand in brackets.
    return key in _DECIDING and not (kind == STATE and key == "chain")


def _is_placeholder(key: str, value: str) -> bool:
    if _BLANKS.fullmatch(value) or (key not in _LISTS and _ALTERNATIVES.fullmatch(value)):
        return True
    if key in _DECIDING and "|" in value and _ALTERNATIVES.fullmatch(value):
        return True
    bracketed = _BRACKETED.fullmatch(value)
    return bool(bracketed) and key not in _LISTS and not _A_VALUE.fullmatch(str(bracketed and bracketed["inner"]))


def fields_written(lines: list[str]) -> Iterator[tuple[str, str]]:
    """The fields of the lines as they are written, without quotes and comments."""
    for line in lines:
        if match := _FIELD.match(line):
            yield field_name(match["key"]), _COMMENT.sub("", match["value"]).strip().strip("\"'")


def fields_told(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """The scalars of a JSON value with the names they stand under."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield from fields_told(item, field_name(name))
    elif isinstance(value, list):
        for item in value:
            yield from fields_told(item, key if isinstance(item, dict | list) else "artifacts")
    elif value is not None:
        yield key, str(value)
