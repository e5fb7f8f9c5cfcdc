"""Templates: blocks whose fields still hold placeholders. They are documentation, not events."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from ingest.blocks.block import STATE, field_name

_FIELD = re.compile(r"^\s*(?:[-*+]\s+)*[\"'*]*(?P<key>[A-Za-z_][\w ./()-]{0,60}?)[\"'*]*\s*:\**\s+(?P<value>\S.*)$")
_COMMENT = re.compile(r"\s+#\s.*$")
_ALTERNATIVES = re.compile(r"[\[<{]?[^|\s][^|]{0,60}(?:\|[^|]{1,60})+[\]>}]?")
_BLANKS = re.compile(
    r"0\.[XxNn]+|[XxNn]+\s*%|[XxNn]|[XxNn]+/[XxYyMm]+|\[?[XxNn]/[XxYyMm]\]?|<[^<>]+>|\{[^{}:]*\}|\.\.\.|…|\[\.\.\.\]|TBD"
)
_BLANKS_BEGIN = frozenset("0XxNn[<{.…T")
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


def is_template(kind: str, fields: Iterable[tuple[str, str]]) -> bool:
    """A deciding field holds a placeholder, or every field does."""
    tells = is_said = False
    for key, value in fields:
        blank = _is_placeholder(key, value)
        if blank and _decides(kind, key):
            return True
        if value != "[]":
            tells, is_said = True, is_said or not blank
    return tells and not is_said


def _decides(kind: str, key: str) -> bool:
    # The chain of a state is the agents in their order, and may stand in brackets.
    return key in _DECIDING and not (kind == STATE and key == "chain")


def _is_placeholder(key: str, value: str) -> bool:
    """Most values are none, and begin as none does."""
    first = value[:1]
    if first in _BLANKS_BEGIN and _BLANKS.fullmatch(value):
        return True
    if "|" in value and (key not in _LISTS or key in _DECIDING) and _ALTERNATIVES.fullmatch(value):
        return True
    bracketed = _BRACKETED.fullmatch(value) if first == "[" and key not in _LISTS else None
    return bracketed is not None and not _A_VALUE.fullmatch(bracketed["inner"])


def fields_written(lines: list[str]) -> Iterator[tuple[str, str]]:
    """The fields of the lines as they are written, without quotes and comments."""
    for line in lines:
        if ":" in line and (match := _FIELD.match(line)):
            key, value = match.group("key", "value")
            value = _COMMENT.sub("", value) if "#" in value else value
            yield field_name(key), value.strip().strip("\"'")


def fields_told(value: Any) -> list[tuple[str, str]]:
    """The scalars of a JSON value with the names they stand under."""
    told: list[tuple[str, str]] = []
    _tell(value, "", told)
    return told


def _tell(value: Any, key: str, told: list[tuple[str, str]]) -> None:
    if isinstance(value, str):
        told.append((key, value))
    elif isinstance(value, dict):
        for name, item in value.items():
            _tell(item, field_name(name), told)
    elif isinstance(value, list):
        for item in value:
            _tell(item, key if isinstance(item, (dict, list)) else "artifacts", told)
    elif value is not None:
        told.append((key, str(value)))
