"""The lines of a block as values: YAML whose plain scalars are quoted first, so that every scalar is its own text.

`3:07`, `NO`, `0123`, `@Scout`, backticks and unquoted colons are text. Where YAML still refuses, the
lines are read one by one and the block is flagged `not_yaml`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from ingest.blocks.nesting import NOTHING, Entry, flow_value, nested, quoted_value

_KEY = re.compile(
    r"^(?P<lead> *(?:- +)*)(?P<key>\"[^\"]+\"|'[^']+'|[A-Za-z_][^:#{}\[\]\"]{0,79}?) *:(?: +(?P<value>\S.*))?$"
)
_ITEM = re.compile(r"^(?P<lead> *(?:- +)+)(?P<value>\S.*)$")
_BOLD = re.compile(r"\*\*(?P<key>[^*:]+)(?::\*\*|\*\* *:)")
_BULLET = re.compile(r"^( *)[*+•] +")
_BULLETS = ("*", "+", "•")
_BLOCK_SCALAR = re.compile(r"[|>][+-]?\d?[+-]?(?: +#.*)?")
_COMMENT = re.compile(r"(?:^|\s+)#(?:\s.*)?$")
_QUOTED = re.compile(r"""^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')(?:\s+#.*)?$""")
_FLOW_KEY = re.compile(r"(?:^|,)\s*([\"']?)([A-Za-z_][\w -]*?)\1\s*:(?=\s|$)")
_NOT_IN_YAML = re.compile("[^\t\n\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NOTHING = frozenset({"", "~", "null", "Null", "NULL"})
_MOST_FLOW_LINES = 200


def _loaded_or_none(text: str) -> Any:
    from ingest.blocks.yaml_text import loaded_or_none  # noqa: PLC0415 - hardly any block needs it

    return loaded_or_none(text)


def values_of(lines: list[str]) -> tuple[Any, tuple[str, ...]]:
    """The value of the lines and what had to be said about it; never raises."""
    clean = [_markdown_free(_printable(line.expandtabs(4))) for line in lines]
    entries = _Quoting().of(clean)
    value = nested(entries, clean)
    if value is None:
        value = _loaded_or_none("\n".join(entry.written() for entry in entries))
    if isinstance(value, dict | list):
        return without_nothing(value), ("duplicate_key",) if _has_twin_keys(clean) else ()
    if not any(line.strip() for line in lines):
        return {}, ()
    return without_nothing(_line_by_line(clean)), ("not_yaml",)


def _printable(line: str) -> str:
    """The line with a mark for every character that YAML refuses."""
    return line if line.isascii() and line.isprintable() else _NOT_IN_YAML.sub("\ufffd", line)


def _markdown_free(line: str) -> str:
    if line.lstrip(" ")[:1] in _BULLETS:
        line = _BULLET.sub(r"\1- ", line)
    return _BOLD.sub(r"\g<key>:", line, count=1) if "**" in line else line


def without_nothing(value: Any) -> Any:
    """The value without entries that say nothing: null, ~ and empty ones."""
    if isinstance(value, dict):
        return {key: _inside(item) for key, item in value.items() if not _is_nothing(item)}
    if isinstance(value, list):
        return [_inside(item) for item in value if not _is_nothing(item)]
    return value


def _inside(value: Any) -> Any:
    return without_nothing(value) if isinstance(value, (dict, list)) else value


def _is_nothing(value: Any) -> bool:
    return value.strip() in _NOTHING if isinstance(value, str) else value is None


def _has_twin_keys(lines: list[str]) -> bool:
    found = [match for line in lines if ":" in line and (match := _KEY.match(line)) and "-" not in match["lead"]]
    if not found:
        return False
    least = min(len(match["lead"]) for match in found)
    keys = [match["key"].strip().lower() for match in found if len(match["lead"]) == least]
    return len(keys) != len(set(keys))


class _Quoting:
    """The lines with every plain scalar quoted; continued ones are joined."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._scalar_of: int | None = None
        self._open: int | None = None

    def of(self, lines: list[str]) -> list[Entry]:
        rest = iter(lines)
        for line in rest:
            self._take(line.rstrip(), rest)
        return self._entries

    def _take(self, line: str, rest: Iterator[str]) -> None:
        indent = len(line) - len(line.lstrip(" "))
        is_blank = not line or line.isspace()
        if self._scalar_of is not None and (is_blank or indent > self._scalar_of):
            self._entries[-1].text.append(line)
            return
        self._scalar_of = None
        if is_blank or line.lstrip().startswith("# "):
            return
        if self._open is not None and indent > self._open:
            self._continue(line)
        elif ":" in line and (key := _KEY.match(line)):
            before, name, value = key.group("lead", "key", "value")
            name = name.strip().strip("\"'")
            lead = f"{before}'" + name.replace("'", "''") + "': "
            entry = Entry(lead, column=len(before), dash=_dash(before), key=name)
            self._value(entry, entry.column, value, rest)
        elif item := _ITEM.match(line):
            entry = Entry(item["lead"], column=len(item["lead"]), dash=_dash(item["lead"]))
            self._value(entry, item["lead"].rindex("-"), item["value"], rest)
        else:
            self._text(line, indent)

    def _continue(self, line: str) -> None:
        last = self._entries[-1]
        last.plain = f"{last.plain} {_without_comment(line.strip())}".strip()

    def _text(self, line: str, indent: int) -> None:
        """A line that is neither key nor item: the text of the key above it, if that one still wants one."""
        last = self._entries[-1].lead if self._entries else ""
        if last.endswith(":") and self._entries[-1].plain is None and indent > len(last) - len(last.lstrip(" -")):
            self._entries.append(Entry(" " * indent, _without_comment(line.strip()), is_plain=True, column=indent))
            self._open = indent - 1
        else:
            self._open = None
            self._entries.append(Entry(line))

    def _value(self, entry: Entry, column: int, value: str | None, rest: Iterator[str]) -> None:
        self._open = None
        self._entries.append(entry)
        # Behind several dashes the columns are YAML's to count.
        entry.is_plain = entry.lead.find("- ", (entry.dash or 0) + 1, entry.column) < 0
        if value is None or (value[0] == "#" and _COMMENT.fullmatch(value)):
            entry.lead = entry.lead.rstrip()
        elif value[0] in "|>" and _BLOCK_SCALAR.fullmatch(value):
            self._scalar_of = column
            entry.lead, entry.keeps_lines = entry.lead + value, True
            entry.is_plain, entry.is_ended = entry.is_plain and value in ("|", "|-"), value == "|"
        elif value[0] in "[{" and (flow := _flow(entry, _whole_flow(value, rest))) is not None:
            entry.lead += flow
        elif value[0] in "\"'" and _QUOTED.match(value) and _is_text(entry, value):
            entry.lead += value
        else:
            self._open = column
            entry.plain = _without_comment(value)


def _dash(lead: str) -> int | None:
    """The column of the first dash before a key or an item."""
    return lead.index("-") if "-" in lead else None


def _is_text(entry: Entry, value: str) -> bool:
    """The value is a text in quotes; the entry takes it where it can be read at once."""
    entry.value = quoted_value(value)
    if entry.value is not NOTHING:
        return True
    entry.is_plain = False
    return isinstance(_loaded_or_none(value), str)


def _without_comment(value: str) -> str:
    """The text before a trailing comment; `#12` is no comment, because no space follows the mark."""
    return (_COMMENT.sub("", value) if "#" in value else value).rstrip()


def _whole_flow(value: str, rest: Iterator[str]) -> str:
    """The value with the lines below it, up to the bracket that closes it."""
    taken = 0
    while _depth(value) > 0 and taken < _MOST_FLOW_LINES and (line := next(rest, None)) is not None:
        value, taken = f"{value} {line.strip()}", taken + 1
    return value


def _depth(value: str) -> int:
    return sum(value.count(mark) for mark in "[{") - sum(value.count(mark) for mark in "]}")


def _flow(entry: Entry, value: str) -> str | None:
    """A list or object in brackets as one that YAML surely reads; None where it is text."""
    entry.value = loaded = flow_value(value)
    if loaded is NOTHING:
        entry.is_plain = False
        loaded = _loaded_or_none(value)
    if not isinstance(loaded, dict | list):
        loaded = _split_flow(_without_comment(value))
    try:
        return None if loaded is None else json.dumps(loaded, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return None


def _split_flow(value: str) -> Any:
    """The object of a flow mapping that YAML refuses, split at its keys: an unquoted colon or @ stays text."""
    if not (value.startswith("{") and value.endswith("}")):
        return None
    inner = value[1:-1]
    keys = list(_FLOW_KEY.finditer(inner))
    if not keys:
        return None
    ends = [key.start() for key in keys[1:]] + [len(inner)]
    return {key[2]: inner[key.end() : end].strip().strip("\"'") for key, end in zip(keys, ends, strict=True)}


def _line_by_line(lines: list[str]) -> dict[str, str]:
    """The keys of the least indentation with all the text that belongs to each."""
    found = [(match, line) for line in lines if (match := _KEY.match(line))]
    least = min((len(match["lead"]) for match, _ in found), default=0)
    fields: dict[str, str] = {}
    current: str | None = None
    for line in lines:
        match = _KEY.match(line)
        if match and len(match["lead"]) == least:
            current = match["key"].strip().strip("\"'")
            fields.setdefault(current, _without_comment(match["value"] or ""))
        elif line.strip():
            is_deeper = len(line) - len(line.lstrip(" ")) > least
            owner = current if current and is_deeper else "other_lines"
            fields[owner] = f"{fields.get(owner, '')}\n{line.strip()}".strip()
    return fields
