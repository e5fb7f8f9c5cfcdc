"""The regions of a report in which people write, and what is kept of them when the report is made again."""

from __future__ import annotations

import re
from collections.abc import Iterator

_BEGIN = re.compile(r"<!-- human:([a-z_]+) begin -->")
_TODO = re.compile(r"\*\*TODO: .*\*\*")


def begin(key: str) -> str:
    """The line before a region."""
    return f"<!-- human:{key} begin -->"


def end(key: str) -> str:
    """The line after a region."""
    return f"<!-- human:{key} end -->"


def written_in(text: str) -> dict[str, str]:
    """What people wrote into the regions of a report in Markdown; a region that nobody touched is not in it."""
    found: dict[str, str] = {}
    lines = iter(text.replace("\r\n", "\n").split("\n"))
    for line in lines:
        if opened := _BEGIN.fullmatch(line.strip()) if not line.startswith(" ") else None:
            region = _until(lines, end(opened[1]))
            if region and not _TODO.fullmatch(region.strip()):
                found.setdefault(opened[1], region)
    return found


def _until(lines: Iterator[str], closing: str) -> str:
    region: list[str] = []
    for line in lines:
        if line.rstrip() == closing:
            return "\n".join(region).strip("\n")
        region.append(line)
    return "\n".join(region).strip("\n")
