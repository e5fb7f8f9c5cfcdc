"""Finds the event blocks in a text: in fences or not, in lists, several in a row, cut at the end, or as JSON.

Prose that names a block is no block: a header stands alone on its line and has fields below it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ingest.blocks.block import (
    CLOSING,
    DIAGNOSIS,
    DIAGNOSIS_FIELDS,
    ERROR,
    FIELDS,
    GUARDRAIL,
    KIND_OF_NAME,
    NAMES,
    RECOVERY,
    Block,
    field_name,
    named_fields,
)
from ingest.blocks.body import values_of
from ingest.blocks.objects import json_blocks
from ingest.blocks.template import fields_written, is_template
from ingest.vocabulary import ERROR_RESULT, RECOVERY_OUTCOME, Vocabulary

_MENTIONED = re.compile(rf"{NAMES}|originated_at", re.IGNORECASE)
# How each of these ends. Few characters are underscores, so that most texts are passed over quickly.
_MAY_BE_MENTIONED = re.compile(r"_(?:event|complete|state|handoff|refused|metrics|at)", re.IGNORECASE)
_HEADER = re.compile(
    rf"^(?P<space>\s*)(?P<marks>(?:[-*+]\s+|\d{{1,3}}[.)]\s+)*)(?P<heading>#{{1,6}}\s+)?(?P<open>\*\*|`)?"
    rf"(?P<name>{NAMES})(?:\*\*|`)?\s*(?P<colon>:)?(?:\*\*|`)?\s*(?P<rest>(?:#.*|\{{.*)?)$",
    re.IGNORECASE,
)
_FENCE = re.compile(r"^\s*(?:[-*+]\s+)?(?:`{3,}|~{3,})")
_FIELD = re.compile(
    r"^(?P<space>\s*)(?P<mark>[-*+]\s+)?\**[\"']?(?P<key>[A-Za-z_][\w ./()-]{0,79}?)[\"']?\s*:\**(?:\s|$)"
)
_BLOCK_SCALAR = re.compile(r":\s+[|>][+-]?\d?[+-]?(?:\s+#.*)?$")
_ITEM = re.compile(r"^\s*[-*+]\s+\S")
_LAST_WORD: dict[str, Vocabulary] = {"result": ERROR_RESULT, "outcome": RECOVERY_OUTCOME}
_RAW = 4_000
NEWLINE = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class _Stretch:
    """The body of a block: its lines, where the next one starts, and whether the text ended within it."""

    lines: list[str]
    end: int
    at_end: bool


def mentions_block(text: str) -> bool:
    """The text names a block or a diagnosis, which is far from being one."""
    return _MAY_BE_MENTIONED.search(text) is not None and _MENTIONED.search(text) is not None


def blocks_in(text: str) -> Iterator[Block]:
    """The blocks of a text, in order."""
    if mentions_block(text):
        yield from blocks_in_lines(NEWLINE.split(text), ended=text.endswith(("\n", "\r")))


def blocks_in_lines(lines: Sequence[str], *, ended: bool) -> Iterator[Block]:
    """The blocks of the lines; `ended` says that the last line is closed by a line end."""
    at = 0
    while at < len(lines):
        line = lines[at]
        if header := _header(line):
            blocks, at = _under_header(lines, at, header, ended=ended)
            yield from (block for block in blocks if block.fields or block.is_cut)
        elif line.lstrip()[:1] in ("{", "[") and (found := json_blocks(lines, at)):
            yield from found.blocks
            at = found.end
        elif _begins_diagnosis(lines, at):
            stretch = _same_indent(lines, at, _indent(line), DIAGNOSIS_FIELDS)
            yield _block(DIAGNOSIS, at, stretch, stretch.lines, ended=ended)
            at = stretch.end
        else:
            at += 1


def _header(line: str) -> re.Match[str] | None:
    """The line as the header of a block; every name of one has an underscore."""
    return _HEADER.match(line) if "_" in line else None


def _under_header(lines: Sequence[str], at: int, header: re.Match[str], *, ended: bool) -> tuple[list[Block], int]:
    """The blocks that a header begins, one or several as a list, and the line after them; none where it is prose."""
    kind = KIND_OF_NAME[header["name"].lower()]
    if not (header["colon"] or header["heading"] or header["open"] == "**"):
        return [], at + 1
    if header["rest"].startswith("{"):
        return [_inline(kind, at, header["rest"], at_end=_ends(lines, at + 1))], at + 1
    stretch = _body(lines, at, header, kind)
    blocks = [_block(kind, at + start, stretch, part, ended=ended) for start, part in _parts(stretch.lines)]
    return blocks, stretch.end


def _inline(kind: str, at: int, rest: str, *, at_end: bool) -> Block:
    value, flags = values_of([f"block: {rest}"])
    inner = value.get("block") if isinstance(value, dict) else None
    fields, twins = named_fields(inner) if isinstance(inner, dict) else ({}, ())
    template = is_template(kind, iter((key, str(item)) for key, item in fields.items()))
    return Block(kind, at + 1, fields, rest[:_RAW], (*flags, *twins), template, at_end and not fields)


def _indent(line: str) -> int:
    expanded = line.expandtabs(4) if "\t" in line else line
    return len(expanded) - len(expanded.lstrip(" "))


def _ends(lines: Sequence[str], at: int) -> bool:
    return not any(lines[number].strip() for number in range(at, len(lines)))


def _body(lines: Sequence[str], at: int, header: re.Match[str], kind: str) -> _Stretch:
    base = _indent(header["space"] + "x")
    first = next((number for number in range(at + 1, len(lines)) if lines[number].strip()), len(lines))
    if first == len(lines):
        return _Stretch([], first, at_end=True)
    if first > at + 1 and not (header["heading"] or _FIELD.match(lines[first])):
        return _Stretch([], at + 1, at_end=False)
    if _indent(lines[first]) > base:
        return _deeper(lines, first, base)
    if _indent(lines[first]) == base and (header["heading"] or first == at + 1):
        return _same_indent(lines, first, base, FIELDS[kind], bullets=True)
    return _Stretch([], at + 1, at_end=False)


def _deeper(lines: Sequence[str], first: int, base: int) -> _Stretch:
    """The lines that are indented more than the header; a blank one ends them unless another field follows."""
    at, scalar = first, -1
    while at < len(lines):
        line = lines[at]
        if not line.strip():
            following = next((number for number in range(at, len(lines)) if lines[number].strip()), None)
            if following is None or not _goes_on(lines[following], base, scalar):
                break
            at = following
            continue
        if _indent(line) <= base or _FENCE.match(line) or _header(line):
            break
        if not (scalar >= 0 and _indent(line) > scalar):
            scalar = _indent(line) if _opens_scalar(line) else -1
        at += 1
    return _Stretch(list(lines[first:at]), at, _ends(lines, at))


def _opens_scalar(line: str) -> bool:
    return ("|" in line or ">" in line) and _BLOCK_SCALAR.search(line) is not None


def _goes_on(line: str, base: int, scalar: int) -> bool:
    if _indent(line) <= base or _FENCE.match(line) or _header(line):
        return False
    return bool(_FIELD.match(line) or _ITEM.match(line)) or 0 <= scalar < _indent(line)


def _same_indent(
    lines: Sequence[str], first: int, base: int, known: frozenset[str], *, bullets: bool = False
) -> _Stretch:
    """The fields that stand no deeper than their header: as long as each line is one of its fields, or deeper."""
    marked = bullets and bool(_ITEM.match(lines[first]))
    at = first
    while at < len(lines) and (line := lines[at]).strip() and not (_FENCE.match(line) or _header(line)):
        deeper = at > first and _indent(line) > base
        if not deeper and not (_ITEM.match(line) if marked else _is_field(line, known)):
            break
        at += 1
    return _Stretch(list(lines[first:at]), max(first, at), _ends(lines, at))


def _is_field(line: str, known: frozenset[str]) -> bool:
    match = _FIELD.match(line)
    return bool(match) and not (match and match["mark"]) and field_name(match["key"] if match else "") in known


def _begins_diagnosis(lines: Sequence[str], at: int) -> bool:
    """A bare diagnosis: lines of its fields, one of them originated_at."""
    match = _FIELD.match(lines[at]) if ":" in lines[at] and _may_begin_diagnosis(lines[at].lower()) else None
    if not match or match["mark"] or field_name(match["key"]) not in ("observed_at", "originated_at"):
        return False
    stretch = _same_indent(lines, at, _indent(lines[at]), DIAGNOSIS_FIELDS)
    return any(key == "originated_at" for key, _ in fields_written(stretch.lines))


def _may_begin_diagnosis(lowered: str) -> bool:
    return "observed" in lowered or "originated" in lowered


def _parts(lines: list[str]) -> list[tuple[int, list[str]]]:
    """The body as one block, or as several where it is a list of them, each with its distance from the header."""
    if not lines or not _ITEM.match(lines[0]):
        return [(0, lines)]
    items = [number for number, line in enumerate(lines) if _ITEM.match(line) and _indent(line) == _indent(lines[0])]
    if len(items) == len([line for line in lines if line.strip()]):
        return [(0, lines)]
    keys = [field_name(match["key"]) for at in items if (match := _FIELD.match(lines[at]))]
    if len(keys) != len(items) or len(keys) == len(set(keys)):
        return [(0, lines)]
    ends = [*items[1:], len(lines)]
    return [(start + 1, lines[start:end]) for start, end in zip(items, ends, strict=True)]


def _block(kind: str, at: int, stretch: _Stretch, lines: list[str], *, ended: bool) -> Block:
    value, flags = values_of(lines)
    fields, twins = named_fields(_as_object(value))
    cut = stretch.at_end and lines[-1:] == stretch.lines[-1:] and _is_cut(kind, fields, ended=ended)
    raw = "\n".join(lines)[:_RAW]
    template = is_template(kind, fields_written(lines))
    return Block(kind, at + 1, fields, raw, tuple(dict.fromkeys((*flags, *twins))), template, cut)


def _as_object(value: Any) -> dict[Any, Any]:
    """A list of single fields is the object they make; a text is none."""
    if isinstance(value, dict):
        return value
    merged: dict[Any, Any] = {}
    for item in value if isinstance(value, list) else []:
        if isinstance(item, dict):
            merged = {**item, **merged}
    return merged


def _is_cut(kind: str, fields: dict[str, Any], *, ended: bool) -> bool:
    """The text ends in the block and its closing field is not there, or not whole."""
    closing = CLOSING.get(kind)
    if kind == GUARDRAIL and any(isinstance(fields.get(name), dict) for name in ("details", "action")):
        closing = "result"
    if closing is None:
        return not fields
    value = fields.get(closing)
    if value is None:
        return True
    known = _LAST_WORD.get(closing) if kind in (ERROR, RECOVERY) else None
    return not ended and next(reversed(fields)) == closing and known is not None and known.matched(str(value)) is None
